// One memory: what it says, and the ways to say it otherwise or to forget it. Forgetting is for
// good, to the last byte, so it asks once more in its own place.

import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import { Button, IconButton } from "../design/button";
import type { ErrorBody, Memory } from "../host/protocol";
import { useStore } from "../state/use";

type Props = {
  memory: Memory;
  onEdited: (memory: Memory) => void;
  onForgotten: (id: string) => void;
};

type Stage = "read" | "edit" | "forget";

export function MemoryRow({ memory, onEdited, onForgotten }: Props) {
  const store = useStore();
  const [stage, setStage] = useState<Stage>("read");
  const [error, setError] = useState<ErrorBody>();

  function go(next: Stage) {
    setError(undefined);
    setStage(next);
  }

  async function save(content: string) {
    const { value, error } = await store.ask((host) => host.editMemory(memory.id, content));
    setError(error);
    if (!value) return;
    onEdited(value);
    setStage("read");
  }

  async function forget() {
    const { error } = await store.ask((host) => host.forget({ forget: "one", id: memory.id }));
    setError(error);
    if (!error) onForgotten(memory.id);
  }

  return (
    <li data-testid="memory" data-id={memory.id} className="memory">
      {stage === "edit" ? (
        <Editor content={memory.content} onSave={save} onCancel={() => go("read")} />
      ) : (
        <div className="memory-line">
          <span className="min-w-0 flex-1 whitespace-pre-wrap break-words">{memory.content}</span>
          <IconButton
            icon="pencil"
            label={`Edit “${memory.content}”`}
            data-testid="memory-edit"
            onClick={() => go("edit")}
          />
          <IconButton
            icon="trash"
            label={`Forget “${memory.content}”`}
            data-testid="memory-forget"
            aria-expanded={stage === "forget"}
            onClick={() => go(stage === "forget" ? "read" : "forget")}
          />
        </div>
      )}
      {stage === "forget" ? (
        <Sure
          question="Forget this for good?"
          testId="memory-forget-sure"
          onYes={forget}
          onNo={() => go("read")}
        />
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

type SureProps = {
  question: string;
  testId: string;
  onYes: () => Promise<void>;
  onNo: () => void;
};

/** Asks in place; the keyboard begins at the way back. */
export function Sure({ question, testId, onYes, onNo }: SureProps) {
  const keep = useRef<HTMLButtonElement>(null);
  useEffect(() => keep.current?.focus(), []);
  return (
    <fieldset aria-label={question} className="mt-1 flex min-w-0 items-center gap-2 text-[13px]">
      <span className="flex-1 text-ink2">{question}</span>
      <Button data-testid={testId} look="danger" onClick={() => void onYes()}>
        Forget
      </Button>
      <Button ref={keep} onClick={onNo}>
        Keep
      </Button>
    </fieldset>
  );
}
