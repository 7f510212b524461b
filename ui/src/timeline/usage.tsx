// The line under a finished reply: what it used and cost, how fast it came, and Copy.

import { useState } from "react";
import { copyText } from "../design/clipboard";
import { formatCost, formatCount, formatDuration } from "../design/format";
import { replyText, type Totals, totalsOf } from "../state/reply";
import type { Outline } from "../state/turn";
import { useStore } from "../state/use";

export function Usage({ outline }: { outline: Outline }) {
  if (!outline.end) return null;
  const totals = totalsOf(outline);
  const hasText = outline.keys.some((key) => key.startsWith("text-"));
  if (!totals && !hasText) return null;
  return (
    <div
      data-testid="usage"
      className="flex flex-wrap items-center gap-x-3 gap-y-1 text-[12px] text-ink3 tabular-nums"
    >
      {totals ? <Figures totals={totals} /> : null}
      {hasText ? <Copy turn={outline.id} /> : null}
    </div>
  );
}

function Figures({ totals }: { totals: Totals }) {
  const { input, output, cached, written, cost, firstChunkMs, tokensPerSecond } = totals;
  return (
    <>
      {totals.isEstimate ? (
        <span title="The reply ended before its source had counted: this is what it must have used">
          ≈
        </span>
      ) : null}
      <Figure value={formatCount(input)} unit="in" title={`${input} input tokens`} />
      <Figure value={formatCount(output)} unit="out" title={`${output} output tokens`} />
      {cached > 0 ? (
        <Figure
          value={formatCount(cached)}
          unit="cached"
          title={`${cached} tokens read from the cache`}
        />
      ) : null}
      {written > 0 ? (
        <Figure
          value={formatCount(written)}
          unit="cache write"
          title={`${written} tokens written to the cache`}
        />
      ) : null}
      {cost === undefined ? null : (
        <Figure value={formatCost(cost)} unit="" title="At the price of that moment" />
      )}
      {firstChunkMs === undefined ? null : <span>{formatDuration(firstChunkMs)} to first</span>}
      {tokensPerSecond === undefined ? null : (
        <span>{formatCount(Math.round(tokensPerSecond))} tok/s</span>
      )}
    </>
  );
}

function Figure({ value, unit, title }: { value: string; unit: string; title: string }) {
  return (
    <span title={title}>
      <b className="font-medium text-ink2">{value}</b> {unit}
    </span>
  );
}

function Copy({ turn }: { turn: string }) {
  const store = useStore();
  const [label, setLabel] = useState("Copy");
  async function copy() {
    const held = store.turn(turn);
    const copied = held ? await copyText(replyText(held)) : false;
    setLabel(copied ? "Copied" : "Could not copy");
    setTimeout(() => setLabel("Copy"), 1500);
  }
  return (
    <button
      type="button"
      className="ml-auto rounded hover:text-ink"
      aria-label={`${label} reply`}
      onClick={copy}
    >
      {label}
    </button>
  );
}
