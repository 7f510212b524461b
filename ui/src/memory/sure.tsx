// Whether to forget, asked where the answer is given. There is no way back from it.

import { type ReactNode, useEffect, useRef } from "react";
import { Button } from "../design/button";

type SureProps = {
  question: string;
  testId: string;
  onYes: () => Promise<void>;
  onNo: () => void;
  /** Another way to forget, beside the question. */
  children?: ReactNode;
};

/** Asks in place; the keyboard begins at the way back. */
export function Sure({ question, testId, onYes, onNo, children }: SureProps) {
  const keep = useRef<HTMLButtonElement>(null);
  useEffect(() => keep.current?.focus(), []);
  return (
    <fieldset aria-label={question} className="mt-1 flex min-w-0 items-center gap-2 text-[13px]">
      <span className="min-w-0 flex-1 break-words text-ink2">{question}</span>
      {children}
      <Button data-testid={testId} look="danger" onClick={() => void onYes()}>
        Forget
      </Button>
      <Button ref={keep} onClick={onNo}>
        Keep
      </Button>
    </fieldset>
  );
}
