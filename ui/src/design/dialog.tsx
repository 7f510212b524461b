// A modal dialog on the native element, which traps focus, closes on Escape and gives focus back.

import { type ReactNode, useEffect, useId, useRef } from "react";
import { IconButton } from "./button";

type DialogProps = {
  title: string;
  testId: string;
  closeTestId?: string;
  width: string;
  onClose: () => void;
  children: ReactNode;
};

export function Dialog({ title, testId, closeTestId, width, onClose, children }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const dialog = ref.current;
    const opener = document.activeElement;
    if (dialog && !dialog.open) dialog.showModal();
    // A dialog that asks says where the keyboard begins; others begin at their top.
    (dialog?.querySelector<HTMLElement>("[data-first-focus]") ?? dialog)?.focus();
    return () => {
      dialog?.close();
      if (opener instanceof HTMLElement) opener.focus();
    };
  }, []);
  return (
    <dialog
      ref={ref}
      data-testid={testId}
      aria-labelledby={titleId}
      tabIndex={-1}
      className={`dialog ${width}`}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onPointerDown={(event) => {
        if (event.target === ref.current) onClose();
      }}
    >
      <div className="flex max-h-[inherit] flex-col">
        <div className="flex items-center justify-between gap-4 py-3 pr-3 pl-5">
          <h2 id={titleId} className="font-semibold text-[15px]">
            {title}
          </h2>
          <IconButton icon="cross" label="Close" data-testid={closeTestId} onClick={onClose} />
        </div>
        {children}
      </div>
    </dialog>
  );
}
