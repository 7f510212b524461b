// A guard asks before a prompt is sent. The first choice has the focus: Enter takes it out and
// sends, the arrows and Tab go to the others, Escape goes back to the words.

import { type KeyboardEvent, useEffect, useRef } from "react";
import { Button } from "../design/button";
import { Icon } from "../design/icons";
import type { ErrorBody, GuardChoice } from "../host/protocol";

type Props = {
  error: ErrorBody;
  onChoose: (choice: GuardChoice) => void;
  onEdit: () => void;
};

export function GuardQuestion({ error, onChoose, onEdit }: Props) {
  const row = useRef<HTMLDivElement>(null);
  useEffect(() => row.current?.querySelector("button")?.focus(), []);

  function onKeyDown(event: KeyboardEvent) {
    if (event.key === "Escape") {
      // It leaves the question, and stops nothing behind it.
      event.stopPropagation();
      onEdit();
      return;
    }
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    const buttons = [...(row.current?.querySelectorAll("button") ?? [])];
    const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
    buttons.at((at + step) % buttons.length)?.focus();
  }

  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset brings a border and a legend of its own.
    <div
      role="group"
      aria-label="A guard asks"
      data-testid="guard-question"
      className="guard-question"
      onKeyDown={onKeyDown}
    >
      <p role="alert" className="flex gap-2">
        <Icon name="shield" className="mt-0.5 text-warn" />
        <span className="min-w-0 flex-1 break-words">{error.message}</span>
      </p>
      <div ref={row} className="mt-2 flex flex-wrap gap-2">
        <Button data-testid="guard-redact" onClick={() => onChoose("redact")}>
          Redact and send
        </Button>
        <Button data-testid="guard-as-it-is" onClick={() => onChoose("as_it_is")}>
          Send as it is
        </Button>
        <Button data-testid="guard-edit" onClick={onEdit}>
          Edit
        </Button>
      </div>
    </div>
  );
}
