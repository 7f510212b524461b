// The guards: every rule by its category, the user's own words and patterns, and a box to try
// them. Each change goes to Rust at once; what would hold back less is asked about natively.

import { useEffect, useState } from "react";
import { toErrorBody } from "../host/host";
import type { ErrorBody, GuardConfig, GuardRule, GuardSettings } from "../host/protocol";
import { useStore } from "../state/use";
import { GuardCategory } from "./guard_category";
import { OwnRules } from "./guard_own";
import { TryGuards } from "./guard_try";

const categories: readonly (readonly [GuardRule["category"], string])[] = [
  ["secret", "Secrets"],
  ["personal", "Personal data"],
  ["injection", "Instructions to the model"],
  ["custom", "Limits"],
];

export function Guards() {
  const store = useStore();
  const [settings, setSettings] = useState<GuardSettings>();
  const [error, setError] = useState<ErrorBody>();

  useEffect(() => {
    store.guards().then(setSettings, (thrown) => setError(toErrorBody(thrown)));
  }, [store]);

  /** Answers why the change was refused, or nothing when it holds. */
  async function change(config: GuardConfig): Promise<ErrorBody | undefined> {
    try {
      setSettings(await store.changeGuards(config));
      setError(undefined);
      return undefined;
    } catch (thrown) {
      const refusal = toErrorBody(thrown);
      setError(refusal);
      return refusal;
    }
  }

  return (
    <section data-testid="settings-guards" aria-label="Guards">
      <h3 className="font-medium">Guards</h3>
      <p className="mt-1 text-[12px] text-ink3">
        Looked for in what is sent and in what is said. Redacted means that a placeholder goes out
        and you still see the original.
      </p>
      {settings?.trouble ? (
        <p role="alert" className="mt-1.5 text-[12px] text-bad">
          {settings.trouble} Until it is mended, nothing is sent.
        </p>
      ) : null}
      {error ? (
        <p role="alert" data-testid="guards-error" className="mt-1.5 text-[12px] text-bad">
          {error.code === "declined"
            ? "Nothing was changed: the confirmation was declined."
            : error.message}
        </p>
      ) : null}
      {settings ? (
        <>
          {categories.map(([category, title]) => (
            <GuardCategory
              key={category}
              title={title}
              rules={settings.rules.filter((rule) => rule.category === category)}
              config={settings.config}
              onChange={change}
            />
          ))}
          <OwnRules config={settings.config} onChange={change} />
          <TryGuards />
        </>
      ) : null}
    </section>
  );
}
