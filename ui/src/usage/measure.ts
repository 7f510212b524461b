// What a bar stands for.

import { formatCost, formatCount } from "../design/format";
import type { UsageRow } from "../host/protocol";

export type Measure = "cost" | "tokens";

export function measured(row: UsageRow, measure: Measure): number {
  return measure === "cost" ? (row.cost ?? 0) : row.totalTokens;
}

export function written(amount: number, measure: Measure): string {
  return measure === "cost" ? formatCost(amount) : `${formatCount(amount)} tokens`;
}

/** Dollars, or a dash where nobody knows the price. */
export function shown(dollars: number | null): string {
  return dollars === null ? "–" : formatCost(dollars);
}
