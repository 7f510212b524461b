// The guards, everywhere or in one project: every rule, the user's own words and patterns, and a
// box to try them. Each change goes to Rust at once, one after the other; what would hold back
// less is confirmed in another window.

import { useEffect, useRef, useState } from "react";
import type { ErrorBody, GuardSettings } from "../host/protocol";
import { useApp, useStore } from "../state/use";
import { GuardList } from "./guard_list";
import { OwnRules } from "./guard_own";
import type { GuardChange } from "./guard_stage";
import { TryGuards } from "./guard_try";

/** No path is empty. */
const everywhere = "";

export function Guards() {
  const store = useStore();
  const { known } = useApp("projects");
  const [path, setPath] = useState(everywhere);
  const project = path === everywhere ? null : path;
  const [settings, setSettings] = useState<GuardSettings>();
  const [error, setError] = useState<ErrorBody>();
  /** What the last change of this place left: each begins with what the one before it did. */
  const last = useRef<Promise<GuardSettings | undefined>>(undefined);

  useEffect(() => {
    let current = true;
    last.current = store
      .ask((host) => host.guards(project))
      .then(({ value, error }) => {
        if (current) {
          setSettings(value);
          setError(error);
        }
        return value;
      });
    return () => {
      current = false;
    };
  }, [store, project]);

  /** Answers why the change was refused, or nothing when it holds. */
  const change: GuardChange = async (next) => {
    const before = last.current;
    const asked = store.ask(async (host) => {
      const held = await before;
      return held && host.changeGuards(project, next(held.config));
    });
    const left = asked.then(({ value }) => value ?? before);
    last.current = left;
    const { value, error } = await asked;
    // Another place may have been chosen, or another change made, in the meantime.
    if (value && last.current === left) setSettings(value);
    return error;
  };

  return (
    <section data-testid="settings-guards" aria-label="Guards">
      <div className="flex items-center justify-between gap-3">
        <h3 className="font-medium">Guards</h3>
        {known.length > 0 ? (
          <label className="chip chip-select">
            <span className="sr-only">Guards for</span>
            <select
              data-testid="guards-project"
              value={path}
              onChange={(event) => setPath(event.target.value)}
            >
              <option value={everywhere}>Everywhere</option>
              {known.map(({ path, name }) => (
                <option key={path} value={path} title={path}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        ) : null}
      </div>
      <p className="mt-1 text-[12px] text-ink3">
        {project === null
          ? "Looked for in what is sent and in what is said. Redacted means that a placeholder goes out and you still see the original."
          : "What is not chosen here is as everywhere. What the project’s own file makes stricter is marked, and is changed in that file alone."}
      </p>
      {settings?.trouble ? (
        <p role="alert" className="mt-1.5 text-[12px] text-bad">
          {settings.trouble} Until it is mended, nothing is sent.
        </p>
      ) : null}
      {settings?.notices?.map((notice) => (
        <p key={notice} data-testid="guards-notice" className="mt-1.5 text-[12px] text-ink2">
          {notice}
        </p>
      ))}
      {error ? (
        <p role="alert" data-testid="guards-error" className="mt-1.5 text-[12px] text-bad">
          {error.message}
        </p>
      ) : null}
      {settings ? (
        <>
          <GuardList settings={settings} onChange={change} />
          <OwnRules key={path} settings={settings} onChange={change} />
          <TryGuards project={project} />
        </>
      ) : null}
    </section>
  );
}
