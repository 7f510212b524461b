// What the next turn is asked of, changed where it is used. Native selects: the keyboard and
// screen readers know them.

import { memo, useMemo } from "react";
import type { ErrorBody } from "../host/protocol";
import { type Level, levels } from "../settings/levels";
import { useOpenSettings } from "../settings/opener";
import { modelLabel, type Offer, offers, sourceOf } from "../state/offers";
import { useApp, useStore } from "../state/use";

/** Takes no part in the typing beside it, since it may hold many models. */
export const ModelChip = memo(function ModelChip() {
  const store = useStore();
  const openSettings = useOpenSettings();
  const settings = useApp("settings");
  const asked = useApp("asked");
  const found = useApp("found");
  const groups = useMemo(() => offers(settings, asked, found), [settings, asked, found]);
  const report = useReport();
  const source = sourceOf(settings);
  if (!source) return null;

  async function choose(value: string) {
    const choice = readChoice(value);
    if (choice.model !== undefined) {
      await report(store.chooseModel(choice.source, choice.model));
    } else {
      await report(store.changeSettings({ set: "source", source: choice.source }));
      openSettings();
    }
  }

  return (
    <label className="chip chip-select" title={`Model, asked of ${source.label}`}>
      <span className="sr-only">Model</span>
      <select
        data-testid="composer-model"
        data-source={source.name}
        value={writeChoice(source.name, source.model)}
        onChange={(event) => void choose(event.target.value)}
      >
        {groups.map((group) => (
          <optgroup key={group.source} label={group.label}>
            <Options offer={group} />
          </optgroup>
        ))}
      </select>
    </label>
  );
});

function Options({ offer }: { offer: Offer }) {
  return (
    <>
      {offer.models.map((model) => (
        <option key={model} value={writeChoice(offer.source, model)}>
          {modelLabel(model)}
        </option>
      ))}
      {offer.of === undefined ? null : (
        <option value={writeChoice(offer.source)}>All {offer.of} in Settings…</option>
      )}
    </>
  );
}

/** A source's name has no space, so the first one ends it; no space at all names no model. */
function writeChoice(source: string, model?: string): string {
  return model === undefined ? source : `${source} ${model}`;
}

function readChoice(value: string): { source: string; model?: string } {
  const end = value.indexOf(" ");
  return end < 0 ? { source: value } : { source: value.slice(0, end), model: value.slice(end + 1) };
}

export function ThinkingChip() {
  const store = useStore();
  const { thinking } = useApp("settings");
  const report = useReport();
  return (
    <label className="chip chip-select" title="How much the model may think">
      <span className="sr-only">Thinking</span>
      <select
        data-testid="composer-thinking"
        value={String(thinking)}
        onChange={(event) =>
          void report(
            store.changeSettings({ set: "thinking", thinking: event.target.value as Level }),
          )
        }
      >
        {typeof thinking === "number" ? (
          <option value={String(thinking)}>Thinking: {thinking} tokens</option>
        ) : null}
        {levels.map(({ value, label }) => (
          <option key={value} value={value}>
            Thinking: {label.toLowerCase()}
          </option>
        ))}
      </select>
    </label>
  );
}

function useReport() {
  const store = useStore();
  return async (change: Promise<ErrorBody | undefined>) => {
    const error = await change;
    if (error) store.notify(error);
  };
}
