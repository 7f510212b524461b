// One turn: the user's prompt, the blocks of the reply, how it ended and what it used.

import { memo } from "react";
import { isUnanswered } from "../state/turn";
import { useOpenSummary, useOutline } from "../state/use";
import { BlockView } from "./blocks";
import { Ending } from "./ending";
import { MOUNTED_BLOCKS, ShowMore, useHidden } from "./hidden";
import { UserPictures } from "./pictures";
import { Prompt } from "./prompt";
import { RetryLine } from "./retry";
import { Usage } from "./usage";

export const TurnView = memo(function TurnView({ id }: { id: string }) {
  const outline = useOutline(id);
  if (!outline) return null;
  const { user, keys, asking, end, retry } = outline;
  return (
    <article className="turn" data-turn={id} aria-label="Turn">
      {user ? <UserPictures images={user.images} /> : null}
      {user ? <Prompt outline={outline} user={user} /> : null}
      <Blocks turn={id} keys={keys} asking={asking} />
      {retry ? <RetryLine retry={retry} /> : null}
      {isUnanswered(outline) && !end && !retry ? <Waiting /> : null}
      <Ending outline={outline} />
      <Usage outline={outline} />
    </article>
  );
});

type BlocksProps = { turn: string; keys: readonly string[]; asking?: readonly string[] };

/** A reply of thousands of blocks mounts its beginning, its end and what waits for the user. */
function Blocks({ turn, keys, asking = [] }: BlocksProps) {
  const hidden = useHidden(keys.length, MOUNTED_BLOCKS);
  const view = (key: string) => <BlockView key={key} turn={turn} blockKey={key} />;
  if (hidden.count === 0) return keys.map(view);
  const away = new Set(keys.slice(hidden.from, hidden.to));
  // One list, so that a block which stays mounted keeps what the reader has opened.
  return [
    ...keys.slice(0, hidden.from).map(view),
    <ShowMore key="more" hidden={hidden} noun="part" />,
    ...asking.filter((key) => away.has(key)).map(view),
    ...keys.slice(hidden.to).map(view),
  ];
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
