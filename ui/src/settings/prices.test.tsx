import { act, fireEvent } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { FakeHost } from "../host/fake";
import type { ModelPrice } from "../host/protocol";
import { expectAccessible } from "../testing/accessible";
import { draw } from "../testing/draw";
import { type PriceField, readPrice, type TypedPrice } from "./price";

const typed = (change: Partial<TypedPrice>): TypedPrice => ({
  model: "m",
  input: "3",
  output: "15",
  cacheRead: "0.3",
  cacheWrite: "3.75",
  ...change,
});

const price = (change: Partial<ModelPrice> = {}): ModelPrice => ({
  model: "m",
  input: 3,
  output: 15,
  cacheRead: 0.3,
  cacheWrite: 3.75,
  ...change,
});

describe("a price as it is typed", () => {
  it.each<[string, Partial<TypedPrice>, ModelPrice]>([
    ["plain", {}, price()],
    ["with spaces and dollars", { model: " m ", input: " $3 " }, price()],
    ["of nothing", { input: "0", output: "0." }, price({ input: 0, output: 0 })],
    ["small", { input: ".25" }, price({ input: 0.25 })],
    [
      "without the cache",
      { cacheRead: "", cacheWrite: " " },
      price({ cacheRead: 3, cacheWrite: 3 }),
    ],
  ])("is read: %s", (_, change, expected) => expect(readPrice(typed(change))).toEqual(expected));

  it.each<[Partial<TypedPrice>, PriceField, string]>([
    [{ model: " " }, "model", "Name the model this price is for."],
    [{ input: "" }, "input", "Input is missing. Write it like 3 or 0.25."],
    [{ output: "" }, "output", "Output is missing. Write it like 3 or 0.25."],
    [{ output: "lots" }, "output", "Output is no number. Write it like 3 or 0.25."],
    [{ input: "1,5" }, "input", "Input is no number. Write it like 3 or 0.25."],
    [{ input: "0x10" }, "input", "Input is no number. Write it like 3 or 0.25."],
    [{ cacheRead: "-1" }, "cacheRead", "Cache read cannot be below zero."],
    [
      { cacheWrite: "Infinity" },
      "cacheWrite",
      "Cache write is no number. Write it like 3 or 0.25.",
    ],
  ])("is refused in words: %o", (change, field, words) =>
    expect(readPrice(typed(change))).toEqual({ field, words }),
  );
});

async function drawPrices(...prices: ModelPrice[]) {
  const host = new FakeHost();
  host.startup.settings = { ...host.startup.settings, prices };
  const drawn = await draw(host);
  await act(async () => void fireEvent.click(drawn.get("open-settings")));
  const { get, getAllByTestId, queryAllByTestId } = drawn;
  const click = (testId: string, at = 0) => act(async () => getAllByTestId(testId)[at]?.click());
  const fill = (values: Record<string, string>) => {
    for (const [name, value] of Object.entries(values)) {
      (get(`settings-price-${name}`) as HTMLInputElement).value = value;
    }
  };
  const save = () => act(async () => void fireEvent.submit(get("settings-price-form")));
  const rows = () =>
    queryAllByTestId("settings-price").map((row) =>
      [...row.querySelectorAll("th, td")].map((cell) => cell.textContent).slice(0, 5),
    );
  return { ...drawn, click, fill, save, rows };
}

