// What the fake host says was used, and its budgets.

import type { BudgetState, SettingsChange, UsageReport, UsageRow } from "./protocol";

type BudgetChange = Extract<SettingsChange, { set: "budget" | "remove_budget" }>;

export function changeBudgets(states: readonly BudgetState[], change: BudgetChange): BudgetState[] {
  const key = ({ scope, period, unit }: BudgetState["budget"]) =>
    JSON.stringify([scope, period, unit]);
  const isIt = ({ budget }: BudgetState) => key(budget) === key(change.budget);
  if (change.set === "remove_budget") return states.filter((state) => !isIt(state));
  const spent = states.find(isIt)?.spent ?? null;
  const changed = { budget: change.budget, spent };
  return states.some(isIt)
    ? states.map((state) => (isIt(state) ? changed : state))
    : [...states, changed];
}

export function usageRow(key: string, change: Partial<UsageRow> = {}): UsageRow {
  return {
    key,
    steps: 0,
    inputTokens: 0,
    outputTokens: 0,
    reasoningTokens: 0,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    totalTokens: 0,
    cost: null,
    saved: null,
    unpricedSteps: 0,
    estimatedSteps: 0,
    ...change,
  };
}

const LAST = Date.parse("2026-11-17");
const DAY = 24 * 60 * 60 * 1000;

/** Weekdays with work on them, weekends without. */
export function fakeUsage(count: number): UsageReport {
  const days = Array.from({ length: count }, (_, at) => {
    const time = LAST - (count - 1 - at) * DAY;
    const key = new Date(time).toISOString().slice(0, 10);
    const weekday = new Date(time).getUTCDay();
    if (weekday === 0 || weekday === 6) return usageRow(key);
    return used(key, 4 + ((at * 7) % 11));
  });
  const steps = days.reduce((sum, day) => sum + day.steps, 0);
  const most = Math.ceil(steps * 0.7);
  return {
    total: used("", steps),
    days,
    projects: [used("/projects/weir", most), used("", steps - most)],
    models: [used("claude-sonnet-4-5", most), used("gpt-5-mini", steps - most)],
    sources: [used("anthropic", most), used("openai", steps - most)],
  };
}

function used(key: string, steps: number): UsageRow {
  return usageRow(key, {
    steps,
    inputTokens: steps * 1200,
    outputTokens: steps * 350,
    reasoningTokens: steps * 100,
    cacheReadTokens: steps * 8000,
    totalTokens: steps * 9550,
    cost: steps * 0.0113,
    saved: steps * 0.0216,
  });
}
