// A price as it is typed, and what is wrong with it in words.

import type { ModelPrice } from "../host/protocol";

export const numbers = [
  { name: "input", label: "Input" },
  { name: "output", label: "Output" },
  { name: "cacheRead", label: "Cache read" },
  { name: "cacheWrite", label: "Cache write" },
] as const;

export type NumberName = (typeof numbers)[number]["name"];
export type PriceField = "model" | NumberName;
export type TypedPrice = Readonly<Record<PriceField, string>>;

export type PriceTrouble = { readonly field: PriceField; readonly words: string };

/** Whether two names mean the same model: spaces around them mean nothing. */
export function isSameModel(one: string, other: string): boolean {
  return one.trim() === other.trim();
}

/** The price, or the first thing that keeps it from being one. */
export function readPrice(typed: TypedPrice): ModelPrice | PriceTrouble {
  const model = typed.model.trim();
  if (model === "") return { field: "model", words: "Name the model this price is for." };
  const price: ModelPrice = { model, input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  for (const { name, label } of numbers) {
    const text = typed[name].trim().replace(/^\$/, "");
    const words = troubleOf(text, name, label);
    if (words !== undefined) return { field: name, words };
    // What nobody priced apart costs what any input costs: rather too much than nothing.
    price[name] = text === "" ? price.input : Number(text);
  }
  return price;
}

function troubleOf(text: string, name: NumberName, label: string): string | undefined {
  if (text === "") {
    const needed = name === "input" || name === "output";
    return needed ? `${label} is missing. Write it like 3 or 0.25.` : undefined;
  }
  if (/^(\d+\.?\d*|\.\d+)$/.test(text)) return undefined;
  if (/^[-−]\s*(\d+\.?\d*|\.\d+)$/.test(text)) return `${label} cannot be below zero.`;
  return `${label} is no number. Write it like 3 or 0.25.`;
}
