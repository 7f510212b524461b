// A tool call: one card with its name, a short argument and how it went; it opens to show what
// went in and what came out.

import { useState } from "react";
import { Fold, FoldChevron } from "../design/fold";
import { formatDuration } from "../design/format";
import { Icon } from "../design/icons";
import type { ToolBlock } from "../state/block";
import { withOriginals } from "../state/restored";
import { useEnded } from "../state/use";
import { PermissionView } from "./permission";
import { RestoredText } from "./restored";
import { pretty, shortInput } from "./tool_text";

const SHOWN_LINES = 12;

type Progress = "growing" | "waiting" | "running" | "done" | "failed" | "unanswered";

const words: Record<Progress, string> = {
  growing: "asking",
  waiting: "waiting for you",
  running: "running",
  done: "",
  failed: "failed",
  unanswered: "no result",
};

export function Tool({ block, turn }: { block: ToolBlock; turn: string }) {
  const [open, setOpen] = useState(false);
  const ended = useEnded(turn);
  const progress = progressOf(block, ended);
  return (
    <div data-testid="tool" data-progress={progress} className="card overflow-hidden">
      <button
        type="button"
        data-testid="tool-toggle"
        aria-expanded={open}
        className="flex w-full min-w-0 items-center gap-2.5 px-3 py-2 text-left"
        onClick={() => setOpen(!open)}
      >
        <ProgressIcon progress={progress} />
        <span className="mono font-medium">{block.toolName}</span>
        <span className="mono min-w-0 truncate text-ink3">
          {withOriginals(shortInput(block), block.restored)}
        </span>
        <span className="ml-auto flex shrink-0 items-center gap-2 text-[12px] text-ink3 tabular-nums">
          <span className={progress === "failed" ? "text-bad" : ""}>{words[progress]}</span>
          {block.outcome ? <span>{formatDuration(block.outcome.durationMs)}</span> : null}
          <FoldChevron open={open} />
        </span>
      </button>
      {block.permission ? (
        <PermissionView block={block} permission={block.permission} ended={ended} />
      ) : null}
      <Fold open={open}>
        <Details block={block} />
      </Fold>
    </div>
  );
}

/** Made only once it is opened: writing a large input out costs more than the whole card. */
function Details({ block }: { block: ToolBlock }) {
  const { input, inputText, outcome, restored } = block;
  return (
    <>
      <Lines
        label="Input"
        text={input === undefined ? inputText : pretty(input)}
        restored={restored}
      />
      {outcome ? <Lines label="Result" text={pretty(outcome.result)} restored={restored} /> : null}
    </>
  );
}

function progressOf({ growing, outcome, permission }: ToolBlock, ended: boolean): Progress {
  if (outcome) return outcome.isError ? "failed" : "done";
  if (ended) return "unanswered";
  if (permission && !permission.decision) return "waiting";
  return growing ? "growing" : "running";
}

function ProgressIcon({ progress }: { progress: Progress }) {
  switch (progress) {
    case "done":
      return <Icon name="check" className="text-good" />;
    case "failed":
      return <Icon name="cross" className="text-bad" />;
    case "unanswered":
      return <Icon name="wrench" className="text-ink3" />;
    case "waiting":
      return <span className="mx-1 size-2 shrink-0 rounded-full bg-warn" />;
    case "growing":
    case "running":
      return <span className="mx-1 size-2 shrink-0 rounded-full bg-acc" />;
  }
}

type LinesProps = { label: string; text: string; restored: ToolBlock["restored"] };

function Lines({ label, text, restored }: LinesProps) {
  const [all, setAll] = useState(false);
  const lines = text.split("\n");
  const hidden = all ? 0 : lines.length - SHOWN_LINES;
  return (
    <div className="border-line2 border-t">
      <div className="bg-code px-3 pt-1.5 text-[11px] text-ink3">{label}</div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard. */}
      <pre className="tool-lines" tabIndex={0}>
        <RestoredText
          text={hidden > 0 ? lines.slice(0, SHOWN_LINES).join("\n") : text}
          restored={restored}
        />
      </pre>
      {hidden > 0 ? (
        <button
          type="button"
          className="block w-full border-line2 border-t px-3 py-1 text-left text-[12px] text-acc"
          onClick={() => setAll(true)}
        >
          Show {hidden} more {hidden === 1 ? "line" : "lines"}
        </button>
      ) : null}
    </div>
  );
}
