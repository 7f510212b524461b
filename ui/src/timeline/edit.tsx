// A prompt being edited in its place. Sending it begins a new branch; the old one is kept.

import { type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from "react";
import { GuardQuestion } from "../composer/guard";
import { Button } from "../design/button";
import { Icon } from "../design/icons";
import type { ErrorBody, GuardChoice } from "../host/protocol";
import { shown } from "../state/declined";
import { withOriginals } from "../state/restored";
import type { UserMessage } from "../state/turn";
import { useBusy, useStore } from "../state/use";

type Props = { turn: string; user: UserMessage; onClose: (outcome: Outcome) => void };

export type Outcome = "sent" | "left";

export function PromptEditor({ turn, user, onClose }: Props) {
  const store = useStore();
  const busy = useBusy();
  const area = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useState(() => withOriginals(user.content, user.restored));
  const [sending, setSending] = useState(false);
  const [refusal, setRefusal] = useState<ErrorBody>();
  const empty = text.trim() === "";

  useEffect(() => {
    const { current } = area;
    current?.focus();
    current?.setSelectionRange(current.value.length, current.value.length);
  }, []);

  async function send(choice?: GuardChoice) {
    if (empty || busy || sending) return;
    setSending(true);
    const refused = await store.edit(turn, text, user.images, choice);
    setSending(false);
    setRefusal(shown(refused));
    if (refused) return;
    document.querySelector<HTMLElement>("[data-testid=composer]")?.focus();
    onClose("sent");
  }

  function onSubmit(event: FormEvent) {
    event.preventDefault();
    void send();
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Escape") {
      // A hook may be looking at it: that is what is stopped, and the words stay.
      if (sending) return;
      // It leaves the editor, and stops nothing behind it.
      event.stopPropagation();
      onClose("left");
    } else if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      void send();
    }
  }

  return (
    <form className="prompt-editor" data-testid="prompt-editor" onSubmit={onSubmit}>
      {refusal?.code === "guard_asks" ? (
        <GuardQuestion
          error={refusal}
          onChoose={(choice) => void send(choice)}
          onEdit={() => {
            setRefusal(undefined);
            area.current?.focus();
          }}
        />
      ) : null}
      {refusal && refusal.code !== "guard_asks" ? (
        <div role="alert" className="composer-error">
          <Icon name="alert" className="mt-0.5" />
          <span className="min-w-0 flex-1 break-words">{refusal.message}</span>
        </div>
      ) : null}
      <div className="composer-area" data-text={text}>
        <textarea
          ref={area}
          data-testid="edit-area"
          aria-label="Edit the prompt"
          rows={1}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={onKeyDown}
        />
      </div>
      <div className="flex items-center justify-end gap-2">
        <span className="mr-auto text-[12px] text-ink3">The reply so far stays on its branch.</span>
        <Button onClick={() => onClose("left")}>Cancel</Button>
        <Button
          look="primary"
          type="submit"
          data-testid="send-edit"
          disabled={empty || busy || sending}
        >
          Send
        </Button>
      </div>
    </form>
  );
}
