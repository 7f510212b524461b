// A thinking block: one quiet line that opens by itself while it grows.

import { useNow } from "../design/clock";
import { Fold, FoldChevron, useSelfFolding } from "../design/fold";
import { formatSeconds } from "../design/format";
import type { ThinkingBlock } from "../state/block";
import { Pieces } from "./html";

export function Thinking({ block }: { block: ThinkingBlock }) {
  const [open, toggle] = useSelfFolding(block.growing);
  const sealed = block.redacted && block.content === "";
  return (
    <div data-testid="thinking" data-open={open} data-growing={block.growing}>
      <button
        type="button"
        data-testid="thinking-toggle"
        aria-expanded={open}
        className="fold-line"
        onClick={toggle}
      >
        <FoldChevron open={open} />
        {block.growing ? (
          <Growing startedAt={block.startedAt} />
        ) : (
          <span>{finishedLabel(block)}</span>
        )}
      </button>
      <Fold open={open}>
        <div className="aside prose prose-small" data-growing={block.growing}>
          {sealed ? (
            <p>The source keeps this thinking sealed. Weir sends it back unread.</p>
          ) : (
            <Pieces html={block.html} growing={block.growing} />
          )}
        </div>
      </Fold>
    </div>
  );
}

function Growing({ startedAt }: { startedAt: number }) {
  const now = useNow(1000);
  const seconds = Math.max(0, Math.floor((now - startedAt) / 1000));
  return (
    <span>
      Thinking… <span className="text-ink3 tabular-nums">{seconds}s</span>
    </span>
  );
}

function finishedLabel({ durationMs, redacted }: ThinkingBlock): string {
  const label = durationMs === undefined ? "Thought" : `Thought for ${formatSeconds(durationMs)}`;
  return redacted ? `${label}, redacted` : label;
}
