// One memory: what it says, where that was said, and the ways to say it otherwise or to forget it,
// alone or with all that its session left. Forgetting is for good, to the last byte: one asks once
// more in its own place, more than one in the confirmation window.

import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import { Button, IconButton } from "../design/button";
import type { ErrorBody, Forget, Memory } from "../host/protocol";
import { shown } from "../state/declined";
import { useApp, useStore } from "../state/use";
import { Sure } from "./sure";

type Props = {
  memory: Memory;
  /** Where many sessions' are listed, each says which one it is from. */
  showsSession?: boolean;
  onEdited: (memory: Memory) => void;
  onForgotten: (isGone: (memory: Memory) => boolean) => void;
};

type Stage = "read" | "edit" | "forget";

export function MemoryRow({ memory, showsSession = false, onEdited, onForgotten }: Props) {
  const store = useStore();
  const sessions = useApp("sessions");
  const [stage, setStage] = useState<Stage>("read");
  const [error, setError] = useState<ErrorBody>();
  const { id, content, sessionId } = memory;
  const session = sessions.find((session) => session.id === sessionId);
  const place = session ? `“${session.title}”` : "a session that is gone";
  const asking = stage === "forget";

  function go(next: Stage) {
    setError(undefined);
    setStage(next);
  }

  async function save(content: string) {
    const { value, error } = await store.ask((host) => host.editMemory(id, content));
    setError(shown(error));
    if (!value) return;
    onEdited(value);
    setStage("read");
  }

  async function forget(which: Forget, isGone: (memory: Memory) => boolean) {
    const { error } = await store.ask((host) => host.forget(which));
    setError(shown(error));
    if (!error) onForgotten(isGone);
  }

  return (
    <li data-testid="memory" data-id={id} className="memory">
      {stage === "edit" ? (
        <Editor content={content} onSave={save} onCancel={() => go("read")} />
      ) : (
        <div className="memory-line">
          <span data-testid="memory-content" className="memory-content">
            {content}
          </span>
          {showsSession ? (
            <span className="memory-place" title={`Said in ${place}`}>
              {session?.title ?? "session gone"}
            </span>
          ) : null}
          <IconButton
            icon="pencil"
            label={`Edit “${content}”`}
            data-testid="memory-edit"
            onClick={() => go("edit")}
          />
          <IconButton
            icon="trash"
            label={`Forget “${content}”`}
            data-testid="memory-forget"
            aria-expanded={asking}
            onClick={() => go(asking ? "read" : "forget")}
          />
        </div>
      )}
      {stage === "forget" ? (
        <Sure
          question="Forget this for good?"
          testId="memory-forget-sure"
          onYes={() => forget({ forget: "one", id }, (other) => other.id === id)}
          onNo={() => go("read")}
        >
          <button
            type="button"
            data-testid="memory-forget-session"
            className="quiet-button"
            onClick={() =>
              void forget(
                { forget: "session", session: sessionId },
                (other) => other.sessionId === sessionId,
              )
            }
          >
            Forget all from its session
          </button>
        </Sure>
      ) : null}
      {error ? (
        <p role="alert" className="mt-1 text-[12px] text-bad">
          {error.message}
        </p>
      ) : null}
    </li>
  );
}

type EditorProps = {
  content: string;
  onSave: (content: string) => Promise<void>;
  onCancel: () => void;
};

function Editor({ content, onSave, onCancel }: EditorProps) {
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  const [typed, setTyped] = useState(content);
  useEffect(() => field.current?.focus(), []);

  function onKeyDown(event: KeyboardEvent) {
    if (event.key === "Escape") {
      // The dialog around it stays open.
      event.preventDefault();
      event.stopPropagation();
      onCancel();
    } else if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      void onSave(typed);
    }
  }

  return (
    <div>
      <label className="sr-only" htmlFor={id}>
        What is remembered
      </label>
      <textarea
        ref={field}
        id={id}
        data-testid="memory-text"
        className="field"
        rows={2}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <div className="mt-1.5 flex gap-2">
        <Button data-testid="memory-save" look="primary" onClick={() => void onSave(typed)}>
          Save
        </Button>
        <Button onClick={onCancel}>Cancel</Button>
      </div>
    </div>
  );
}