describe("the prices on the page", () => {
  it("say of what day the shipped ones are", async () => {
    const { get, rows } = await drawPrices();
    expect(get("settings-prices-as-of").textContent).toContain("Prices as of 6 November 2026");
    expect(rows()).toEqual([]);
  });

  it("are added, and the keyboard is where it was before", async () => {
    const { get, find, click, fill, save, rows } = await drawPrices();
    await click("settings-price-add");
    // It begins with the model one has chosen.
    expect((get("settings-price-model") as HTMLInputElement).value).toBe("demo");
    expect(document.activeElement).toBe(get("settings-price-model"));
    fill({ model: "mine", input: "0.25", output: "2" });
    await save();
    expect(rows()).toEqual([["mine", "0.25", "2", "0.25", "0.25"]]);
    expect(find("settings-price-form")).toBeNull();
    expect(document.activeElement).toBe(get("settings-price-add"));
  });

  it("are refused in words, at the field that is wrong", async () => {
    const { host, get, click, fill, save } = await drawPrices();
    await click("settings-price-add");
    fill({ input: "3", output: "much" });
    await save();
    expect(get("settings-price-error").textContent).toContain("Output is no number.");
    expect(document.activeElement).toBe(get("settings-price-output"));
    expect(get("settings-price-output").getAttribute("aria-invalid")).toBe("true");
    expect(host.askedOf("changeSettings")).toEqual([]);
    host.refuse("changeSettings", { code: "bad_input", message: "Rust says no." });
    fill({ output: "4" });
    await save();
    expect(get("settings-price-error").textContent).toBe("Rust says no.");
  });

  it("are changed, also by name", async () => {
    const { host, get, click, fill, save, rows } = await drawPrices(price());
    await click("settings-price-edit");
    expect((get("settings-price-cache-write") as HTMLInputElement).value).toBe("3.75");
    fill({ model: "n", output: "20" });
    await save();
    expect(host.askedOf("changeSettings").map(([change]) => change)).toEqual([
      { set: "price", price: price({ model: "n", output: 20 }) },
      { set: "forget_price", model: "m" },
    ]);
    expect(rows()).toEqual([["n", "3", "20", "0.3", "3.75"]]);
  });

  it.each<[string, string[], string[]]>([
    ["its name has spaces around", ["gpt-4o"], ["gpt-4o"]],
    ["the one held has", [" gpt-4o "], ["gpt-4o"]],
    ["another is held too", ["gpt-4o", "m"], ["gpt-4o", "m"]],
  ])("are replaced when %s", async (_, held, left) => {
    const { click, fill, save, rows } = await drawPrices(...held.map((model) => price({ model })));
    await click("settings-price-add");
    fill({ model: " gpt-4o ", input: "7", output: "8" });
    await save();
    expect(rows().map(([model]) => model)).toEqual(left);
    expect(rows()[0]?.slice(1, 3)).toEqual(["7", "8"]);
  });

  it("are not forgotten with the spaces around their name", async () => {
    const { host, click, fill, save, rows } = await drawPrices(price());
    await click("settings-price-edit");
    fill({ model: " m ", output: "20" });
    await save();
    expect(host.askedOf("changeSettings")).toEqual([
      [{ set: "price", price: price({ output: 20 }) }],
    ]);
    expect(rows()).toEqual([["m", "3", "20", "0.3", "3.75"]]);
  });

  it("begin with no name when the chosen model has its price", async () => {
    const { get, click } = await drawPrices(price({ model: " demo " }));
    await click("settings-price-add");
    expect((get("settings-price-model") as HTMLInputElement).value).toBe("");
  });

  it("can be edited however small they are", async () => {
    const { get, click, save, rows } = await drawPrices(price({ input: 1e-7, cacheRead: 2.5e-9 }));
    const row = ["m", "0.0000001", "15", "0.0000000025", "3.75"];
    expect(rows()).toEqual([row]);
    await click("settings-price-edit");
    expect((get("settings-price-input") as HTMLInputElement).value).toBe("0.0000001");
    await save();
    expect(rows()).toEqual([row]);
  });

  it("are removed", async () => {
    const { get, click, rows } = await drawPrices(price(), price({ model: "n" }));
    await click("settings-price-remove", 1);
    expect(rows().map(([model]) => model)).toEqual(["m"]);
    expect(document.activeElement).toBe(get("settings-price-add"));
  });

  it("are left alone by Escape, which closes the form and not the page", async () => {
    const { get, find, click } = await drawPrices(price());
    await click("settings-price-edit");
    const went = fireEvent.keyDown(get("settings-price-input"), { key: "Escape" });
    expect(went).toBe(false);
    expect(find("settings-price-form")).toBeNull();
    expect(get("settings")).toBeTruthy();
  });

  it("are read well", async () => {
    const { click, fill, save } = await drawPrices(price());
    await click("settings-price-edit");
    fill({ input: "x" });
    await save();
    await act(expectAccessible);
  });
});
