// One limit being set or changed. Of one that is there, only how much it is can change.

import { type FormEvent, useEffect, useId, useRef, useState } from "react";
import { Button } from "../design/button";
import { formatExact } from "../design/format";
import type { Budget, BudgetPeriod, BudgetUnit } from "../host/protocol";
import { useApp, useStore } from "../state/use";
import { periods, readLimit, scopeOptions, units } from "./budget";

type Props = { budget: Budget | null; onDone: () => void };

export function BudgetForm({ budget, onDone }: Props) {
  const store = useStore();
  const id = useId();
  const form = useRef<HTMLFormElement>(null);
  const { sources } = useApp("settings");
  const { known } = useApp("projects");
  const [trouble, setTrouble] = useState<string>();
  const [busy, setBusy] = useState(false);
  const scopes = scopeOptions(known, sources);
  useEffect(() => {
    form.current?.querySelector<HTMLElement>(":enabled")?.focus();
  }, []);

  async function save(event: FormEvent) {
    event.preventDefault();
    if (!form.current || busy) return;
    const typed = Object.fromEntries(new FormData(form.current)) as Record<string, string>;
    const limit = readLimit(typed.limit ?? "");
    if (typeof limit === "string") {
      setTrouble(limit);
      form.current.querySelector<HTMLInputElement>("[name=limit]")?.focus();
      return;
    }
    const scope = scopes.find(({ key }) => key === typed.scope)?.scope ?? { of: "everything" };
    const chosen = budget ?? {
      scope,
      period: typed.period as BudgetPeriod,
      unit: typed.unit as BudgetUnit,
    };
    setBusy(true);
    const error = await store.changeSettings({ set: "budget", budget: { ...chosen, limit } });
    setBusy(false);
    if (error && error.code !== "declined") setTrouble(error.message);
    else onDone();
  }

  const select = (
    name: string,
    label: string,
    options: readonly { value: string; label: string }[],
  ) => (
    <label className={name === "scope" ? "price-model" : undefined}>
      <span className="text-[12px] text-ink2">{label}</span>
      <select name={name} data-testid={`settings-budget-${name}`} className="field">
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </label>
  );

  return (
    <form
      ref={form}
      data-testid="settings-budget-form"
      aria-label={budget ? "Another limit" : "A new limit"}
      className="price-form budget-form"
      autoComplete="off"
      noValidate
      onSubmit={save}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        // It closes the form, not the page around it.
        event.preventDefault();
        event.stopPropagation();
        onDone();
      }}
    >
      {budget ? null : (
        <>
          {select(
            "scope",
            "For",
            scopes.map(({ key, label }) => ({ value: key, label })),
          )}
          {select("period", "Within", periods)}
          {select("unit", "Counted in", units)}
        </>
      )}
      <label>
        <span className="text-[12px] text-ink2">Limit</span>
        <input
          name="limit"
          data-testid="settings-budget-limit"
          className="field mono"
          defaultValue={budget ? formatExact(budget.limit) : ""}
          inputMode="decimal"
          spellCheck={false}
          aria-invalid={trouble !== undefined}
          aria-describedby={trouble ? `${id}-trouble` : undefined}
        />
      </label>
      <div className="price-acts">
        <p id={`${id}-trouble`} role="alert" className="mr-auto min-w-0 text-[12px] text-bad">
          {trouble ? <span data-testid="settings-budget-error">{trouble}</span> : null}
        </p>
        <Button data-testid="settings-budget-cancel" onClick={onDone}>
          Cancel
        </Button>
        <Button type="submit" look="primary" data-testid="settings-budget-save" disabled={busy}>
          Save
        </Button>
      </div>
    </form>
  );
}
