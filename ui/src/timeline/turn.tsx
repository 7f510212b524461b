// One turn: the user's prompt, the blocks of the reply, how it ended and what it used.

import { memo } from "react";
import { memoriesKey } from "../state/turn";
import { useOpenSummary, useOutline } from "../state/use";
import { BlockView } from "./blocks";
import { Ending } from "./ending";
import { UserPictures } from "./pictures";
import { Prompt } from "./prompt";
import { RetryLine } from "./retry";
import { Usage } from "./usage";

export const TurnView = memo(function TurnView({ id }: { id: string }) {
  const outline = useOutline(id);
  if (!outline) return null;
  const { user, keys, end, retry } = outline;
  const waits = keys.every((key) => key === memoriesKey || isNotice(key));
  return (
    <article className="turn" data-turn={id} aria-label="Turn">
      {user ? <UserPictures images={user.images} /> : null}
      {user ? <Prompt outline={outline} user={user} /> : null}
      {keys.map((key) => (
        <BlockView key={key} turn={id} blockKey={key} />
      ))}
      {retry ? <RetryLine retry={retry} /> : null}
      {waits && !end && !retry ? <Waiting /> : null}
      <Ending outline={outline} />
      <Usage outline={outline} />
    </article>
  );
});

/** What guards found in the prompt is no word of the reply. */
function isNotice(key: string): boolean {
  return key.startsWith("guard-");
}

/** Between the prompt and the first chunk. */
function Waiting() {
  const running = useOpenSummary()?.status === "running";
  if (!running) return null;
  return (
    <p className="prose">
      <span className="caret" />
      <span className="sr-only">Waiting for the first words</span>
    </p>
  );
}
