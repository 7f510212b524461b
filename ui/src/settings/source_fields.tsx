// What the chosen source wants to know: its model, its address, its key.

import { Combobox } from "../design/combobox";
import type { SettingsChange, SourceSettings } from "../host/protocol";
import { canDoWithout, modelLabel, modelsOf } from "../state/offers";
import { useApp, useStore } from "../state/use";
import { CommittedInput } from "./input";
import { KeyField } from "./key";
import { countModels } from "./sources";

type Props = {
  source: SourceSettings;
  onChange: (change: SettingsChange) => Promise<void>;
};

export function SourceFields({ source, onChange }: Props) {
  const asked = useApp("asked");
  const found = useApp("found");
  return (
    <section className="flex flex-col gap-4" aria-label={source.label}>
      <Combobox
        label="Model"
        testId="settings-model"
        value={source.model}
        options={modelsOf(source, asked, found)}
        empty={canDoWithout(source) ? modelLabel("") : undefined}
        note={<ModelsNote source={source} />}
        onCommit={(model) => onChange({ set: "model", source: source.name, model })}
      />
      {source.baseUrl === "" ? null : (
        <CommittedInput
          label="Base URL"
          testId="settings-base-url"
          value={source.baseUrl}
          note="Your key and your prompts go to this address, so Weir asks before it changes. Empty is the source's own."
          onCommit={(baseUrl) => onChange({ set: "base_url", source: source.name, baseUrl })}
        />
      )}
      {source.key.state === "not_needed" ? null : (
        <KeyField source={source.name} state={source.key} />
      )}
    </section>
  );
}

/** How asking for the models went: one quiet line. */
function ModelsNote({ source }: { source: SourceSettings }) {
  const store = useStore();
  const answer = useApp("asked")[source.name];
  if (!answer) return null;
  switch (answer.state) {
    case "asking":
      return <span data-testid="settings-models-note">Asking {source.label} for its models…</span>;
    case "known":
      return (
        <span data-testid="settings-models-note">
          {source.label} has {countModels(answer.models.length)}.
          {answer.models.length > 10 ? " Type to search." : null}
        </span>
      );
    case "failed":
      return (
        <>
          <span data-testid="settings-models-note" className="break-words">
            {answer.error.message}
          </span>{" "}
          <button
            type="button"
            data-testid="settings-models-again"
            className="quiet-button"
            onClick={() => store.askModels("anew")}
          >
            Ask again
          </button>
        </>
      );
  }
}
