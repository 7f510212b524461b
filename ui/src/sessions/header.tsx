// What is open: its title, its model, its state and what it has used so far.

import { useState } from "react";
import { IconButton } from "../design/button";
import { Dot, dotWord } from "../design/dot";
import { formatCost, formatCount } from "../design/format";
import type { SessionSummary } from "../host/protocol";
import { useApp, useStore } from "../state/use";
import { RenameInput } from "./rename";

export function Header({
  session,
  onMenu,
}: {
  session: SessionSummary | undefined;
  onMenu: () => void;
}) {
  return (
    <header className="head">
      <span className="menu-button">
        <IconButton icon="menu" label="Sessions" onClick={onMenu} />
      </span>
      {session ? (
        <Titled key={session.id} session={session} />
      ) : (
        <h1 className="title">New session</h1>
      )}
    </header>
  );
}

function Titled({ session }: { session: SessionSummary }) {
  const [renaming, setRenaming] = useState(false);
  const { status, tokens, cost } = session;
  return (
    <>
      {renaming ? (
        <RenameInput session={session} className="max-w-80" onDone={() => setRenaming(false)} />
      ) : (
        <h1 className="title" title={session.title} onDoubleClick={() => setRenaming(true)}>
          {session.title}
        </h1>
      )}
      <span className="chip model-chip">{session.model}</span>
      {session.forkedFrom ? <ForkedFrom id={session.forkedFrom.session} /> : null}
      {status === "idle" ? null : (
        <span className="flex shrink-0 items-center gap-2 text-[12px]">
          <Dot state={status} /> <span className="status-word">{dotWord(status)}</span>
        </span>
      )}
      {renaming ? null : (
        <span className="head-rename">
          <IconButton icon="pencil" label="Rename" onClick={() => setRenaming(true)} />
        </span>
      )}
      <span className="head-numbers">
        {tokens > 0 ? <span>{formatCount(tokens)} tokens</span> : null}
        {cost === null ? null : <span>{formatCost(cost)}</span>}
      </span>
    </>
  );
}

/** The way to the session that a fork comes from, while there is one. */
function ForkedFrom({ id }: { id: string }) {
  const store = useStore();
  const from = useApp("sessions").find((session) => session.id === id);
  if (!from) return null;
  return (
    <IconButton
      icon="fork"
      label={`Forked from “${from.title}”`}
      data-testid="forked-from"
      onClick={() => void store.open(id)}
    />
  );
}
