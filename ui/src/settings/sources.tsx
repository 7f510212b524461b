// Every source, as one group of radio buttons in two parts, each with how it stands beside it.

import { useId } from "react";
import type { KeyState, SourceSettings } from "../host/protocol";
import { type Asked, answeringModels, type Found, isHere } from "../state/offers";
import { useApp, useStore } from "../state/use";

export function SourceChoice({ onChange }: { onChange: (source: string) => void }) {
  const { sources } = useApp("settings");
  return (
    <fieldset className="min-w-0" data-testid="settings-source">
      <legend className="sr-only">Source</legend>
      <Part title="Providers" sources={sources.filter(({ local }) => !local)} onChange={onChange} />
      <Part
        title="On this machine"
        sources={sources.filter(({ local }) => local)}
        onChange={onChange}
      >
        <Look />
      </Part>
    </fieldset>
  );
}

type PartProps = {
  title: string;
  sources: readonly SourceSettings[];
  onChange: (source: string) => void;
  children?: React.ReactNode;
};

function Part({ title, sources, onChange, children }: PartProps) {
  const id = useId();
  const { source: chosen } = useApp("settings");
  const asked = useApp("asked");
  const found = useApp("found");
  if (sources.length === 0) return null;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a second fieldset would be read as a second choice.
    <div role="group" aria-labelledby={id} className="source-part">
      <div className="source-title">
        <h3 id={id}>{title}</h3>
        {children}
      </div>
      <div className="choice-list">
        {sources.map((source) => {
          const note = stateNote(source, asked, found);
          return (
            <label
              key={source.name}
              data-value={source.name}
              className="choice"
              title={note ? `${source.label}: ${note}` : undefined}
            >
              <input
                type="radio"
                name="source"
                value={source.name}
                checked={source.name === chosen}
                onChange={() => onChange(source.name)}
              />
              <span className="min-w-0 truncate">{source.label}</span>
              {note ? <span className="source-note">{note}</span> : null}
            </label>
          );
        })}
      </div>
    </div>
  );
}

/** Looking takes a moment and is never waited for. */
function Look() {
  const store = useStore();
  const { looking, sources = [], error } = useApp("found");
  const words = sources.length === 1 ? "1 server answers" : `${sources.length} servers answer`;
  return (
    <>
      <span role="status" className="sr-only">
        {looking ? "" : error ? `Weir could not look: ${error.message}` : words}
      </span>
      <button
        type="button"
        data-testid="settings-look"
        aria-disabled={looking}
        title={error?.message}
        className="quiet-button"
        onClick={() => void store.look()}
      >
        {looking ? "Looking…" : error ? "Could not look. Try again" : "Look again"}
      </button>
    </>
  );
}

/** How a source stands, in as few words as a line has room for. */
export function stateNote(source: SourceSettings, asked: Asked, found: Found): string | undefined {
  if (!source.local) return keyNote(source.key);
  const models = answeringModels(source, asked, found);
  const [runs, runsNot] = isHere(source)
    ? ["running here", "not running"]
    : ["answers", "no answer"];
  if (models) return `${runs} · ${countModels(models.length)}`;
  return found.sources ? runsNot : undefined;
}

export function countModels(count: number): string {
  return count === 0 ? "no models" : count === 1 ? "1 model" : `${count} models`;
}

function keyNote(key: KeyState): string {
  switch (key.state) {
    case "not_needed":
      return "no key needed";
    case "missing":
      return "no key";
    case "optional":
      return "key optional";
    case "stored":
      return "key stored";
    case "this_run_only":
      return "key for this run";
    case "environment":
      return "key in environment";
    case "unavailable":
      return "no keychain";
  }
}
