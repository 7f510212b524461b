// The user's prompt and what can be done with it: edit, ask again, fork, and go to another branch
// where it has some.

import { memo, useCallback, useEffect, useRef, useState } from "react";
import { IconButton } from "../design/button";
import type { Outline, UserMessage } from "../state/turn";
import { useBusy, useStore } from "../state/use";
import { BranchSwitch } from "./branch";
import { type Outcome, PromptEditor } from "./edit";
import { RestoredText } from "./restored";

type Props = { outline: Outline; user: UserMessage };

export function Prompt({ outline, user }: Props) {
  const [editor, setEditor] = useState<"closed" | "open" | Outcome>("closed");
  const edit = useCallback(() => setEditor("open"), []);
  if (editor === "open") {
    return <PromptEditor turn={outline.id} user={user} onClose={setEditor} />;
  }
  return (
    <div className="prompt">
      <div data-testid="user-message" className="user-message">
        <RestoredText text={user.content} restored={user.restored} />
      </div>
      <Actions
        turn={outline.id}
        ended={outline.end !== undefined}
        branches={outline.branches}
        // Whoever leaves the editor is back at the button that opened it.
        focus={editor === "left" ? "edit" : undefined}
        onEdit={edit}
      />
    </div>
  );
}

type ActionsProps = {
  turn: string;
  ended: boolean;
  branches: readonly string[] | undefined;
  focus: "edit" | undefined;
  onEdit: () => void;
};

const Actions = memo(function Actions({ turn, ended, branches, focus, onEdit }: ActionsProps) {
  const store = useStore();
  const busy = useBusy();
  const row = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (focus === "edit") row.current?.querySelector("button")?.focus();
  }, [focus]);

  async function askAgain() {
    // The button leaves with its turn; the keyboard goes where the next words are written.
    document.querySelector<HTMLElement>("[data-testid=composer]")?.focus();
    await store.askAgain(turn);
  }

  function fork() {
    const { id } = store.app.open;
    if (id !== null) void store.fork(id, turn);
  }

  return (
    <div ref={row} className="prompt-foot">
      <span className="prompt-actions">
        {busy ? null : (
          <>
            <IconButton icon="pencil" label="Edit" data-testid="edit-prompt" onClick={onEdit} />
            <IconButton
              icon="again"
              label="Ask again"
              data-testid="ask-again"
              onClick={() => void askAgain()}
            />
          </>
        )}
        {ended ? (
          <IconButton icon="fork" label="Fork here" data-testid="fork-here" onClick={fork} />
        ) : null}
      </span>
      {branches ? <BranchSwitch turn={turn} branches={branches} busy={busy} /> : null}
    </div>
  );
});
