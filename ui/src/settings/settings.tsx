// The settings page. Each change goes to Rust at once; a base URL is asked about natively first.

import { useId, useState } from "react";
import { sourceOf } from "../composer/chips";
import { Choice } from "../design/choice";
import { Dialog } from "../design/dialog";
import type {
  ErrorBody,
  KeyState,
  SettingsChange,
  SourceSettings,
  Theme,
  Thinking,
} from "../host/protocol";
import { useApp, useStore } from "../state/use";
import { CommittedInput } from "./input";
import { KeyField } from "./key";

const themes: readonly { value: Theme; label: string }[] = [
  { value: "system", label: "System" },
  { value: "light", label: "Light" },
  { value: "dark", label: "Dark" },
];

const levels: readonly { value: Exclude<Thinking, number>; label: string }[] = [
  { value: "off", label: "Off" },
  { value: "low", label: "Low" },
  { value: "medium", label: "Medium" },
  { value: "high", label: "High" },
];

export function SettingsDialog({ onClose }: { onClose: () => void }) {
  const store = useStore();
  const settings = useApp("settings");
  const [error, setError] = useState<ErrorBody>();
  const source = sourceOf(settings);

  async function change(next: SettingsChange) {
    setError(await store.changeSettings(next));
  }

  return (
    <Dialog
      title="Settings"
      testId="settings"
      closeTestId="settings-close"
      width="w-[540px]"
      onClose={onClose}
    >
      <div className="flex min-h-0 flex-col gap-5 overflow-y-auto px-5 pb-5">
        {error ? (
          <p role="alert" className="composer-error mx-0">
            {error.code === "declined"
              ? "Nothing was changed: the confirmation was declined."
              : error.message}
          </p>
        ) : null}
        <Choice
          legend="Source"
          name="source"
          testId="settings-source"
          layout="list"
          value={settings.source}
          options={settings.sources.map(({ name, label, key }) => ({
            value: name,
            label,
            note: keyNote(key),
          }))}
          onChange={(name) => void change({ set: "source", source: name })}
        />
        {source ? <SourceFields key={source.name} source={source} onChange={change} /> : null}
        <Choice
          legend={
            typeof settings.thinking === "number"
              ? `Thinking: ${settings.thinking} tokens`
              : "Thinking"
          }
          name="thinking"
          testId="settings-thinking"
          layout="row"
          value={settings.thinking as Exclude<Thinking, number>}
          options={levels}
          onChange={(thinking) => void change({ set: "thinking", thinking })}
        />
        <Choice
          legend="Theme"
          name="theme"
          testId="settings-theme"
          layout="row"
          value={settings.theme}
          options={themes}
          onChange={(theme) => void change({ set: "theme", theme })}
        />
      </div>
    </Dialog>
  );
}

type SourceFieldsProps = {
  source: SourceSettings;
  onChange: (change: SettingsChange) => Promise<void>;
};

function SourceFields({ source, onChange }: SourceFieldsProps) {
  const models = useId();
  return (
    <>
      <CommittedInput
        label="Model"
        testId="settings-model"
        value={source.model}
        list={models}
        onCommit={(model) => onChange({ set: "model", source: source.name, model })}
      />
      <datalist id={models}>
        {source.models.map((model) => (
          <option key={model} value={model} />
        ))}
      </datalist>
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
    </>
  );
}

/** Beside the source's name: only what the user may have to act on. */
function keyNote(key: KeyState): string | undefined {
  switch (key.state) {
    case "not_needed":
      return "no key needed";
    case "missing":
      return "no key";
    case "unavailable":
      return "keychain unavailable";
    case "stored":
    case "this_run_only":
    case "environment":
      return undefined;
  }
}
