// The rules of one category: a line with what all of them do, that opens to each rule.

import { useState } from "react";
import { Fold, FoldChevron } from "../design/fold";
import type { GuardRule, GuardSettings, RuleAction } from "../host/protocol";
import { ActionChoice } from "./guard_action";
import { LimitFields } from "./guard_limits";
import { GuardRow } from "./guard_row";
import { type GuardChange, type Stage, stages, stageWords, withAction } from "./guard_stage";

type Props = {
  category: GuardRule["category"];
  title: string;
  rules: readonly GuardRule[];
  /** Only what was searched for is here, and is shown. */
  searched: boolean;
  settings: GuardSettings;
  onChange: GuardChange;
};

export function GuardCategory({ category, title, rules, searched, settings, onChange }: Props) {
  const [opened, setOpened] = useState(false);
  if (rules.length === 0) return null;
  const open = opened || searched;
  const { config } = settings;
  const chosen = rules.filter(({ name }) => config.rules[name] !== undefined).length;
  const count = rules.length === 1 ? "1 rule" : `${rules.length} rules`;

  function set(stage: Stage, action: RuleAction | undefined) {
    void onChange((config) => withAction(config, category, stage, action));
  }

  return (
    <section aria-label={title}>
      <div className="guard-category">
        <button
          type="button"
          aria-expanded={open}
          data-testid={`guards-${category}`}
          className="flex min-w-0 flex-1 items-center gap-2 text-left"
          onClick={() => setOpened(!open)}
        >
          <FoldChevron open={open} />
          <span className="truncate font-medium">{title}</span>
          <span className="shrink-0 text-[12px] text-ink3">
            {count}
            {chosen > 0 ? `, ${chosen} chosen` : ""}
          </span>
        </button>
        {/* What is chosen for all is not chosen among the few that were searched for. */}
        {category === "custom" || searched
          ? null
          : stages.map((stage) => (
              <ActionChoice
                key={stage}
                stage={stage}
                label={`All ${title.toLowerCase()} ${stageWords[stage]}`}
                value={config.rules[category]?.[stage]}
                none="Each"
                title="What all of them do where nothing is chosen for the rule itself"
                isOwn={config.rules[category]?.[stage] !== undefined}
                onChange={(action) => set(stage, action)}
              />
            ))}
      </div>
      <Fold open={open}>
        <ul aria-label={title}>
          {rules.map((rule) => (
            <GuardRow key={rule.name} rule={rule} settings={settings} onChange={onChange} />
          ))}
        </ul>
        {category === "custom" ? <LimitFields settings={settings} onChange={onChange} /> : null}
      </Fold>
    </section>
  );
}
