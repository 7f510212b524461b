// Where prompts are written. Enter sends, Shift+Enter breaks the line; a refused prompt stays
// here with the reason above it. While a turn runs one can write, and stop it, but not send.

import { type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from "react";
import { Icon } from "../design/icons";
import type { ErrorBody } from "../host/protocol";
import { useOpenSettings } from "../settings/opener";
import { useStore } from "../state/use";
import { ModelChip, ThinkingChip } from "./chips";

type Props = {
  running: boolean;
  /** What was written here before, and where to keep what is written now. */
  draft: string;
  onDraft: (draft: string) => void;
};

export function Composer({ running, draft, onDraft }: Props) {
  const store = useStore();
  const area = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useState(draft);
  const [sending, setSending] = useState(false);
  const [refusal, setRefusal] = useState<ErrorBody>();
  const empty = text.trim() === "";

  useEffect(() => area.current?.focus(), []);

  function write(next: string) {
    setText(next);
    onDraft(next);
  }

  async function send() {
    if (empty || running || sending) return;
    setSending(true);
    setRefusal(undefined);
    const error = await store.send(text);
    setSending(false);
    setRefusal(error);
    // What was typed while the prompt was on its way is the next one.
    if (!error) write(area.current?.value === text ? "" : (area.current?.value ?? ""));
    area.current?.focus();
  }

  function onSubmit(event: FormEvent) {
    event.preventDefault();
    void send();
  }

  function onKeyDown(event: KeyboardEvent) {
    // Enter inside an input method accepts a word; it does not send.
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    void send();
  }

  return (
    <form className="composer-column" onSubmit={onSubmit}>
      {refusal ? <Refusal error={refusal} /> : null}
      <div className="composer">
        {/* The area is as high as a hidden copy of its text: measuring it would move the timeline. */}
        <div className="composer-area" data-text={text}>
          <textarea
            ref={area}
            data-testid="composer"
            aria-label="Prompt"
            placeholder={running ? "Write the next prompt" : "Ask anything"}
            rows={1}
            value={text}
            onChange={(event) => write(event.target.value)}
            onKeyDown={onKeyDown}
          />
        </div>
        <div className="flex items-center gap-2">
          <ModelChip />
          <ThinkingChip />
          <span className="hint">
            <kbd className="kbd">Shift</kbd> <kbd className="kbd">Enter</kbd> new line
          </span>
          <span className="composer-act">
            {running ? (
              <StopButton onStop={() => void store.stop()} />
            ) : (
              <SendButton disabled={empty || sending} />
            )}
          </span>
        </div>
      </div>
    </form>
  );
}

/** Why the prompt was refused; a missing key is one click from being given. */
function Refusal({ error }: { error: ErrorBody }) {
  const openSettings = useOpenSettings();
  return (
    <div role="alert" data-testid="composer-error" className="composer-error">
      <Icon name="alert" className="mt-0.5" />
      <span className="min-w-0 flex-1 break-words">{error.message} Your prompt is still here.</span>
      {error.code === "no_key" ? (
        <button
          type="button"
          className="shrink-0 rounded font-medium underline"
          onClick={openSettings}
        >
          Open Settings
        </button>
      ) : null}
    </div>
  );
}

function SendButton({ disabled }: { disabled: boolean }) {
  return (
    <button
      type="submit"
      data-testid="send"
      aria-label="Send"
      title="Send (Enter)"
      className="send"
      disabled={disabled}
    >
      <Icon name="up" />
    </button>
  );
}

function StopButton({ onStop }: { onStop: () => void }) {
  return (
    <button
      type="button"
      data-testid="stop"
      aria-label="Stop"
      title="Stop (Esc)"
      className="send"
      onClick={onStop}
    >
      <span className="size-[11px] rounded-[2px] bg-current" />
    </button>
  );
}
