// Where prompts are written. Enter sends, Shift+Enter breaks the line; a refused prompt stays
// here with the reason above it. While a turn runs, or a hook looks at the prompt, one can write,
// and stop it, but not send.

import {
  type ClipboardEvent,
  type DragEvent,
  type FormEvent,
  type KeyboardEvent,
  useCallback,
  useEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import { Icon } from "../design/icons";
import type { ErrorBody, GuardChoice } from "../host/protocol";
import { useOpenSettings } from "../settings/opener";
import { hooksLooking } from "../state/app";
import { useApp, useStore } from "../state/use";
import { AttachButton, Pictures } from "./attach";
import { ModelChip, ThinkingChip } from "./chips";
import type { DraftKeeper } from "./draft";
import { GuardQuestion } from "./guard";
import { Looking } from "./looking";
import { OptionsChip } from "./options";
import { filesOf } from "./pictures";
import { ProjectChip } from "./project";

type Props = {
  /** The session that prompts go to, whatever is open by the time they are sent. */
  session: string | null;
  running: boolean;
  draft: DraftKeeper;
};

export function Composer({ session, running, draft }: Props) {
  const store = useStore();
  const area = useRef<HTMLTextAreaElement>(null);
  const { text, images, trouble, refusal, sending } = useSyncExternalStore(
    draft.subscribe,
    () => draft.now,
  );
  const looking = hooksLooking(useApp("looks"), session);
  const [dropping, setDropping] = useState(false);
  const empty = text.trim() === "";

  useEffect(() => area.current?.focus(), []);

  async function send(choice?: GuardChoice) {
    if (empty || running) return;
    await draft.send((prompt, pictures) => store.send(session, prompt, pictures, choice));
    // A question has the focus where there is one.
    if (draft.now.refusal?.code !== "guard_asks") area.current?.focus();
  }

  function edit() {
    draft.dismiss();
    area.current?.focus();
  }

  /** The user's word is for one prompt: this one. */
  async function goOn() {
    const refused = await store.goOverBudget(session);
    if (!refused) return send();
    store.notify(refused);
  }

  async function attach(files: readonly File[]) {
    if (files.length === 0) return;
    await draft.attach(files);
    area.current?.focus();
  }

  const remove = useCallback(
    (at: number) => {
      draft.remove(at);
      if (draft.now.images.length === 0) area.current?.focus();
    },
    [draft],
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
      {refusal?.code === "guard_asks" ? (
        <GuardQuestion error={refusal} onChoose={(choice) => void send(choice)} onEdit={edit} />
      ) : null}
      {refusal && refusal.code !== "guard_asks" ? (
        <Refusal error={refusal} onGoOn={() => void goOn()} />
      ) : null}
      <Looking hooks={looking} />
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
            onChange={(event) => draft.write(event.target.value)}
            onKeyDown={onKeyDown}
            onPaste={onPaste}
          />
        </div>
        <div className="flex items-center gap-2">
          <AttachButton onFiles={(files) => void attach(files)} />
          <ProjectChip session={session} />
          <ModelChip />
          <ThinkingChip />
          <OptionsChip />
          <span className="hint">
            <kbd className="kbd">Shift</kbd> <kbd className="kbd">Enter</kbd> new line
          </span>
          <span className="composer-act">
            {running || looking.length > 0 ? (
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

function placeholder(running: boolean, pictures: number): string {
  if (running) return "Write the next prompt";
  if (pictures === 0) return "Ask anything";
  return pictures === 1 ? "Ask about the picture" : "Ask about the pictures";
}

/** Why the prompt was refused; a missing key or word of trust is one click from being given. */
function Refusal({ error, onGoOn }: { error: ErrorBody; onGoOn: () => void }) {
  const openSettings = useOpenSettings();
  const store = useStore();
  return (
    <div role="alert" data-testid="composer-error" className="composer-error">
      <Icon name="alert" className="mt-0.5" />
      <span className="min-w-0 flex-1 break-words">{error.message} Your prompt is still here.</span>
      {error.code === "no_key" || error.code === "blocked" ? (
        <button
          type="button"
          className="shrink-0 rounded font-medium underline"
          onClick={openSettings}
        >
          Open Settings
        </button>
      ) : null}
      {error.code === "budget" ? (
        <button
          type="button"
          data-testid="go-on-once"
          className="shrink-0 rounded font-medium underline"
          onClick={onGoOn}
        >
          Go on this once
        </button>
      ) : null}
      {error.code === "untrusted" ? (
        <button
          type="button"
          className="shrink-0 rounded font-medium underline"
          onClick={() => void store.openProject()}
        >
          Open folder…
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
