// Which of several branches is read at a prompt, and the way to the others: ‹ 2/3 ›.

import { useEffect, useRef } from "react";
import { useStore } from "../state/use";

type Props = { turn: string; branches: readonly string[]; busy: boolean };
type Step = "previous" | "next";

/** The branch that was asked for last: its switch takes the keyboard over when it is drawn. */
const wanted: { turn?: string; step: Step } = { step: "next" };

export function BranchSwitch({ turn, branches, busy }: Props) {
  const store = useStore();
  const group = useRef<HTMLSpanElement>(null);
  const at = branches.indexOf(turn);
  useEffect(() => {
    if (wanted.turn !== turn) return;
    wanted.turn = undefined;
    // The button that was clicked has left; whoever has gone elsewhere since stays there.
    if (document.activeElement !== document.body) return;
    const all = group.current?.querySelectorAll("button") ?? [];
    const buttons = [...all].filter((button) => !button.disabled);
    (buttons.find((button) => button.dataset.step === wanted.step) ?? buttons[0])?.focus();
  }, [turn]);

  function go(step: Step) {
    const target = branches[step === "next" ? at + 1 : at - 1];
    if (target === undefined) return;
    Object.assign(wanted, { turn: target, step });
    void store.chooseBranch(target);
  }

  const button = (step: Step, mark: string, label: string, there: boolean) => (
    <button
      type="button"
      data-step={step}
      data-testid={`branch-${step}`}
      aria-label={label}
      title={label}
      className="branch-button"
      disabled={busy || !there}
      onClick={() => go(step)}
    >
      {mark}
    </button>
  );

  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms.
    <span ref={group} role="group" aria-label="Branches" className="branches">
      {button("previous", "‹", "Previous branch", at > 0)}
      <span data-testid="branch">
        <span className="sr-only">Branch </span>
        {at + 1}/{branches.length}
      </span>
      {button("next", "›", "Next branch", at < branches.length - 1)}
    </span>
  );
}
