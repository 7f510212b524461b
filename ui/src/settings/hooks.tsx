// The hooks of the folders the user trusts: when each runs, what it is, and one try on a sample.
// Nothing is added or agreed to here: Rust asks about both in dialogs of its own.

import { useCallback, useEffect, useState } from "react";
import { Button } from "../design/button";
import { formatDuration } from "../design/format";
import { toErrorBody } from "../host/host";
import type { HookOutcome, HookStanding, HookSummary, HookTrial } from "../host/protocol";
import { useStore } from "../state/use";

export function Hooks() {
  const store = useStore();
  const [hooks, setHooks] = useState<readonly HookSummary[]>();
  const [error, setError] = useState<string>();

  const load = useCallback(async () => {
    try {
      setHooks(await store.hooks());
      setError(undefined);
    } catch (thrown) {
      setError(toErrorBody(thrown).message);
    }
  }, [store]);
  useEffect(() => void load(), [load]);

  async function agree(project: string) {
    try {
      await store.trustProject(project);
      await load();
    } catch (thrown) {
      setError(words(thrown));
    }
  }

  return (
    <section data-testid="settings-hooks" aria-label="Hooks">
      <h3 className="font-medium">Hooks</h3>
      <p className="mt-1 text-[12px] text-ink3">
        Commands that the folders you trust run at points of a session, from their{" "}
        <span className="mono">.claude/settings.json</span>. Files and folders under{" "}
        <span className="mono">watch</span> in a hook are compared before each run too.
        {hooks?.length === 0 ? " There are none." : ""}
      </p>
      {error ? (
        <p role="alert" className="mt-1.5 text-[12px] text-bad">
          {error}
        </p>
      ) : null}
      <ul className="mt-2 flex flex-col gap-2">
        {hooks?.map((hook) => (
          <HookItem key={`${hook.project} ${hook.id}`} hook={hook} onAgree={agree} />
        ))}
      </ul>
    </section>
  );
}

type ItemProps = { hook: HookSummary; onAgree: (project: string) => Promise<void> };

function HookItem({ hook, onAgree }: ItemProps) {
  const store = useStore();
  const [trial, setTrial] = useState<HookTrial>();
  const [error, setError] = useState<string>();
  const [busy, setBusy] = useState(false);

  async function run() {
    setBusy(true);
    try {
      setTrial(await store.tryHook(hook));
      setError(undefined);
    } catch (thrown) {
      setError(words(thrown));
    }
    setBusy(false);
  }

  const of = hook.matcher === "" || hook.matcher === "*" ? "" : ` of ${hook.matcher}`;
  return (
    <li data-testid="settings-hook" className="rounded-md border border-line2 px-3 py-2">
      <p className="flex items-baseline justify-between gap-3">
        <span className="min-w-0 truncate">
          {hook.event}
          {of} <span className="text-ink3">in {hook.projectName}</span>
        </span>
        {hook.standing === "agreed" ? (
          <Button data-testid="settings-hook-try" disabled={busy} onClick={() => void run()}>
            {busy ? "Running…" : "Run on a sample"}
          </Button>
        ) : (
          <Button data-testid="settings-hook-agree" onClick={() => void onAgree(hook.project)}>
            Review…
          </Button>
        )}
      </p>
      <p className="mono mt-1 break-words text-[12px]">{hook.command}</p>
      <p className="mt-1 text-[12px] text-ink3">
        {standings[hook.standing] === "" ? null : (
          <strong className="font-medium text-warn">{standings[hook.standing]} </strong>
        )}
        {facts(hook)}
      </p>
      <Watched hook={hook} />
      {error ? (
        <p role="alert" className="mt-1.5 text-[12px] text-bad">
          {error}
        </p>
      ) : null}
      {trial ? <TrialView trial={trial} /> : null}
    </li>
  );
}

/** What is compared before each run, and that this is all. */
function Watched({ hook }: { hook: HookSummary }) {
  if (hook.standing === "changed" || hook.standing === "gone") return null;
  return (
    <div data-testid="settings-hook-watched" className="mt-1 text-[12px] text-ink3">
      {hook.problem ? (
        <p className="text-warn">It cannot be watched, so it does not run: {hook.problem}.</p>
      ) : null}
      {hook.watched.length === 0 ? (
        <p>It watches no file: its command names none.</p>
      ) : (
        <>
          <p>Compared before each run; what these run in turn is not:</p>
          <ul className="mono">
            {hook.watched.map((line) => (
              <li key={line} className="break-words">
                {line}
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

const standings: Record<HookStanding, string> = {
  agreed: "",
  waiting: "Not what you agreed to, so it does not run.",
  changed: "It has changed: what it guards is held back until you trust the folder again.",
  gone: "It is gone: what it guards is held back until you trust the folder again.",
};

/** Nobody knows how long one may take that is not there. */
function facts({ origin, timeoutMs, failsClosed }: HookSummary): string {
  const patience = timeoutMs > 0 ? `ended after ${formatDuration(timeoutMs)}` : "";
  const failing = failsClosed ? "holds back when it fails" : "lets through when it fails";
  return [origin, patience, failing].filter((fact) => fact !== "").join(", ");
}

const outcomes: Record<HookOutcome, string> = {
  passed: "It passed",
  blocked: "It held back",
  failed: "It failed",
  timed_out: "It took too long",
  stopped: "It was stopped",
};

function TrialView({ trial }: { trial: HookTrial }) {
  const code = trial.exitCode === undefined ? "" : `, exit code ${trial.exitCode}`;
  return (
    <div data-testid="settings-hook-trial" role="status" className="mt-2 text-[12px]">
      <p>
        {outcomes[trial.outcome]} after {formatDuration(trial.durationMs)}
        {code}.
      </p>
      {trial.message ? <p className="whitespace-pre-wrap text-ink2">{trial.message}</p> : null}
      <Output name="stdout" text={trial.stdout} />
      <Output name="stderr" text={trial.stderr} />
    </div>
  );
}

/** What is shown of it; the rest helps nobody here. */
const EXCERPT = 2_000;

function Output({ name, text }: { name: string; text: string }) {
  if (text === "") return null;
  return (
    <>
      <p className="mt-1 text-ink3">{name}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard. */}
      <pre className="tool-lines max-h-40 rounded-md" tabIndex={0}>
        {text.length > EXCERPT ? `${text.slice(0, EXCERPT)}…` : text}
      </pre>
    </>
  );
}

function words(thrown: unknown): string {
  const { code, message } = toErrorBody(thrown);
  return code === "declined" ? "Nothing was run or changed: you declined." : message;
}
