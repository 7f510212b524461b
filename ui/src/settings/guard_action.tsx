// What a rule does, as a list that folds out.

import type { RuleAction } from "../host/protocol";

export const actionWords: Record<RuleAction, string> = {
  off: "Off",
  allow: "Allow",
  redact: "Redact",
  warn: "Warn",
  ask: "Ask",
  block: "Block",
};

type Props = {
  label: string;
  value: RuleAction | undefined;
  /** What it is called when nothing is chosen; without it, something always is. */
  none?: string;
  /** Chosen in this place by the user, not come from elsewhere. */
  isOwn?: boolean;
  title?: string;
  onChange: (action: RuleAction | undefined) => void;
};

export function ActionChoice({ label, value, none, isOwn = true, title, onChange }: Props) {
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
        {Object.entries(actionWords).map(([action, words]) => (
          <option key={action} value={action}>
            {words}
          </option>
        ))}
      </select>
    </span>
  );
}
