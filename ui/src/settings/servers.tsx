// Servers of the user's own, each a source under its name. Adding and removing one is confirmed
// in another window.

import { type FormEvent, useId, useRef, useState } from "react";
import { Button } from "../design/button";
import type { ErrorBody, ServerKind } from "../host/protocol";
import { shown } from "../state/declined";
import { useApp, useStore } from "../state/use";

const kinds: readonly { value: ServerKind; label: string }[] = [
  { value: "openai", label: "OpenAI, chat completions" },
  { value: "responses", label: "OpenAI, Responses" },
  { value: "anthropic", label: "Anthropic, Messages" },
];

export function Servers() {
  const store = useStore();
  const { sources } = useApp("settings");
  const add = useRef<HTMLButtonElement>(null);
  const [adding, setAdding] = useState(false);
  const [error, setError] = useState<ErrorBody>();
  const own = sources.filter((source) => source.own);

  function close() {
    setAdding(false);
    add.current?.focus();
  }

  async function remove(name: string) {
    setError(shown(await store.changeSettings({ set: "remove_server", name })));
    add.current?.focus();
  }

  return (
    <section data-testid="settings-servers" aria-label="Your servers">
      <div className="flex items-baseline justify-between gap-3">
        <h3 className="font-medium">Your servers</h3>
        <button
          ref={add}
          type="button"
          data-testid="settings-server-add"
          className="quiet-button"
          onClick={() => setAdding(true)}
        >
          Add a server
        </button>
      </div>
      <p className="mt-1 text-[12px] text-ink3">
        Each is a source of its own, with its own address and key.
      </p>
      {error ? (
        <p role="alert" className="mt-1.5 text-[12px] text-bad">
          {error.message}
        </p>
      ) : null}
      <ul>
        {own.map(({ name, baseUrl }) => (
          <li
            key={name}
            data-testid="settings-server"
            className="flex items-baseline justify-between gap-3"
          >
            <span className="min-w-0 break-all">
              {name} <span className="mono text-[12px] text-ink3">{baseUrl}</span>
            </span>
            <button
              type="button"
              data-testid="settings-server-remove"
              aria-label={`Remove ${name}`}
              className="quiet-button"
              onClick={() => void remove(name)}
            >
              Remove
            </button>
          </li>
        ))}
      </ul>
      {adding ? <ServerForm onDone={close} /> : null}
    </section>
  );
}

function ServerForm({ onDone }: { onDone: () => void }) {
  const store = useStore();
  const id = useId();
  const form = useRef<HTMLFormElement>(null);
  const [trouble, setTrouble] = useState<string>();
  const [busy, setBusy] = useState(false);

  async function save(event: FormEvent) {
    event.preventDefault();
    if (!form.current || busy) return;
    const typed = Object.fromEntries(new FormData(form.current)) as Record<string, string>;
    const server = {
      name: (typed.name ?? "").trim(),
      kind: typed.kind as ServerKind,
      baseUrl: (typed.baseUrl ?? "").trim(),
    };
    setBusy(true);
    const error = await store.changeSettings({ set: "add_server", server });
    setBusy(false);
    if (error && error.code !== "declined") setTrouble(error.message);
    else onDone();
  }

  const input = (name: string, testId: string, label: string) => (
    <label className="price-model">
      <span className="text-[12px] text-ink2">{label}</span>
      <input
        name={name}
        data-testid={testId}
        className="field mono"
        spellCheck={false}
        autoComplete="off"
        aria-describedby={trouble ? `${id}-trouble` : undefined}
      />
    </label>
  );

  return (
    <form
      ref={form}
      data-testid="settings-server-form"
      aria-label="A new server"
      className="price-form"
      autoComplete="off"
      noValidate
      onSubmit={save}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        // It closes the form, not the page around it.
        event.preventDefault();
        event.stopPropagation();
        onDone();
      }}
    >
      {input("name", "settings-server-name", "Name")}
      {input("baseUrl", "settings-server-address", "Address")}
      <label className="price-model">
        <span className="text-[12px] text-ink2">Speaks</span>
        <select name="kind" data-testid="settings-server-kind" className="field">
          {kinds.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <div className="price-acts">
        <p id={`${id}-trouble`} role="alert" className="mr-auto min-w-0 text-[12px] text-bad">
          {trouble ? <span data-testid="settings-server-error">{trouble}</span> : null}
        </p>
        <Button data-testid="settings-server-cancel" onClick={onDone}>
          Cancel
        </Button>
        <Button type="submit" look="primary" data-testid="settings-server-save" disabled={busy}>
          Add
        </Button>
      </div>
    </form>
  );
}
