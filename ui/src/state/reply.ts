// What is read off a whole turn: the reply's text, its citations, what it used.

import type { Citation, Usage } from "../host/protocol";
import type { Step, TextBlock } from "./block";
import { withOriginals } from "./restored";
import type { Outline, Turn } from "./turn";

function texts(turn: Turn): TextBlock[] {
  return turn.blocks.filter((block): block is TextBlock => block.kind === "text");
}

/** The reply as the model wrote it, runs apart by an empty line. */
export function replyText(turn: Turn): string {
  return texts(turn)
    .map(({ parts }) =>
      parts.map(({ content, restored }) => withOriginals(content, restored)).join(""),
    )
    .filter((text) => text !== "")
    .join("\n\n");
}

/** The distinct citations of a turn in order: the n-th is the one that the text calls n. */
export function citationsOf(turn: Turn): Citation[] {
  const distinct = new Map<string, Citation>();
  for (const { parts } of texts(turn)) {
    for (const citation of parts.flatMap((part) => part.citations)) {
      const { url, title, citedText } = citation;
      const key = url ? `url ${url}` : `text ${JSON.stringify([title, citedText])}`;
      if (!distinct.has(key)) distinct.set(key, citation);
    }
  }
  return [...distinct.values()];
}

export type Totals = {
  readonly input: number;
  readonly output: number;
  /** Tokens read from the cache. */
  readonly cached: number;
  /** Tokens written to the cache. */
  readonly written: number;
  readonly cost?: number;
  /** A source did not tell its last count: what it must have been is guessed. */
  readonly isEstimate: boolean;
  readonly firstChunkMs?: number;
  readonly tokensPerSecond?: number;
};

/** What the turn used, or nothing when its source has not said. */
export function totalsOf({ steps, end }: Outline): Totals | undefined {
  const usages: readonly Usage[] =
    end?.type === "complete" && end.usage ? [end.usage] : steps.map(({ usage }) => usage);
  if (usages.length === 0) return undefined;
  const sum = (pick: (usage: Usage) => number) =>
    usages.reduce((all, usage) => all + pick(usage), 0);
  // What a source did not count itself says nothing of how fast it was. Before estimates, one that
  // was cut off had only told its first count.
  const cut = end?.type === "error" || (end?.type === "complete" && end.stopReason === "cancelled");
  const isTimed = (step: Step) => step.firstChunkMs !== undefined && !step.isEstimate;
  const timed = cut ? [] : steps.filter(isTimed);
  const streamMs = timed.reduce((all, step) => all + step.durationMs - (step.firstChunkMs ?? 0), 0);
  const streamed = timed.reduce((all, step) => all + step.usage.outputTokens, 0);
  return {
    input: sum((usage) => usage.inputTokens),
    output: sum((usage) => usage.outputTokens),
    cached: sum((usage) => usage.cacheReadTokens),
    written: sum((usage) => usage.cacheWriteTokens),
    cost: costOf(steps, end),
    isEstimate: steps.some((step) => step.isEstimate === true),
    // An attempt that was made again had none.
    firstChunkMs: steps.find((step) => step.firstChunkMs !== undefined)?.firstChunkMs,
    tokensPerSecond: streamMs > 0 && streamed > 0 ? (streamed * 1000) / streamMs : undefined,
  };
}

function costOf(steps: Outline["steps"], end: Outline["end"]): number | undefined {
  if (end?.type === "complete" && end.cost !== undefined) return end.cost;
  const known = steps.flatMap(({ cost }) => (cost === undefined ? [] : [cost]));
  return known.length > 0 ? known.reduce((all, cost) => all + cost, 0) : undefined;
}
