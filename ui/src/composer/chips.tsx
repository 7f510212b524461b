// What the next turn is asked of, changed where it is used: of the open session, which keeps it,
// or of new sessions where none is open. Native selects: the keyboard and screen readers know them.

import { memo, useMemo } from "react";
import type { ErrorBody, Settings } from "../host/protocol";
import { type Level, levels } from "../settings/levels";
import { useOpenSettings } from "../settings/opener";
import {
  MOST_OFFERED,
  modelLabel,
  type Offer,
  offers,
  settingsFor,
  sourceOf,
} from "../state/offers";
import { useApp, useOpenSummary, useStore } from "../state/use";

/** Takes no part in the typing beside it, since it may hold many models. */
export const ModelChip = memo(function ModelChip() {
  const store = useStore();
  const openSettings = useOpenSettings();
  const isNew = useApp("open").id === null;
  const settings = useOwnSettings();
  const asked = useApp("asked");
  const found = useApp("found");
  // The settings are about new sessions, so an open one finds all its models here.
  const most = isNew ? MOST_OFFERED : Number.POSITIVE_INFINITY;
  const groups = useMemo(
    () => offers(settings, asked, found, most),
    [settings, asked, found, most],
  );
  const report = useReport();
  const source = sourceOf(settings);
  if (!source && settings.source === "") return null;
  const label = source?.label ?? `${settings.source}, which is not there any more`;
  const value = source ? writeChoice(source.name, source.model) : gone;

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
    <label className="chip chip-select" title={`Model, asked of ${label}`}>
      <span className="sr-only">Model</span>
      <select
        data-testid="composer-model"
        data-source={settings.source}
        value={value}
        onChange={(event) => void choose(event.target.value)}
      >
        {source ? null : (
          <option value={gone} disabled>
            {settings.source} (not there)
          </option>
        )}
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

/** No choice is empty. */
const gone = "";

/** The settings as they hold for the open session, or for new ones. */
function useOwnSettings(): Settings {
  const settings = useApp("settings");
  const session = useOpenSummary();
  const { source, model, thinking } = session ?? {};
  return useMemo(
    () =>
      source === undefined || model === undefined
        ? settings
        : settingsFor(settings, { source, model, thinking }),
    [settings, source, model, thinking],
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
  const { thinking } = useOwnSettings();
  const report = useReport();
  return (
    <label className="chip chip-select" title="How much the model may think">
      <span className="sr-only">Thinking</span>
      <select
        data-testid="composer-thinking"
        value={String(thinking)}
        onChange={(event) => void report(store.chooseThinking(event.target.value as Level))}
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
