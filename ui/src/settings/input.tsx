// A text setting that changes when it is left or Enter is pressed, never with every letter.

import { type ReactNode, useId, useRef } from "react";

type Props = {
  label: string;
  testId: string;
  value: string;
  note?: ReactNode;
  onCommit: (value: string) => Promise<void>;
};

export function CommittedInput({ label, testId, value, note, onCommit }: Props) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const committing = useRef(false);

  async function commit() {
    const element = input.current;
    if (!element || committing.current || element.value.trim() === value) return;
    committing.current = true;
    await onCommit(element.value.trim());
    committing.current = false;
    // A value that was taken brings a new element; a refused one leaves the old value here.
    element.value = value;
  }

  return (
    <div>
      <label className="mb-1.5 block font-medium" htmlFor={id}>
        {label}
      </label>
      <input
        key={value}
        ref={input}
        id={id}
        data-testid={testId}
        className="field mono"
        defaultValue={value}
        spellCheck={false}
        autoComplete="off"
        aria-describedby={note ? `${id}-note` : undefined}
        onBlur={commit}
        onKeyDown={(event) => {
          if (event.key !== "Enter") return;
          event.preventDefault();
          void commit();
        }}
      />
      {note ? (
        <p id={`${id}-note`} className="mt-1.5 text-[12px] text-ink3">
          {note}
        </p>
      ) : null}
    </div>
  );
}
