// A title being changed in place: Enter or leaving keeps it, Escape does not.

import { useEffect, useRef } from "react";
import type { SessionSummary } from "../host/protocol";
import { useStore } from "../state/use";

type Props = { session: SessionSummary; className?: string; onDone: () => void };

export function RenameInput({ session, className, onDone }: Props) {
  const store = useStore();
  const input = useRef<HTMLInputElement>(null);
  const done = useRef(false);
  useEffect(() => input.current?.select(), []);

  function finish(outcome: "keep" | "drop") {
    // Leaving the input because it goes away must not rename a second time.
    if (done.current) return;
    done.current = true;
    const title = input.current?.value.trim() ?? "";
    if (outcome === "keep" && title !== "" && title !== session.title)
      void store.rename(session.id, title);
    onDone();
  }

  return (
    <input
      ref={input}
      data-testid="rename-input"
      aria-label="Title"
      className={`rename ${className ?? ""}`}
      defaultValue={session.title}
      onBlur={() => finish("keep")}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key === "Enter") finish("keep");
        if (event.key === "Escape") finish("drop");
      }}
    />
  );
}
