// One price being given or changed.

import { type FormEvent, useEffect, useId, useRef, useState } from "react";
import { Button } from "../design/button";
import { formatExact } from "../design/format";
import type { ErrorBody, ModelPrice } from "../host/protocol";
import { useStore } from "../state/use";
import {
  isSameModel,
  numbers,
  type PriceField,
  type PriceTrouble,
  readPrice,
  type TypedPrice,
} from "./price";

type Props = {
  /** What the form begins with. */
  price: Partial<ModelPrice>;
  /** The model whose price is changed, when it is not a new one. */
  replaces?: string;
  onDone: () => void;
};

export function PriceForm({ price, replaces, onDone }: Props) {
  const store = useStore();
  const id = useId();
  const form = useRef<HTMLFormElement>(null);
  const [trouble, setTrouble] = useState<PriceTrouble | { words: string }>();
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    const first = form.current?.querySelector("input");
    first?.focus();
    first?.select();
  }, []);

  async function save(event: FormEvent) {
    event.preventDefault();
    if (!form.current || busy) return;
    const read = readPrice(Object.fromEntries(new FormData(form.current)) as TypedPrice);
    if ("words" in read) {
      setTrouble(read);
      form.current.querySelector<HTMLInputElement>(`[name=${read.field}]`)?.focus();
      return;
    }
    setBusy(true);
    const error = await keep(read);
    setBusy(false);
    if (error) setTrouble({ words: error.message });
    else onDone();
  }

  async function keep(read: ModelPrice): Promise<ErrorBody | undefined> {
    const error = await store.changeSettings({ set: "price", price: read });
    if (error || replaces === undefined || isSameModel(replaces, read.model)) return error;
    return store.changeSettings({ set: "forget_price", model: replaces });
  }

  const field = (name: PriceField, label: string, value: string) => {
    const wrong = trouble && "field" in trouble && trouble.field === name;
    return (
      <label key={name} className={name === "model" ? "price-model" : undefined}>
        <span className="text-[12px] text-ink2">{label}</span>
        <input
          name={name}
          data-testid={`settings-price-${testNames[name]}`}
          className="field mono"
          defaultValue={value}
          inputMode={name === "model" ? undefined : "decimal"}
          spellCheck={false}
          autoComplete="off"
          aria-invalid={wrong}
          aria-describedby={wrong ? `${id}-trouble` : undefined}
        />
      </label>
    );
  };

  return (
    <form
      ref={form}
      data-testid="settings-price-form"
      aria-label={replaces === undefined ? "A new price" : `The price of ${replaces}`}
      className="price-form"
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
      {field("model", "Model", price.model ?? "")}
      {numbers.map(({ name, label }) => field(name, label, written(price[name])))}
      <div className="price-acts">
        <p id={`${id}-trouble`} role="alert" className="mr-auto min-w-0 text-[12px] text-bad">
          {trouble ? <span data-testid="settings-price-error">{trouble.words}</span> : null}
        </p>
        <Button data-testid="settings-price-cancel" onClick={onDone}>
          Cancel
        </Button>
        <Button type="submit" look="primary" data-testid="settings-price-save" disabled={busy}>
          Save
        </Button>
      </div>
    </form>
  );
}

function written(dollars: number | undefined): string {
  return dollars === undefined ? "" : formatExact(dollars);
}

const testNames: Readonly<Record<PriceField, string>> = {
  model: "model",
  input: "input",
  output: "output",
  cacheRead: "cache-read",
  cacheWrite: "cache-write",
};
