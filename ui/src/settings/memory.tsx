// What is remembered, by project: the switch, and the list to search, edit and forget in.

import { useEffect, useId, useState } from "react";
import { Choice } from "../design/choice";
import type { ErrorBody, MemoryList, MemorySwitch } from "../host/protocol";
import { MemoryRow } from "../memory/row";
import { shown } from "../state/declined";
import { useApp, useStore } from "../state/use";

const switches: readonly { value: MemorySwitch; label: string }[] = [
  { value: "on", label: "On" },
  { value: "off", label: "Off" },
];

/** No path is empty. */
const none = "";

/** More than one looks through; the rest is found by searching. */
const MOST_SHOWN = 50;

export function MemorySettings() {
  const store = useStore();
  const { known, kept, chosen } = useApp("projects");
  const [path, setPath] = useState((kept ?? chosen)?.path ?? none);
  const [list, setList] = useState<MemoryList>();
  const [error, setError] = useState<ErrorBody>();

  useEffect(() => {
    let current = true;
    void store
      .ask((host) => host.memories(path === none ? null : path))
      .then(({ value, error }) => {
        if (!current) return;
        setError(error);
        setList(value);
      });
    return () => {
      current = false;
    };
  }, [store, path]);

  async function change(next: MemorySwitch) {
    const { error } = await store.ask((host) =>
      host.switchMemory(path === none ? null : path, next),
    );
    setError(shown(error));
    if (!error && list) setList({ ...list, switch: next });
  }

  return (
    <section data-testid="settings-memory" aria-label="Memory" className="flex flex-col gap-3">
      <div>
        <div className="flex items-center justify-between gap-3">
          <h3 className="font-medium">Memory</h3>
          <label className="chip chip-select">
            <span className="sr-only">Project</span>
            <select
              data-testid="settings-memory-project"
              value={path}
              onChange={(event) => setPath(event.target.value)}
            >
              <option value={none}>Sessions without a project</option>
              {known.map(({ path, name }) => (
                <option key={path} value={path} title={path}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        </div>
        <p className="mt-1 text-[12px] text-ink3">
          Where it is on, lasting things that you say are kept on this machine, and the five that
          fit best go to the model with the first prompt of a session.
        </p>
      </div>
      {error ? (
        <p role="alert" className="text-[12px] text-bad">
          {error.message}
        </p>
      ) : null}
      {list ? (
        <>
          <Choice
            legend="Remember"
            name="memory"
            testId="settings-memory-switch"
            value={list.switch}
            options={switches}
            onChange={(next) => void change(next)}
          />
          <Remembered key={path} path={path} list={list} onChange={setList} />
        </>
      ) : null}
    </section>
  );
}

type RememberedProps = {
  path: string;
  list: MemoryList;
  onChange: (list: MemoryList) => void;
};

function Remembered({ path, list, onChange }: RememberedProps) {
  const store = useStore();
  const search = useId();
  const [typed, setTyped] = useState("");
  const [error, setError] = useState<ErrorBody>();
  const { memories } = list;
  const words = typed.toLowerCase().split(/\s+/);
  const found = memories.filter(({ content }) => {
    const said = content.toLowerCase();
    return words.every((word) => said.includes(word));
  });

  async function forgetAll() {
    const project = path === none ? undefined : path;
    const { error } = await store.ask((host) => host.forget({ forget: "project", project }));
    setError(shown(error));
    if (!error) onChange({ ...list, memories: [] });
  }

  if (memories.length === 0) {
    return <p className="text-[12px] text-ink3">Nothing is remembered here.</p>;
  }
  return (
    <div>
      <div className="flex items-center gap-3">
        <label className="sr-only" htmlFor={search}>
          Search memories
        </label>
        <input
          id={search}
          type="search"
          data-testid="settings-memory-search"
          className="field"
          placeholder={`Search ${memories.length}`}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
        <button
          type="button"
          data-testid="settings-memory-forget-all"
          className="quiet-button shrink-0"
          onClick={() => void forgetAll()}
        >
          Forget all
        </button>
      </div>
      {error ? (
        <p role="alert" className="mt-1 text-[12px] text-bad">
          {error.message}
        </p>
      ) : null}
      <ul aria-label="Memories" className="mt-2">
        {found.slice(0, MOST_SHOWN).map((memory) => (
          <MemoryRow
            key={memory.id}
            memory={memory}
            showsSession
            onEdited={(edited) =>
              onChange({
                ...list,
                memories: memories.map((other) => (other.id === edited.id ? edited : other)),
              })
            }
            onForgotten={(isGone) =>
              onChange({ ...list, memories: memories.filter((other) => !isGone(other)) })
            }
          />
        ))}
      </ul>
      <p role="status" className="mt-1 text-[12px] text-ink3">
        {told(found.length, typed)}
      </p>
    </div>
  );
}

function told(found: number, typed: string): string {
  if (found === 0) return "None says that.";
  if (found > MOST_SHOWN) return `${MOST_SHOWN} of ${found} are shown. Search for the others.`;
  return typed.trim() === "" ? "" : `${found} found.`;
}
