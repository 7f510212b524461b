// Goes on with a reply that broke off: asks in plain sight, with what had arrived as context. Past
// a spent budget only with the user's word, which Rust asks for.

import { useState } from "react";
import { Button } from "../design/button";
import { isBusy } from "../state/app";
import { useOpenSummary, useOrder, useStore } from "../state/use";

/** What is asked; it stands in the session as any prompt does. */
const GO_ON = "Go on where you stopped.";

/** Only the last turn can be gone on with, and only once it is over. */
export function Continue({ turn, pastBudget = false }: { turn: string; pastBudget?: boolean }) {
  const store = useStore();
  const session = useOpenSummary();
  const last = useOrder().at(-1);
  const [asking, setAsking] = useState(false);
  if (!session || last !== turn || isBusy(session.status)) return null;

  async function goOn(id: string) {
    setAsking(true);
    const unasked = pastBudget ? await store.goOverBudget(id) : undefined;
    const refusal = unasked ?? (await store.send(id, GO_ON));
    if (refusal) store.notify(refusal);
    setAsking(false);
  }

  return (
    <Button
      data-testid={pastBudget ? "continue-once" : "continue"}
      className="mt-2"
      disabled={asking}
      onClick={() => void goOn(session.id)}
    >
      {pastBudget ? "Go on this once" : "Continue"}
    </Button>
  );
}
