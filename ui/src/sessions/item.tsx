// One line of the session list.

import { type KeyboardEvent, memo, useState } from "react";
import { IconButton } from "../design/button";
import { Dot, type DotState } from "../design/dot";
import { formatAgo } from "../design/format";
import type { SessionSummary } from "../host/protocol";
import { isBusy } from "../state/app";
import { RenameInput } from "./rename";

type Props = {
  session: SessionSummary;
  current: boolean;
  unread: boolean;
  now: number;
  onOpen: (id: string) => void;
  onFork: (session: SessionSummary) => void;
  onDelete: (session: SessionSummary) => void;
};

export const SessionItem = memo(function SessionItem(props: Props) {
  const { session, current, unread, now, onOpen, onFork, onDelete } = props;
  const [renaming, setRenaming] = useState(false);
  const state: DotState = unread && !isBusy(session.status) ? "unread" : session.status;

  function remove(from: Element) {
    // The keyboard goes on from the line beside the one that leaves.
    const line = from.closest("li")?.querySelector(".session-open");
    if (line) focusLine(line, 1) || focusLine(line, -1);
    onDelete(session);
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.key === "F2") setRenaming(true);
    else if (event.key === "Delete") remove(event.currentTarget);
    else if (event.key === "ArrowDown") focusLine(event.currentTarget, 1);
    else if (event.key === "ArrowUp") focusLine(event.currentTarget, -1);
    else return;
    event.preventDefault();
  }

  return (
    <li
      data-testid="session-item"
      data-session-id={session.id}
      data-status={session.status}
      data-unread={unread}
      className="session"
      data-current={current}
    >
      {renaming ? (
        <RenameInput session={session} className="mx-2 my-0.5" onDone={() => setRenaming(false)} />
      ) : (
        <>
          <button
            type="button"
            className="session-open"
            aria-current={current ? "page" : undefined}
            title={session.title}
            onClick={() => onOpen(session.id)}
            onDoubleClick={() => setRenaming(true)}
            onKeyDown={onKeyDown}
          >
            <Dot state={state} />
            <span className="truncate">{session.title}</span>
            <time className="session-time" dateTime={session.updatedAt}>
              {formatAgo(session.updatedAt, now)}
            </time>
          </button>
          <span className="session-actions">
            <IconButton
              icon="pencil"
              label="Rename (F2)"
              data-testid="session-rename"
              onClick={() => setRenaming(true)}
            />
            <IconButton
              icon="fork"
              label="Fork"
              data-testid="session-fork"
              onClick={() => onFork(session)}
            />
            <IconButton
              icon="trash"
              label="Delete (Del)"
              data-testid="session-delete"
              onClick={(event) => remove(event.currentTarget)}
            />
          </span>
        </>
      )}
    </li>
  );
});

/** Goes from line to line, over the headings between them; says whether there is one. */
function focusLine(from: Element, step: 1 | -1): boolean {
  const lines = from.closest("nav")?.querySelectorAll<HTMLElement>(".session-open") ?? [];
  const at = [...lines].indexOf(from as HTMLElement);
  const line = lines[at + step];
  line?.focus();
  return line !== undefined;
}
