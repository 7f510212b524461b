import { describe, expect, it } from "vitest";
import { FakeHost } from "../host/fake";
import type { ModelPrice, Settings, SettingsChange } from "../host/protocol";
import { type SettingsAsk, SettingsAsks } from "./settings";

const price = (model: string, input = 1): ModelPrice => ({
  model,
  input,
  output: 1,
  cacheRead: 1,
  cacheWrite: 1,
});
const key = (source: string): SettingsAsk => ({ set: "key", source });
const base = (source: string, baseUrl: string): SettingsChange => ({
  set: "base_url",
  source,
  baseUrl,
});

/** Every order in which some answers may come. */
function orders(of: readonly number[]): number[][] {
  if (of.length === 0) return [[]];
  return of.flatMap((first) =>
    orders(of.filter((other) => other !== first)).map((rest) => [first, ...rest]),
  );
}

/** Asks all at once; Rust does them in order and its answers come as `arriving` says. */
async function settled(asks: readonly SettingsAsk[], arriving: readonly number[]) {
  const host = new FakeHost();
  const numbered = new SettingsAsks();
  let held: Settings = host.startup.settings;
  const begun = asks.map((ask) => numbered.begin(ask));
  const told: Settings[] = [];
  for (const ask of asks) {
    told.push(
      ask.set === "key" ? await host.setKey(ask.source, "k") : await host.changeSettings(ask),
    );
  }
  for (const at of arriving) held = begun[at]?.(told[at] as Settings, held) ?? held;
  return { held, last: host.startup.settings };
}

describe("answers with settings", () => {
  const cases: [string, SettingsAsk[]][] = [
    [
      "one thing again and again",
      [
        { set: "theme", theme: "dark" },
        { set: "theme", theme: "light" },
        { set: "theme", theme: "dark" },
      ],
    ],
    [
      "different things",
      [
        { set: "theme", theme: "dark" },
        { set: "thinking", thinking: "high" },
        { set: "source", source: "openai" },
      ],
    ],
    [
      "different things of one source",
      [{ set: "model", source: "openai", model: "m" }, base("openai", "https://b"), key("openai")],
    ],
    [
      "one thing of different sources",
      [base("openai", "https://b"), base("ollama", "https://c"), base("openai", "https://d")],
    ],
    ["keys", [key("anthropic"), { set: "theme", theme: "dark" }]],
    [
      "prices",
      [
        { set: "price", price: price("b") },
        { set: "price", price: price("a") },
        { set: "price", price: price("b", 2) },
      ],
    ],
    [
      "a price and its end",
      [
        { set: "price", price: price("a") },
        { set: "price", price: price("b") },
        { set: "forget_price", model: "a" },
      ],
    ],
  ];
  const rows = cases.flatMap(([name, asks]) =>
    orders(asks.map((_, at) => at)).map((arriving) => ({ name, asks, arriving })),
  );

  it.each(rows)("leave all as it was last chosen: $name, arriving $arriving", async (row) => {
    const { held, last } = await settled(row.asks, row.arriving);
    expect(held).toEqual(last);
  });

  it("tell of all there is when they come one by one", async () => {
    const host = new FakeHost();
    const asks = new SettingsAsks();
    const dark = asks.begin({ set: "theme", theme: "dark" });
    const told = await host.changeSettings({ set: "theme", theme: "dark" });
    expect(dark(told, host.startup.settings)).toBe(told);
    // Another program may have changed more.
    const more = { ...told, source: "openai", thinking: "low" as const };
    expect(asks.begin({ set: "thinking", thinking: "low" })(more, told)).toBe(more);
  });

  it("count although a person took long over them", async () => {
    const before = new FakeHost().startup.settings;
    const asks = new SettingsAsks();
    const address = asks.begin(base("openai", "https://b"));
    const theme = asks.begin({ set: "theme", theme: "dark" });
    const dark = theme({ ...before, theme: "dark" }, before);
    const sources = before.sources.map((source) =>
      source.name === "openai" ? { ...source, baseUrl: "https://b" } : source,
    );
    // It was made before the theme was known, and is believed about its own change alone.
    expect(address({ ...before, sources }, dark)).toEqual({ ...before, theme: "dark", sources });
  });
});
