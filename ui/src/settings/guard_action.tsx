// What a rule does, as a list that folds out.

import type { OutputAction, RuleAction } from "../host/protocol";
import type { Stage } from "./guard_stage";

export const actionWords: Record<RuleAction, string> = {
  off: "Off",
  allow: "Allow",
  redact: "Redact",
  warn: "Warn",
  ask: "Ask",
  block: "Block",
};

/** What can be chosen where: nobody can be asked about a reply that is arriving. */
const choices: { input: readonly RuleAction[]; output: readonly OutputAction[] } = {
  input: ["off", "allow", "redact", "warn", "ask", "block"],
  output: ["off", "allow", "redact", "warn", "block"],
};

/** Of a text that is too long nothing can be redacted. */
const sizeRule = "size";

function choicesFor(stage: Stage, rule: string | undefined): readonly RuleAction[] {
  return rule === sizeRule ? choices[stage].filter((it) => it !== "redact") : choices[stage];
}

type Props = {
  label: string;
  stage: Stage;
  /** The rule it is for, where it is for one. */
  rule?: string;
  value: RuleAction | undefined;
  /** What it is called when nothing is chosen; without it, something always is. */
  none?: string;
  /** Chosen in this place by the user, not come from elsewhere. */
  isOwn?: boolean;
  title?: string;
  onChange: (action: RuleAction | undefined) => void;
};

export function ActionChoice(props: Props) {
  const { label, stage, rule, value, none, isOwn = true, title, onChange } = props;
  const offered = choicesFor(stage, rule);
  // What an older file chose is shown, so that it is seen and can be changed.
  const shown = value === undefined || offered.includes(value) ? offered : [...offered, value];
  return (
    <span className="guard-action" data-own={isOwn} title={title}>
      <select
        aria-label={label}
        value={value ?? ""}
        onChange={({ target }) =>
          onChange(target.value === "" ? undefined : (target.value as RuleAction))
        }
      >
        {none === undefined ? null : <option value="">{none}</option>}
        {shown.map((action) => (
          <option key={action} value={action}>
            {actionWords[action]}
          </option>
        ))}
      </select>
    </span>
  );
}
