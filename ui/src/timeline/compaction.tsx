// Where a summary took the place of what came before: one quiet line that opens to it.

import { useState } from "react";
import { Fold, FoldChevron } from "../design/fold";
import type { CompactionBlock } from "../state/block";

export function Compaction({ block }: { block: CompactionBlock }) {
  const [open, setOpen] = useState(false);
  return (
    <div data-testid="compaction" className="text-[13px] text-ink3">
      <button
        type="button"
        aria-expanded={open}
        className="flex items-center gap-2"
        onClick={() => setOpen(!open)}
      >
        Earlier messages were summarized
        <FoldChevron open={open} />
      </button>
      <Fold open={open}>
        <p className="mt-1 whitespace-pre-wrap break-words border-line2 border-l-2 pl-3 text-ink2">
          {block.content}
        </p>
      </Fold>
    </div>
  );
}
