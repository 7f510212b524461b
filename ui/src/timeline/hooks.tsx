// The hooks that ran between two blocks. One that held back, failed or has something to say is a
// line of its own; those that passed in silence fold into one.

import { useState } from "react";
import { Fold, FoldChevron } from "../design/fold";
import { formatDuration } from "../design/format";
import { Icon } from "../design/icons";
import type { HookOutcome } from "../host/protocol";
import type { HookRun, HooksBlock } from "../state/block";

const did: Record<HookOutcome, string> = {
  passed: "says",
  blocked: "held back",
  failed: "failed",
  timed_out: "took too long",
  stopped: "was stopped",
};

export function Hooks({ block }: { block: HooksBlock }) {
  const quiet = block.runs.filter((run) => !isLoud(run));
  return (
    <div data-testid="hooks" className="flex flex-col gap-1 text-[13px]">
      {block.runs.filter(isLoud).map((run) => (
        <Loud key={run.eventIndex} run={run} />
      ))}
      {quiet.length > 0 ? <Quiet runs={quiet} /> : null}
    </div>
  );
}

function isLoud({ outcome, message }: HookRun): boolean {
  return outcome !== "passed" || message !== undefined;
}

function Loud({ run }: { run: HookRun }) {
  const [open, setOpen] = useState(false);
  return (
    <div data-testid="hook-note" data-outcome={run.outcome}>
      <button
        type="button"
        aria-expanded={open}
        className="flex max-w-full items-center gap-2 text-left text-ink2"
        onClick={() => setOpen(!open)}
      >
        <Icon name="info" className={run.outcome === "passed" ? "text-ink3" : "text-warn"} />
        <span className="truncate">
          {run.event} hook {did[run.outcome]}
          {run.message ? `: ${run.message}` : ""}
        </span>
        <FoldChevron open={open} />
      </button>
      <Fold open={open}>
        <Details run={run} />
      </Fold>
    </div>
  );
}

function Quiet({ runs }: { runs: readonly HookRun[] }) {
  const [open, setOpen] = useState(false);
  return (
    <div data-testid="hooks-passed" className="text-ink3">
      <button
        type="button"
        aria-expanded={open}
        className="flex items-center gap-2"
        onClick={() => setOpen(!open)}
      >
        {runs.length === 1 ? "1 hook ran" : `${runs.length} hooks ran`}
        <FoldChevron open={open} />
      </button>
      <Fold open={open}>
        {runs.map((run) => (
          <Details key={run.eventIndex} run={run} />
        ))}
      </Fold>
    </div>
  );
}

function Details({ run }: { run: HookRun }) {
  return (
    <div className="mt-1 border-line2 border-l-2 pl-3 text-ink2">
      <p className="break-words">
        <span className="mono">{run.command}</span>{" "}
        <span className="text-ink3">
          at {run.event}, {formatDuration(run.durationMs)}
        </span>
      </p>
      {run.message ? <p className="whitespace-pre-wrap break-words">{run.message}</p> : null}
      {run.context ? (
        <p className="whitespace-pre-wrap break-words">Told the model: {run.context}</p>
      ) : null}
    </div>
  );
}
