// Plain text with what guards redacted in it: a placeholder until it is pressed and Rust has asked;
// once the user agreed for the session, what they said themselves stands there, marked.

import { useState } from "react";
import type { Restored } from "../host/protocol";
import { PLACEHOLDER } from "../state/restored";
import { useStore } from "../state/use";

type Props = { text: string; restored: readonly Restored[] | undefined };

export function RestoredText({ text, restored }: Props) {
  if (!restored || restored.length === 0) return text;
  const known = new Map(restored.map((it) => [it.placeholder, it]));
  return text.split(PLACEHOLDER).map((part, at) => {
    const found = known.get(part);
    if (!found) return part;
    // biome-ignore lint/suspicious/noArrayIndexKey: a part has no other name than its place.
    return <Original key={at} {...found} />;
  });
}

function Original({ placeholder, original }: Restored) {
  if (original === undefined) return <Taken placeholder={placeholder} />;
  const saw = `The provider saw ${placeholder}`;
  return (
    <mark className="restored" title={saw} aria-description={saw}>
      {original}
    </mark>
  );
}

function Taken({ placeholder }: { placeholder: string }) {
  const store = useStore();
  const [original, setOriginal] = useState<string>();
  return (
    <button
      type="button"
      className="taken"
      aria-expanded={original !== undefined}
      title={original === undefined ? TAKEN : `Stored as ${placeholder}`}
      onClick={async () =>
        setOriginal(original === undefined ? await store.showOriginal(placeholder) : undefined)
      }
    >
      {original ?? placeholder}
    </button>
  );
}

const TAKEN = "A guard redacted this. Press to show it.";
