// What a source says it is doing: a line of steps, the last of them under way while it grows.

import { Fold, FoldChevron, useSelfFolding } from "../design/fold";
import { formatDuration } from "../design/format";
import { Icon } from "../design/icons";
import type { ProcessingBlock } from "../state/block";

export function Processing({ block }: { block: ProcessingBlock }) {
  const [open, toggle] = useSelfFolding(block.growing);
  const steps = block.content.split("\n").filter((line) => line.trim() !== "");
  const done = block.growing ? steps.length - 1 : steps.length;
  return (
    <div data-testid="processing" data-open={open}>
      <button type="button" aria-expanded={open} className="fold-line" onClick={toggle}>
        <FoldChevron open={open} />
        <span>{block.growing ? "Processing…" : "Processed"}</span>
        <span className="text-ink3 tabular-nums">
          {block.durationMs === undefined
            ? `${Math.max(0, done)} of ${steps.length} steps`
            : `${steps.length === 1 ? "1 step" : `${steps.length} steps`} in ${formatDuration(block.durationMs)}`}
        </span>
      </button>
      <Fold open={open}>
        <ul className="pt-1 pl-6 text-[13px] text-ink2">
          {steps.map((step, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: steps are only ever added at the end.
            <li key={index} className="flex items-center gap-2 py-px">
              {index < done ? (
                <Icon name="check" className="text-good" />
              ) : (
                <span className="mx-1 size-2 rounded-full bg-acc" />
              )}
              {step}
            </li>
          ))}
        </ul>
      </Fold>
    </div>
  );
}
