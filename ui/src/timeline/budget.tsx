// What a budget had to say: one quiet line where it said it.

import { formatAmount } from "../design/format";
import type { BudgetBlock } from "../state/block";

export function Budget({ block }: { block: BudgetBlock }) {
  const { level } = block.said;
  const tone = ["spent", "unpriced", "warning"].includes(level) ? "text-warn" : "text-ink3";
  return (
    <p data-testid="budget" data-level={level} className={`text-[13px] tabular-nums ${tone}`}>
      {budgetWords(block.said)}
    </p>
  );
}

export function budgetWords(said: BudgetBlock["said"]): string {
  const { level, name, unit, needed, model, ownTools } = said;
  const limit = formatAmount(unit, said.limit);
  const spent = formatAmount(unit, said.spent);
  switch (level) {
    case "warning":
      return `The budget for ${name} is nearly spent: ${spent} of ${limit}.`;
    case "spent":
      return needed === undefined
        ? `The budget for ${name} is spent: ${spent} of ${limit}.`
        : `The next step alone would take about ${formatAmount(unit, needed)}, and the budget for ${name} is ${limit}.`;
    case "raised":
      return `Gone on past the budget for ${name} this once: ${spent} of ${limit} were spent.`;
    case "unpriced":
      if (ownTools)
        return `The provider of ${model || "the model"} charges for its own tools beyond the tokens, so the budget of ${limit} for ${name} cannot count all that it costs.`;
      return `The price of ${model || "the model"} is not known, so the budget of ${limit} for ${name} cannot count what it costs.`;
    case "uncounted":
      if (ownTools)
        return `The provider of ${model ?? "this model"} charges for its own tools beyond the tokens: that does not count towards the budget for ${name}.`;
      return `The price of ${model ?? "this model"} is not known: what it costs does not count towards the budget for ${name}.`;
  }
}
