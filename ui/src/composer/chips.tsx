// What the next turn is asked of, changed where it is used. Native selects: the keyboard and
// screen readers know them.

import type { Settings, SettingsChange, Thinking } from "../host/protocol";
import { useApp, useStore } from "../state/use";

export function sourceOf(settings: Settings) {
  return settings.sources.find(({ name }) => name === settings.source);
}

export function ModelChip() {
  const source = sourceOf(useApp("settings"));
  const change = useChange();
  if (!source) return null;
  const models = source.models.includes(source.model)
    ? source.models
    : [source.model, ...source.models];
  return (
    <label className="chip chip-select" title={`Model, asked of ${source.label}`}>
      <span className="sr-only">Model</span>
      <select
        value={source.model}
        onChange={(event) =>
          change({ set: "model", source: source.name, model: event.target.value })
        }
      >
        {models.map((model) => (
          <option key={model}>{model}</option>
        ))}
      </select>
    </label>
  );
}

const levels = ["off", "low", "medium", "high"] as const;

export function ThinkingChip() {
  const { thinking } = useApp("settings");
  const change = useChange();
  return (
    <label className="chip chip-select" title="How much the model may think">
      <span className="sr-only">Thinking</span>
      <select
        value={String(thinking)}
        onChange={(event) => change({ set: "thinking", thinking: event.target.value as Thinking })}
      >
        {typeof thinking === "number" ? (
          <option value={String(thinking)}>Thinking: {thinking} tokens</option>
        ) : null}
        {levels.map((level) => (
          <option key={level} value={level}>
            Thinking: {level}
          </option>
        ))}
      </select>
    </label>
  );
}

function useChange() {
  const store = useStore();
  return async (change: SettingsChange) => {
    const error = await store.changeSettings(change);
    if (error) store.notify(error);
  };
}
