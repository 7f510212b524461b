import { act, fireEvent } from "@testing-library/react";
import { expect, it } from "vitest";
import { FakeHost } from "../host/fake";
import { draw } from "../testing/draw";

async function drawChips(host = new FakeHost()) {
  const drawn = await draw(host);
  const chip = () => drawn.get("composer-model") as HTMLSelectElement;
  const groups = () =>
    [...chip().querySelectorAll("optgroup")].map(
      (group) => `${group.label}: ${[...group.children].map((o) => o.textContent).join(", ")}`,
    );
  const shown = () => chip().selectedOptions[0]?.textContent;
  const choose = (value: string) =>
    act(async () => void fireEvent.change(chip(), { target: { value } }));
  return { ...drawn, chip, groups, shown, choose };
}

it("offers the models of every source that can be used", async () => {
  const host = new FakeHost();
  host.onFindSources = () => [{ name: "ollama", models: ["a"] }];
  const { groups, shown } = await drawChips(host);
  expect(groups()).toEqual([
    "Demo: demo",
    "OpenAI: gpt-5, gpt-5-mini",
    "Ollama: Whatever is loaded, a",
  ]);
  expect(shown()).toBe("demo");
});

it("hops to another source and model in one go", async () => {
  const host = new FakeHost();
  host.onFindSources = () => [{ name: "ollama", models: ["a"] }];
  const { chip, shown, choose } = await drawChips(host);
  await choose("openai gpt-5-mini");
  expect(shown()).toBe("gpt-5-mini");
  expect(chip().dataset.source).toBe("openai");
  await choose("ollama ");
  expect(shown()).toBe("Whatever is loaded");
  expect(chip().dataset.source).toBe("ollama");
});

it("offers what the source was asked for, and leads to the settings for the rest", async () => {
  const host = new FakeHost();
  host.onListModels = () => Array.from({ length: 300 }, (_, at) => `m${at}`);
  const { get, store, groups, choose } = await drawChips(host);
  await choose("openai gpt-5");
  const openai = groups()[1];
  expect(openai).toContain("OpenAI: gpt-5, m0, m1");
  expect(openai).toMatch(/All 300 in Settings…$/);
  await choose("demo demo");
  await choose("openai");
  expect(store.app.settings.source).toBe("openai");
  expect(get("settings")).toBeTruthy();
});

it("says why it could not hop, and stays", async () => {
  const { host, get, shown, choose } = await drawChips();
  host.refuse("changeSettings", { code: "storage", message: "The disk is full." });
  await choose("openai gpt-5-mini");
  expect(get("notice").textContent).toContain("The disk is full.");
  expect(shown()).toBe("demo");
});
