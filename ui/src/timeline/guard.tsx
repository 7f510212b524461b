// What guards found: one quiet line that opens to which rule found what, and never the value.

import { useState } from "react";
import { Fold, FoldChevron } from "../design/fold";
import { Icon } from "../design/icons";
import type { Detection } from "../host/protocol";
import type { GuardBlock } from "../state/block";

export function Guard({ block }: { block: GuardBlock }) {
  const [open, setOpen] = useState(false);
  const loud = block.verdict === "block" || block.detections.some(isInjection);
  return (
    <div data-testid="guard" data-verdict={block.verdict} className="text-[13px] text-ink3">
      <button
        type="button"
        aria-expanded={open}
        className="flex max-w-full items-center gap-2 text-left"
        onClick={() => setOpen(!open)}
      >
        <Icon name="shield" className={loud ? "text-warn" : ""} />
        <span className="min-w-0 break-words">{sentence(block)}</span>
        <FoldChevron open={open} />
      </button>
      <Fold open={open}>
        <ul className="mt-1 border-line2 border-l-2 pl-3 text-ink2">
          {block.detections.map((found) => (
            <li key={`${found.rule} ${found.start} ${found.placeholder ?? ""}`}>
              <span className="mono">{found.rule}</span> · {categories[found.category]}
              {found.placeholder ? (
                <>
                  {" · "}
                  <span className="mono">{found.placeholder}</span>
                </>
              ) : null}
            </li>
          ))}
        </ul>
      </Fold>
    </div>
  );
}

const categories: Record<Detection["category"], string> = {
  secret: "secret",
  personal: "personal data",
  injection: "instructions to the model",
  custom: "your own rule",
};

const places: Record<GuardBlock["place"], string> = {
  prompt: "your prompt",
  result: "a tool's result",
  reply: "the reply",
};

function isInjection({ category }: Detection): boolean {
  return category === "injection";
}

function sentence({ place, verdict, detections }: GuardBlock): string {
  const what = kinds(detections);
  if (verdict === "block") {
    const held = place === "reply" ? "ended the reply" : `held back ${places[place]}`;
    return `A guard ${held}: ${what}`;
  }
  const taken = detections.filter(({ placeholder }) => placeholder !== undefined);
  if (taken.length === 0) {
    if (detections.some(isInjection) && place === "result") {
      return "A tool's result looks like instructions to the model. What changes things asks first.";
    }
    const passed = verdict === "ask" && place === "prompt" ? "sent as it is" : "found";
    return `Guards looked at ${places[place]}; ${passed}: ${what}`;
  }
  const count = taken.length === 1 ? "1 item was" : `${taken.length} items were`;
  const when = place === "reply" ? "in the reply" : "before sending";
  return `${count} replaced ${when}: ${what}`;
}

/** What was found, each kind once, as a person says it. */
function kinds(detections: readonly Detection[]): string {
  return [...new Set(detections.map(kindOf))].join(", ");
}

function kindOf({ rule, placeholder }: Detection): string {
  const label = placeholder?.slice(1).replace(/_[0-9]+\]$/, "");
  return (label?.toLowerCase().replaceAll("_", " ") ?? rule).replaceAll("-", " ");
}
