// A session without a prompt: what this is, in one sentence, and one button.

import { type ReactNode, useState } from "react";
import { Button } from "./design/button";
import type { ErrorBody, SourceSettings } from "./host/protocol";
import { useOpenSettings } from "./settings/opener";
import { answeringModels, hasKey, isHere, placeOf, sourceOf, wantsKey } from "./state/offers";
import { useApp, useStore } from "./state/use";

export function Welcome() {
  const source = sourceOf(useApp("settings"));
  return (
    <div data-testid="welcome" className="welcome">
      <div className="max-w-[460px] text-center">
        <Mark />
        <p className="mt-5 text-[17px] text-balance leading-normal">
          Weir is a chat for every model, where nothing you have seen is ever lost and your keys
          stay in the keychain.
        </p>
        {source ? <FirstStep source={source} /> : null}
        <AlsoHere />
      </div>
    </div>
  );
}

/** The one button, by what the source still needs. */
function FirstStep({ source }: { source: SourceSettings }) {
  const openSettings = useOpenSettings();
  if (source.key.state === "not_needed") return <TryDemo />;
  if (!wantsKey(source)) return <Ready source={source} />;
  return (
    <>
      <Button look="primary" className="mt-5" onClick={openSettings}>
        Open Settings
      </Button>
      <Hint>{source.label} wants a key before it answers</Hint>
    </>
  );
}

function Ready({ source }: { source: SourceSettings }) {
  const openSettings = useOpenSettings();
  const asked = useApp("asked");
  const found = useApp("found");
  const missing = source.local && found.sources && !answeringModels(source, asked, found);
  if (!missing) return <Hint>Ask {source.label} something below</Hint>;
  return (
    <>
      <Button look="primary" className="mt-5" onClick={openSettings}>
        Open Settings
      </Button>
      <Hint>
        {source.label}{" "}
        {isHere(source) ? "is not running here" : `gives no answer at ${placeOf(source)}`}: start
        it, or choose another source
      </Hint>
    </>
  );
}

/** What else could answer: a server that was found, or, with no key at all, where to put one. */
function AlsoHere() {
  const store = useStore();
  const openSettings = useOpenSettings();
  const settings = useApp("settings");
  const found = useApp("found");
  const others = settings.sources.filter(
    ({ name }) => name !== settings.source && found.sources?.some((here) => here.name === name),
  );
  const onDemo = sourceOf(settings)?.key.state === "not_needed";

  async function use(source: string) {
    const error = await store.changeSettings({ set: "source", source });
    if (error) store.notify(error);
  }

  if (others.length > 0) {
    return (
      <Hint>
        {others.map((source) => (
          <button
            key={source.name}
            type="button"
            data-testid="welcome-found"
            data-value={source.name}
            title={`Ask ${source.label}`}
            className="quiet-button mx-1.5"
            onClick={() => void use(source.name)}
          >
            {source.label} {isHere(source) ? "is running here" : `answers at ${placeOf(source)}`}
          </button>
        ))}
      </Hint>
    );
  }
  if (!onDemo || settings.sources.some(hasKey)) return null;
  return (
    <Hint>
      <button
        type="button"
        data-testid="welcome-key"
        className="quiet-button"
        onClick={openSettings}
      >
        Have a key? Ask a real model
      </button>
    </Hint>
  );
}

function TryDemo() {
  const store = useStore();
  const [busy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<ErrorBody>();

  async function tryDemo() {
    setBusy(true);
    setRefusal(await store.send(null, "Show me everything"));
    setBusy(false);
  }

  return (
    <>
      <Button
        look="primary"
        data-testid="try-demo"
        className="mt-5"
        disabled={busy}
        onClick={tryDemo}
      >
        Try the demo
      </Button>
      <Hint>or ask something below</Hint>
      {refusal ? (
        <p role="alert" className="mt-3 text-bad">
          {refusal.message}
        </p>
      ) : null}
    </>
  );
}

function Hint({ children }: { children: ReactNode }) {
  return <p className="mt-3 text-[13px] text-ink3">{children}</p>;
}

/** A low wall in a stream. */
function Mark() {
  return (
    <svg
      viewBox="0 0 64 40"
      className="mx-auto h-10 w-16 text-acc"
      fill="none"
      stroke="currentColor"
      aria-hidden="true"
    >
      <g strokeWidth="2" strokeLinecap="round">
        <path d="M2 9c5-3 9-3 14 0s9 3 14 0" />
        <path d="M2 17c5-3 9-3 14 0s9 3 14 0" opacity=".6" />
        <path d="M34 8v26" stroke="var(--ink)" strokeWidth="3" />
        <path d="M38 9c6 1 8 6 9 14" />
        <path d="M38 16c3 1 4 4 5 8" opacity=".6" />
        <path d="M40 31c4-2 7-2 11 0s7 2 11 0" />
      </g>
    </svg>
  );
}
