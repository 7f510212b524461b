// What was deleted just now, and the way back: a quiet line for ten seconds, which waits while it
// is pointed at or has the keyboard. Ctrl+Z brings the last one back.

import { useEffect, useRef, useState } from "react";
import { Icon } from "../design/icons";
import { keyName } from "../design/kbd";
import type { SessionSummary } from "../host/protocol";
import { useApp, useStore } from "../state/use";

/** How long a deleted session is offered back, in milliseconds. */
export const OFFER = 10_000;

export function Removed() {
  const removed = useApp("removed");
  useUndoKey(removed.at(-1));
  return (
    <div role="status" className="toasts">
      {removed.map((session) => (
        <Toast key={session.id} session={session} />
      ))}
    </div>
  );
}

function Toast({ session }: { session: SessionSummary }) {
  const store = useStore();
  const [held, setHeld] = useState(false);
  useEffect(() => {
    if (held) return;
    const timer = setTimeout(() => store.settle(session.id), OFFER);
    return () => clearTimeout(timer);
  }, [store, session.id, held]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: pointing at it only makes it stay.
    <div
      className="toast"
      data-testid="removed"
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <span className="min-w-0 flex-1 truncate" title={session.title}>
        Deleted “{session.title}”
      </span>
      <button
        type="button"
        data-testid="undo-delete"
        title={`Undo (${keyName("Ctrl+Z")})`}
        className="toast-act"
        onClick={() => void store.restore(session.id)}
      >
        <Icon name="undo" /> Undo
      </button>
    </div>
  );
}

function useUndoKey(session: SessionSummary | undefined) {
  const store = useStore();
  const latest = useRef(session);
  useEffect(() => {
    latest.current = session;
  });
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const undo = (event.ctrlKey || event.metaKey) && !event.shiftKey && event.key === "z";
      if (!undo || !latest.current || isWriting(event.target)) return;
      event.preventDefault();
      void store.restore(latest.current.id);
    };
    window.addEventListener("keydown", onKeyDown);
    return () => window.removeEventListener("keydown", onKeyDown);
  }, [store]);
}

/** Where something is written, the keys take back what was written. */
function isWriting(target: EventTarget | null): boolean {
  const field = target instanceof HTMLTextAreaElement || target instanceof HTMLInputElement;
  return field && target.value !== "";
}
