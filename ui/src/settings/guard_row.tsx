// One rule: what it looks for, what it does to what is sent and said, who said so, and the way
// back to what holds without a choice of one's own.

import { IconButton } from "../design/button";
import type { ActionOrigin, GuardRule, GuardSettings } from "../host/protocol";
import { ActionChoice, actionWords } from "./guard_action";
import { type GuardChange, stages, stageWords, withAction, without } from "./guard_stage";

type Props = { rule: GuardRule; settings: GuardSettings; onChange: GuardChange };

const said: Record<ActionOrigin, string> = {
  usual: "What the rule does when nothing is chosen",
  everywhere: "Chosen for everywhere",
  project: "Chosen for this project",
  file: "The project’s file .weir/guards.json asks for this, and is stricter than your choice",
};

export function GuardRow({ rule, settings, onChange }: Props) {
  const { config, held, everywhere } = settings;
  const { name, about } = rule;
  const mine: ActionOrigin = everywhere ? "project" : "everywhere";
  return (
    <li className="guard-rule" data-testid="guard-rule" data-rule={name}>
      <span className="guard-what" title={`${name}: ${about}`}>
        <span className="mono">{name}</span>
        <span className="text-ink3">{about}</span>
      </span>
      {stages.map((stage) => {
        const { action, origin } = held[name]?.[stage] ?? { action: rule[stage], origin: "usual" };
        return origin === "file" ? (
          <span key={stage} className="guard-fixed" data-testid="guard-fixed" title={said.file}>
            <span className="sr-only">{stageWords[stage]}: </span>
            {actionWords[action]}
            <span className="text-ink3"> · file</span>
          </span>
        ) : (
          <ActionChoice
            key={stage}
            stage={stage}
            rule={name}
            label={`${name} ${stageWords[stage]}`}
            value={action}
            isOwn={origin === mine}
            title={said[origin]}
            onChange={(next) => void onChange((config) => withAction(config, name, stage, next))}
          />
        );
      })}
      <span className="guard-back">
        {config.rules[name] ? (
          <IconButton
            icon="undo"
            label={`${everywhere ? "As everywhere" : "As usual"}: ${name}`}
            data-testid="guard-back"
            onClick={({ currentTarget }) => {
              // The button goes; the keyboard stays in its row.
              currentTarget.closest("li")?.querySelector("select")?.focus();
              void onChange((config) => without(config, name));
            }}
          />
        ) : null}
      </span>
    </li>
  );
}
