// The settings page: sources on the left, what the chosen one needs and the rest on the right.
// Each change goes to Rust at once; a base URL is confirmed in another window first.

import { useEffect, useState } from "react";
import { Choice } from "../design/choice";
import { Dialog } from "../design/dialog";
import type { ErrorBody, SettingsChange, Theme } from "../host/protocol";
import { shown } from "../state/declined";
import { sourceOf } from "../state/offers";
import { useApp, useStore } from "../state/use";
import { Budgets } from "./budgets";
import { Guards } from "./guards";
import { Hooks } from "./hooks";
import { type Level, levels } from "./levels";
import { MemorySettings } from "./memory";
import { Prices } from "./prices";
import { Servers } from "./servers";
import { SourceFields } from "./source_fields";
import { SourceChoice } from "./sources";

const themes: readonly { value: Theme; label: string }[] = [
  { value: "system", label: "System" },
  { value: "light", label: "Light" },
  { value: "dark", label: "Dark" },
];

export function SettingsDialog({ onClose }: { onClose: () => void }) {
  const store = useStore();
  const settings = useApp("settings");
  const [error, setError] = useState<ErrorBody>();
  const source = sourceOf(settings);
  useEffect(() => {
    void store.look();
    // A source that was chosen in an earlier run has not been asked in this one.
    store.askModels();
  }, [store]);

  async function change(next: SettingsChange) {
    setError(shown(await store.changeSettings(next)));
  }

  return (
    <Dialog
      title="Settings"
      testId="settings"
      closeTestId="settings-close"
      width="w-[900px]"
      onClose={onClose}
    >
      {error ? (
        <p role="alert" className="composer-error mx-5">
          {error.message}
        </p>
      ) : null}
      <div className="settings">
        <div className="settings-side">
          <SourceChoice onChange={(name) => void change({ set: "source", source: name })} />
        </div>
        <div className="settings-rest">
          {source ? <SourceFields key={source.name} source={source} onChange={change} /> : null}
          <Choice
            legend={
              typeof settings.thinking === "number"
                ? `Thinking: ${settings.thinking} tokens`
                : "Thinking"
            }
            name="thinking"
            testId="settings-thinking"
            value={settings.thinking as Level}
            options={levels}
            onChange={(thinking) => void change({ set: "thinking", thinking })}
          />
          <Choice
            legend="Theme"
            name="theme"
            testId="settings-theme"
            value={settings.theme}
            options={themes}
            onChange={(theme) => void change({ set: "theme", theme })}
          />
          <Servers />
          <MemorySettings />
          <Prices />
          <Budgets />
          <Guards />
          <Hooks />
        </div>
      </div>
    </Dialog>
  );
}
