// Limits on what may be spent. A lower one holds at once; a higher one, or none, Rust asks about.

import { useRef, useState } from "react";
import { IconButton } from "../design/button";
import { formatAmount } from "../design/format";
import type { Budget, BudgetState, ErrorBody } from "../host/protocol";
import { useApp, useStore } from "../state/use";
import { budgetKey, periods, scopeWords } from "./budget";
import { BudgetForm } from "./budget_form";

/** `null`: a new one. */
type Editing = { readonly budget: Budget | null };

export function Budgets() {
  const store = useStore();
  const { budgets } = useApp("settings");
  const add = useRef<HTMLButtonElement>(null);
  const [editing, setEditing] = useState<Editing>();
  const [error, setError] = useState<ErrorBody>();

  function close() {
    setEditing(undefined);
    add.current?.focus();
  }

  async function remove(budget: Budget) {
    close();
    setError(await store.changeSettings({ set: "remove_budget", budget }));
  }

  return (
    <section data-testid="settings-budgets" aria-label="Budgets">
      <div className="flex items-baseline justify-between gap-3">
        <h3 className="font-medium">Budgets</h3>
        <button
          ref={add}
          type="button"
          data-testid="settings-budget-add"
          className="quiet-button"
          onClick={() => setEditing({ budget: null })}
        >
          Add a limit
        </button>
      </div>
      <p className="mt-1 text-[12px] text-ink3">
        A turn stops between two steps once a limit is spent; you are told at four fifths.
      </p>
      {error && error.code !== "declined" ? (
        <p role="alert" className="mt-1.5 text-[12px] text-bad">
          {error.message}
        </p>
      ) : null}
      {budgets.length > 0 ? (
        <BudgetTable
          budgets={budgets}
          onEdit={(budget) => setEditing({ budget })}
          onRemove={(budget) => void remove(budget)}
        />
      ) : null}
      {editing ? (
        <BudgetForm
          key={editing.budget ? budgetKey(editing.budget) : ""}
          budget={editing.budget}
          onDone={close}
        />
      ) : null}
    </section>
  );
}

type TableProps = {
  budgets: readonly BudgetState[];
  onEdit: (budget: Budget) => void;
  onRemove: (budget: Budget) => void;
};

function BudgetTable({ budgets, onEdit, onRemove }: TableProps) {
  const { sources } = useApp("settings");
  return (
    <table className="prices budgets">
      <thead>
        <tr>
          <th scope="col">For</th>
          <th scope="col">Limit</th>
          <th scope="col">Spent</th>
          <th scope="col">
            <span className="sr-only">Change</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {budgets.map(({ budget, spent }) => {
          const name = scopeWords(budget.scope, sources);
          const period = periods.find(({ value }) => value === budget.period)?.label;
          const limit = `${formatAmount(budget.unit, budget.limit)} ${period}`;
          return (
            <tr key={budgetKey(budget)} data-testid="settings-budget">
              <th scope="row" title={name}>
                {name}
              </th>
              <td>{limit}</td>
              <td>{spent === null ? "" : formatAmount(budget.unit, spent)}</td>
              <td>
                <span className="flex justify-end">
                  <IconButton
                    icon="pencil"
                    label={`Change the limit of ${limit} for ${name}`}
                    data-testid="settings-budget-edit"
                    onClick={() => onEdit(budget)}
                  />
                  <IconButton
                    icon="trash"
                    label={`Remove the limit of ${limit} for ${name}`}
                    data-testid="settings-budget-remove"
                    onClick={() => onRemove(budget)}
                  />
                </span>
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
