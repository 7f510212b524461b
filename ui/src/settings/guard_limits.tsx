// How long a text may be, in bytes. An empty field goes back to what holds without it.

import { useId } from "react";
import type { GuardSettings } from "../host/protocol";
import { type GuardChange, type Stage, stages, stageWords } from "./guard_stage";

type Props = { settings: GuardSettings; onChange: GuardChange };

export function LimitFields({ settings, onChange }: Props) {
  const id = useId();
  const { config, limits } = settings;

  async function set(stage: Stage, field: HTMLInputElement) {
    const before = config.limits[stage];
    if (field.value === `${before ?? ""}`) return;
    const { [stage]: _, ...others } = config.limits;
    const asked = field.value === "" ? {} : { [stage]: field.valueAsNumber };
    const refused = await onChange((config) => ({ ...config, limits: { ...others, ...asked } }));
    if (refused) field.value = `${before ?? ""}`;
  }

  return (
    <div className="guard-rule">
      <span className="guard-what">
        <span>Longest text</span>
        <span className="text-ink3">in bytes</span>
      </span>
      {stages.map((stage) => (
        <input
          key={`${stage} ${config.limits[stage]}`}
          id={`${id}-${stage}`}
          type="number"
          min={1}
          step={1}
          aria-label={`Longest text ${stageWords[stage]}, in bytes`}
          data-testid={`guard-limit-${stage}`}
          className="guard-limit"
          placeholder={limits[stage] === undefined ? "None" : `${limits[stage]}`}
          defaultValue={config.limits[stage]}
          onBlur={({ currentTarget }) => {
            if (currentTarget.validity.valid) void set(stage, currentTarget);
          }}
          onKeyDown={({ key, currentTarget }) => {
            if (key === "Enter") currentTarget.blur();
          }}
        />
      ))}
      <span className="guard-back" />
    </div>
  );
}
