// A source's key: it can be given and taken away, never read. What is typed stays in the input
// element until it is handed to Rust, and is in no state of ours.

import { type FormEvent, useId, useRef, useState } from "react";
import { Button } from "../design/button";
import type { ErrorBody, KeyState } from "../host/protocol";
import { shown } from "../state/declined";
import { useStore } from "../state/use";

export function KeyField({ source, state }: { source: string; state: KeyState }) {
  const store = useStore();
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<ErrorBody>();
  const removable = state.state === "stored" || state.state === "this_run_only";

  async function run(work: () => Promise<ErrorBody | undefined>) {
    setBusy(true);
    setError(shown(await work()));
    setBusy(false);
  }

  function save(event: FormEvent) {
    event.preventDefault();
    const element = input.current;
    const key = element?.value.trim() ?? "";
    if (!element || key === "") return;
    element.value = "";
    void run(() => store.setKey(source, key));
  }

  return (
    <form onSubmit={save} autoComplete="off">
      <label className="mb-1.5 block font-medium" htmlFor={id}>
        Key
      </label>
      <div className="flex gap-2">
        <input
          ref={input}
          id={id}
          type="password"
          data-testid="settings-key"
          className="field mono"
          placeholder={removable ? "Type to replace it" : "Paste the key"}
          autoComplete="new-password"
          spellCheck={false}
          aria-describedby={`${id}-state`}
        />
        <Button type="submit" data-testid="settings-key-save" disabled={busy}>
          Save
        </Button>
        {removable ? (
          <Button
            data-testid="settings-key-remove"
            disabled={busy}
            onClick={() => void run(() => store.deleteKey(source))}
          >
            Remove
          </Button>
        ) : null}
      </div>
      <p
        id={`${id}-state`}
        data-testid="settings-key-state"
        data-state={state.state}
        className="mt-1.5 text-[12px] text-ink3"
      >
        {keyStateText(state)}
      </p>
      {error ? (
        <p role="alert" className="mt-1.5 text-[12px] text-bad">
          {error.message} The key was not kept.
        </p>
      ) : null}
    </form>
  );
}

export function keyStateText(key: KeyState): string {
  switch (key.state) {
    case "not_needed":
      return "This source needs no key.";
    case "missing":
      return "No key stored.";
    case "optional":
      return "No key stored. This source can do without.";
    case "stored":
      return "A key is stored in the keychain.";
    case "this_run_only":
      return `The key is kept until Weir closes, and written nowhere: ${key.reason}`;
    case "environment":
      return `The key comes from the environment variable ${key.variable}.`;
    case "unavailable":
      return `The keychain could not be asked: ${key.reason}`;
  }
}
