// The rules of one category: a line that opens to each rule, with what it does to what is sent
// and to what is said.

import { useState } from "react";
import { Fold, FoldChevron } from "../design/fold";
import type { ErrorBody, GuardConfig, GuardRule, RuleAction } from "../host/protocol";

type Props = {
  title: string;
  rules: readonly GuardRule[];
  config: GuardConfig;
  onChange: (config: GuardConfig) => Promise<ErrorBody | undefined>;
};

export function GuardCategory({ title, rules, config, onChange }: Props) {
  const [open, setOpen] = useState(false);
  if (rules.length === 0) return null;
  const changed = rules.filter(({ name }) => config.rules[name] !== undefined).length;
  return (
    <div className="mt-2">
      <button
        type="button"
        aria-expanded={open}
        data-testid={`guards-${rules[0]?.category}`}
        className="flex w-full items-center gap-2 text-left"
        onClick={() => setOpen(!open)}
      >
        <FoldChevron open={open} />
        {title}
        <span className="text-[12px] text-ink3">
          {rules.length} {rules.length === 1 ? "rule" : "rules"}
          {changed > 0 ? `, ${changed} changed` : ""}
        </span>
      </button>
      <Fold open={open}>
        <table className="guard-rules">
          <thead>
            <tr className="text-[12px] text-ink3">
              <th scope="col">Rule</th>
              <th scope="col">When sent</th>
              <th scope="col">When said</th>
            </tr>
          </thead>
          <tbody>
            {rules.map((rule) => (
              <RuleRow key={rule.name} rule={rule} config={config} onChange={onChange} />
            ))}
          </tbody>
        </table>
      </Fold>
    </div>
  );
}

type RowProps = { rule: GuardRule } & Pick<Props, "config" | "onChange">;

function RuleRow({ rule, config, onChange }: RowProps) {
  function set(stage: "input" | "output", action: RuleAction) {
    const rules = { ...config.rules, [rule.name]: { ...config.rules[rule.name], [stage]: action } };
    void onChange({ ...config, rules });
  }
  return (
    <tr data-testid="guard-rule" data-rule={rule.name}>
      <th scope="row" title={rule.about}>
        <span className="mono">{rule.name}</span>
        <span className="block font-normal text-[12px] text-ink3">{rule.about}</span>
      </th>
      {(["input", "output"] as const).map((stage) => (
        <td key={stage}>
          <ActionChoice
            label={`${rule.name} ${stage === "input" ? "when sent" : "when said"}`}
            value={actionOf(rule, config, stage)}
            onChange={(action) => set(stage, action)}
          />
        </td>
      ))}
    </tr>
  );
}

/** What a rule does once everything is said. */
export function actionOf(
  rule: GuardRule,
  config: GuardConfig,
  stage: "input" | "output",
): RuleAction {
  return config.rules[rule.name]?.[stage] ?? config.rules[rule.category]?.[stage] ?? rule[stage];
}

const actions: readonly (readonly [RuleAction, string])[] = [
  ["off", "Off"],
  ["allow", "Allow"],
  ["redact", "Redact"],
  ["warn", "Warn"],
  ["ask", "Ask"],
  ["block", "Block"],
];

type ActionProps = { label: string; value: RuleAction; onChange: (action: RuleAction) => void };

export function ActionChoice({ label, value, onChange }: ActionProps) {
  return (
    <select
      aria-label={label}
      className="guard-action"
      value={value}
      onChange={(event) => onChange(event.target.value as RuleAction)}
    >
      {actions.map(([action, words]) => (
        <option key={action} value={action}>
          {words}
        </option>
      ))}
    </select>
  );
}
