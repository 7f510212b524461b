// The user's own prices, which go before the shipped ones.

import { useRef, useState } from "react";
import { IconButton } from "../design/button";
import { formatDay, formatPrice } from "../design/format";
import type { ErrorBody, ModelPrice } from "../host/protocol";
import { sourceOf } from "../state/offers";
import { useApp, useStore } from "../state/use";
import { isSameModel, numbers } from "./price";
import { PriceForm } from "./price_form";

type Editing = { readonly price: Partial<ModelPrice>; readonly replaces?: string };

export function Prices() {
  const store = useStore();
  const settings = useApp("settings");
  const { prices, pricesAsOf } = settings;
  const add = useRef<HTMLButtonElement>(null);
  const [editing, setEditing] = useState<Editing | null>(null);
  const [error, setError] = useState<ErrorBody>();

  function close() {
    setEditing(null);
    add.current?.focus();
  }

  function begin() {
    const model = sourceOf(settings)?.model ?? "";
    const known = prices.some((price) => isSameModel(price.model, model));
    setEditing({ price: known ? {} : { model } });
  }

  async function forget(model: string) {
    // Its button goes away with it.
    close();
    setError(await store.changeSettings({ set: "forget_price", model }));
  }

  return (
    <section data-testid="settings-prices" aria-label="Prices">
      <div className="flex items-baseline justify-between gap-3">
        <h3 className="font-medium">Prices</h3>
        <button
          ref={add}
          type="button"
          data-testid="settings-price-add"
          className="quiet-button"
          onClick={begin}
        >
          Add your own
        </button>
      </div>
      <p data-testid="settings-prices-as-of" className="mt-1 text-[12px] text-ink3">
        Prices as of {formatDay(pricesAsOf)}, in US dollars for a million tokens.
        {prices.length > 0 ? " Your own go first:" : ""}
      </p>
      {error ? (
        <p role="alert" className="mt-1.5 text-[12px] text-bad">
          {error.message}
        </p>
      ) : null}
      {prices.length > 0 ? (
        <PriceTable
          prices={prices}
          onEdit={(price) => setEditing({ price, replaces: price.model })}
          onForget={(model) => void forget(model)}
        />
      ) : null}
      {editing ? <PriceForm key={editing.replaces ?? ""} {...editing} onDone={close} /> : null}
    </section>
  );
}

type TableProps = {
  prices: readonly ModelPrice[];
  onEdit: (price: ModelPrice) => void;
  onForget: (model: string) => void;
};

function PriceTable({ prices, onEdit, onForget }: TableProps) {
  return (
    <table className="prices">
      <thead>
        <tr>
          <th scope="col">Model</th>
          {numbers.map(({ name, label }) => (
            <th key={name} scope="col">
              {label}
            </th>
          ))}
          <th scope="col">
            <span className="sr-only">Change</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {prices.map((price) => (
          <tr key={price.model} data-testid="settings-price" data-model={price.model}>
            <th scope="row" className="mono" title={price.model}>
              {price.model}
            </th>
            {numbers.map(({ name }) => (
              <td key={name}>{formatPrice(price[name])}</td>
            ))}
            <td>
              <span className="flex justify-end">
                <IconButton
                  icon="pencil"
                  label={`Edit the price of ${price.model}`}
                  data-testid="settings-price-edit"
                  onClick={() => onEdit(price)}
                />
                <IconButton
                  icon="trash"
                  label={`Remove the price of ${price.model}`}
                  data-testid="settings-price-remove"
                  onClick={() => onForget(price.model)}
                />
              </span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
