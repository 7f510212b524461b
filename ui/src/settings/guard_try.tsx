// A box to try the guards in: a text goes in, the verdict and what was found come out. Nothing
// of it is saved or sent.

import { useRef, useState } from "react";
import { Button } from "../design/button";
import { Choice } from "../design/choice";
import type { GuardStage, GuardTrial } from "../host/protocol";
import { useStore } from "../state/use";

const stages: readonly { value: GuardStage; label: string }[] = [
  { value: "input", label: "Sent" },
  { value: "output", label: "Said" },
];

type Tried = { project: string | null; trial?: GuardTrial; trouble?: string };

export function TryGuards({ project }: { project: string | null }) {
  const store = useStore();
  const area = useRef<HTMLTextAreaElement>(null);
  const [stage, setStage] = useState<GuardStage>("input");
  const [tried, setTried] = useState<Tried>();
  // What was tried in another place says nothing of this one.
  const { trial, trouble } = tried?.project === project ? tried : {};

  async function run() {
    const text = area.current?.value ?? "";
    const { value, error } = await store.ask((host) => host.tryGuards(project, stage, text));
    setTried({ project, trial: value, trouble: error?.message });
  }

  return (
    <div className="mt-4" data-testid="guards-try">
      <Choice
        legend="Try them"
        name="guard-stage"
        testId="guard-try-stage"
        value={stage}
        options={stages}
        onChange={setStage}
      />
      <textarea
        ref={area}
        aria-label="A text to try the guards on"
        data-testid="guard-try-text"
        className="field mt-1.5 w-full"
        rows={3}
        spellCheck={false}
        autoComplete="off"
      />
      <Button className="mt-1.5" data-testid="guard-try-run" onClick={() => void run()}>
        Try
      </Button>
      {trouble ? (
        <p role="alert" className="mt-1.5 text-[12px] text-bad">
          {trouble}
        </p>
      ) : null}
      {trial ? (
        <div data-testid="guard-trial" role="status" className="mt-1.5 text-[12px] text-ink2">
          <p>
            Verdict: <strong>{trial.verdict}</strong>
          </p>
          <pre className="tool-lines mt-1 whitespace-pre-wrap rounded-md">{trial.text}</pre>
          <ul>
            {trial.detections.map(({ rule, category, start, end }) => (
              <li key={`${rule} ${start}`}>
                <span className="mono">{rule}</span> · {category} · bytes {start} to {end}
              </li>
            ))}
          </ul>
        </div>
      ) : null}
    </div>
  );
}
