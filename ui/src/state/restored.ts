// Placeholders in plain text, and what stands behind them.

import type { Restored } from "../host/protocol";

/** Split at what looks like a placeholder, which stays among the parts. */
export const PLACEHOLDER = /(\[[A-Z][A-Z0-9_]*_[1-9][0-9]*\])/;

/** The text as the user said it, for an area that shows plain text only. */
export function withOriginals(text: string, restored: readonly Restored[] | undefined): string {
  if (!restored) return text;
  const known = new Map(restored.map((it) => [it.placeholder, it.original]));
  return text
    .split(PLACEHOLDER)
    .map((part) => known.get(part) ?? part)
    .join("");
}
