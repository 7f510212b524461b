// A budget as it is chosen and typed, and how it reads.

import type {
  Budget,
  BudgetPeriod,
  BudgetScope,
  BudgetUnit,
  ProjectSummary,
  SourceSettings,
} from "../host/protocol";

export const periods: readonly { value: BudgetPeriod; label: string }[] = [
  { value: "day", label: "a day" },
  { value: "month", label: "a month" },
  { value: "ever", label: "in all" },
];

export const units: readonly { value: BudgetUnit; label: string }[] = [
  { value: "dollars", label: "US dollars" },
  { value: "tokens", label: "tokens" },
];

export type ScopeOption = {
  readonly key: string;
  readonly label: string;
  readonly scope: BudgetScope;
};

export function scopeOptions(
  projects: readonly ProjectSummary[],
  sources: readonly SourceSettings[],
): readonly ScopeOption[] {
  const scopes: readonly BudgetScope[] = [
    { of: "everything" },
    { of: "session" },
    { of: "project" },
    ...projects.map(({ path }): BudgetScope => ({ of: "project", project: path })),
    { of: "source" },
    ...sources.map(({ name }): BudgetScope => ({ of: "source", source: name })),
  ];
  return scopes.map((scope) => ({
    key: JSON.stringify(scope),
    label: scopeWords(scope, sources),
    scope,
  }));
}

export function scopeWords(scope: BudgetScope, sources: readonly SourceSettings[]): string {
  switch (scope.of) {
    case "everything":
      return "Everything";
    case "session":
      return "Each session";
    case "project":
      return scope.project === undefined ? "Each project" : `Project ${scope.project}`;
    case "source": {
      if (scope.source === undefined) return "Each source";
      return sources.find(({ name }) => name === scope.source)?.label ?? scope.source;
    }
  }
}

/** What tells a budget from every other, whatever its limit is. */
export function budgetKey({ scope, period, unit }: Budget): string {
  return JSON.stringify([scope, period, unit]);
}

/** The limit, or what is wrong with it in words. */
export function readLimit(typed: string): number | string {
  const text = typed.trim().replace(/^\$/, "");
  if (text === "") return "Say how much. Write it like 5 or 0.01.";
  if (/^(\d+\.?\d*|\.\d+)$/.test(text)) return Number(text);
  return "The limit is no number. Write it like 5 or 0.01.";
}
