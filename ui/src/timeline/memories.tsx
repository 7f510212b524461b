// What was remembered and went with the session's first prompt: one quiet line that opens to the
// list. The log has ids only, so the words are asked for when it opens, as they are now.

import { useState } from "react";
import { Fold, FoldChevron } from "../design/fold";
import type { ErrorBody, Memory } from "../host/protocol";
import { MemoryRow } from "../memory/row";
import type { MemoriesBlock } from "../state/block";
import { useStore } from "../state/use";

export function Memories({ block }: { block: MemoriesBlock }) {
  const store = useStore();
  const [open, setOpen] = useState(false);
  const [memories, setMemories] = useState<readonly Memory[]>();
  const [error, setError] = useState<ErrorBody>();
  const { ids } = block;
  const gone = memories ? ids.length - memories.length : 0;

  async function toggle() {
    setOpen(!open);
    if (open) return;
    const { value, error } = await store.ask((host) => host.memoriesById(ids));
    setError(error);
    if (value) setMemories(value);
  }

  function replace(edited: Memory) {
    setMemories(memories?.map((memory) => (memory.id === edited.id ? edited : memory)));
  }

  return (
    <div data-testid="memories" className="text-[13px] text-ink3">
      <button
        type="button"
        aria-expanded={open}
        className="flex items-center gap-2"
        onClick={() => void toggle()}
      >
        {ids.length === 1 ? "1 memory went with this" : `${ids.length} memories went with this`}
        <FoldChevron open={open} />
      </button>
      <Fold open={open}>
        <div className="mt-1 border-line2 border-l-2 pr-1 pl-3 text-ink2">
          {error ? <p role="alert">{error.message}</p> : null}
          {memories && memories.length > 0 ? (
            <ul aria-label="Memories">
              {memories.map((memory) => (
                <MemoryRow
                  key={memory.id}
                  memory={memory}
                  onEdited={replace}
                  onForgotten={(isGone) => setMemories(memories.filter((other) => !isGone(other)))}
                />
              ))}
            </ul>
          ) : null}
          {gone > 0 ? (
            <p data-testid="memories-gone" className="text-ink3">
              {gone === 1 ? "1 has been forgotten since." : `${gone} have been forgotten since.`}
            </p>
          ) : null}
        </div>
      </Fold>
    </div>
  );
}
