// All rules in a box of one height: what is typed, opened or changed moves nothing around it.

import { type KeyboardEvent, useId, useState } from "react";
import type { ErrorBody, GuardRule, GuardSettings } from "../host/protocol";
import { GuardCategory } from "./guard_category";
import { type GuardChange, refused } from "./guard_stage";

const categories: readonly (readonly [GuardRule["category"], string])[] = [
  ["secret", "Secrets"],
  ["personal", "Personal data"],
  ["injection", "Instructions to the model"],
  ["custom", "Limits"],
];

type Props = { settings: GuardSettings; onChange: GuardChange };

export function GuardList({ settings, onChange }: Props) {
  const id = useId();
  const [typed, setTyped] = useState("");
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const found = settings.rules.filter((rule) => says(rule, words));
  const searched = words.length > 0;
  const [last, setLast] = useState<{ refusal?: ErrorBody; of: GuardSettings }>();
  // It says something of what is shown only while that is what was to be changed.
  const refusal = last?.of === settings ? last.refusal : undefined;

  const change: GuardChange = async (next) => {
    const refusal = await onChange(next);
    setLast({ refusal, of: settings });
    return refusal;
  };

  function onKeyDown(event: KeyboardEvent) {
    if (event.key !== "Escape" || typed === "") return;
    // The page around it stays open.
    event.preventDefault();
    event.stopPropagation();
    setTyped("");
  }

  return (
    <div className="guard-list" data-testid="guard-list">
      <div className="guard-search">
        <label className="sr-only" htmlFor={id}>
          Search rules
        </label>
        <input
          id={id}
          type="search"
          data-testid="guards-search"
          placeholder={`Search ${settings.rules.length} rules`}
          value={typed}
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => setTyped(event.target.value)}
          onKeyDown={onKeyDown}
        />
        <span aria-hidden="true">When sent</span>
        <span aria-hidden="true">When said</span>
      </div>
      <div className="guard-scroll">
        {categories.map(([category, title]) => (
          <GuardCategory
            key={category}
            category={category}
            title={title}
            rules={found.filter((rule) => rule.category === category)}
            searched={searched}
            settings={settings}
            onChange={change}
          />
        ))}
      </div>
      {refusal ? (
        <p role="alert" data-testid="guards-error" className="guard-foot text-bad">
          {refused(refusal)}
        </p>
      ) : (
        <p role="status" className="guard-foot">
          {told(found.length, settings.rules.length)}
        </p>
      )}
    </div>
  );
}

function says({ name, label, about, category }: GuardRule, words: readonly string[]): boolean {
  const said = `${name} ${label} ${about} ${category}`.toLowerCase();
  return words.every((word) => said.includes(word));
}

function told(found: number, all: number): string {
  if (found === 0) return "No rule says that.";
  if (found === all) return `${all} rules`;
  return `${found} of ${all} rules`;
}
