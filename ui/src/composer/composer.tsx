// Where prompts are written. Enter sends, Shift+Enter breaks the line; a refused prompt stays
// here with the reason above it. While a turn runs one can write, and stop it, but not send.

import {
  type ClipboardEvent,
  type DragEvent,
  type FormEvent,
  type KeyboardEvent,
  useCallback,
  useEffect,
  useRef,
  useState,
} from "react";
import { Icon } from "../design/icons";
import type { ErrorBody } from "../host/protocol";
import { useOpenSettings } from "../settings/opener";
import { useStore } from "../state/use";
import { AttachButton, Pictures } from "./attach";
import { ModelChip, ThinkingChip } from "./chips";
import { afterSending, type Draft } from "./draft";
import { addPictures, filesOf, readPictures } from "./pictures";

type Props = {
  running: boolean;
  /** What was written here before, and where to keep what is written now. */
  draft: Draft;
  onDraft: (draft: Draft) => void;
};

export function Composer({ running, draft, onDraft }: Props) {
  const store = useStore();
  const area = useRef<HTMLTextAreaElement>(null);
  const { text, images, latest, write } = useDraft(draft, onDraft);
  const [sending, setSending] = useState(false);
  const [refusal, setRefusal] = useState<ErrorBody>();
  const [trouble, setTrouble] = useState<string>();
  const [dropping, setDropping] = useState(false);
  const empty = text.trim() === "";

  useEffect(() => area.current?.focus(), []);

  async function send() {
    if (empty || running || sending) return;
    setSending(true);
    setRefusal(undefined);
    setTrouble(undefined);
    const sent = latest();
    const error = await store.send(sent.text, sent.images);
    setSending(false);
    setRefusal(error);
    if (!error) write(afterSending(latest(), sent));
    area.current?.focus();
  }

  async function attach(files: readonly File[]) {
    if (files.length === 0) return;
    const read = await readPictures(files);
    // Reading took a while: what is held is looked at only now.
    const added = addPictures(latest().images, read);
    write({ images: added.images });
    setTrouble(added.trouble);
    area.current?.focus();
  }

  const remove = useCallback(
    (at: number) => {
      const left = latest().images.toSpliced(at, 1);
      if (left.length === 0) area.current?.focus();
      write({ images: left });
      setTrouble(undefined);
    },
    [latest, write],
  );

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

  function onPaste(event: ClipboardEvent) {
    const files = filesOf(event.clipboardData);
    if (files.length === 0) return;
    event.preventDefault();
    void attach(files);
  }

  function onDragOver(event: DragEvent) {
    if (!event.dataTransfer.types.includes("Files")) return;
    event.preventDefault();
    setDropping(true);
  }

  function onDrop(event: DragEvent) {
    setDropping(false);
    if (!event.dataTransfer.types.includes("Files")) return;
    event.preventDefault();
    void attach([...event.dataTransfer.files]);
  }

  return (
    <form className="composer-column" onSubmit={onSubmit}>
      {refusal ? <Refusal error={refusal} /> : null}
      {trouble ? (
        <div role="alert" data-testid="picture-error" className="composer-error">
          <Icon name="alert" className="mt-0.5" />
          <span className="min-w-0 flex-1 break-words">{trouble}</span>
        </div>
      ) : null}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: dropping is one way of three; the button and pasting need no mouse. */}
      <div
        className="composer"
        data-testid="composer-box"
        data-dropping={dropping}
        onDragOver={onDragOver}
        onDragLeave={() => setDropping(false)}
        onDrop={onDrop}
      >
        <Pictures images={images} onRemove={remove} />
        {/* The area is as high as a hidden copy of its text: measuring it would move the timeline. */}
        <div className="composer-area" data-text={text}>
          <textarea
            ref={area}
            data-testid="composer"
            aria-label="Prompt"
            placeholder={placeholder(running, images.length)}
            rows={1}
            value={text}
            onChange={(event) => write({ text: event.target.value })}
            onKeyDown={onKeyDown}
            onPaste={onPaste}
          />
        </div>
        <div className="flex items-center gap-2">
          <AttachButton onFiles={(files) => void attach(files)} />
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

/**
 * The draft, and what it is by now for work that has waited for something. A composer belongs to
 * one session for good, and so does the place where its draft is kept.
 */
function useDraft(first: Draft, onDraft: (draft: Draft) => void) {
  const held = useRef(first);
  const keep = useRef(onDraft);
  const [draft, setDraft] = useState(first);
  const latest = useCallback(() => held.current, []);
  const write = useCallback((change: Partial<Draft>) => {
    held.current = { ...held.current, ...change };
    setDraft(held.current);
    keep.current(held.current);
  }, []);
  return { ...draft, latest, write };
}

function placeholder(running: boolean, pictures: number): string {
  if (running) return "Write the next prompt";
  if (pictures === 0) return "Ask anything";
  return pictures === 1 ? "Ask about the picture" : "Ask about the pictures";
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
