import { act, fireEvent } from "@testing-library/react";
import { expect, it } from "vitest";
import { FakeHost, fakeSession } from "../host/fake";
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

/** An old local session, opened after a cloud model was chosen for new ones. */
async function drawSession(change: Partial<ReturnType<typeof fakeSession>> = {}) {
  const host = new FakeHost();
  host.startup.settings.source = "openai";
  const shipped = host.onListModels;
  host.onListModels = (of) => (of === "ollama" ? ["llama3", "qwen3"] : shipped(of));
  const own = { source: "ollama", model: "llama3", thinking: "high" } as const;
  const session = fakeSession("s", { ...own, ...change });
  host.startup.sessions = [session];
  host.snapshots.set("s", { session, watch: 1, events: [], growing: [], hasEarlier: false });
  const drawn = await drawChips(host);
  const effort = () => drawn.get("composer-thinking") as HTMLSelectElement;
  expect([drawn.shown(), drawn.chip().dataset.source, effort().value]).toEqual([
    "gpt-5",
    "openai",
    "medium",
  ]);
  await act(() => drawn.store.open("s"));
  return { ...drawn, effort };
}

it("shows what the open session is asked of, whatever is chosen for new ones", async () => {
  const { store, chip, shown, effort } = await drawSession();
  expect([shown(), chip().dataset.source, effort().value]).toEqual(["llama3", "ollama", "high"]);
  await act(() => store.open(null));
  expect([shown(), chip().dataset.source, effort().value]).toEqual(["gpt-5", "openai", "medium"]);
});

it("changes the open session alone", async () => {
  const { host, store, chip, shown, effort, choose } = await drawSession();
  await choose("ollama qwen3");
  await act(async () => void fireEvent.change(effort(), { target: { value: "low" } }));
  expect([shown(), chip().dataset.source, effort().value]).toEqual(["qwen3", "ollama", "low"]);
  expect(host.askedOf("chooseModel")).toEqual([
    ["s", { set: "model", source: "ollama", model: "qwen3" }],
    ["s", { set: "thinking", thinking: "low" }],
  ]);
  expect(host.askedOf("changeSettings")).toEqual([]);
  expect(store.app.settings.source).toBe("openai");
});

it("begins a new session with what was used last", async () => {
  const { store, chip, shown, effort } = await drawSession({ source: "anthropic", model: "own" });
  await act(() => store.send("s", "Go on."));
  await act(() => store.open(null));
  expect([shown(), chip().dataset.source, effort().value]).toEqual(["own", "anthropic", "high"]);
});

it("keeps meaning whatever is loaded in new sessions", async () => {
  const { store, chip, shown } = await drawSession();
  await act(() => store.send("s", "Go on."));
  await act(() => store.open(null));
  expect([shown(), chip().dataset.source]).toEqual(["Whatever is loaded", "ollama"]);
});

it("says that the source of a session is not there any more, and lets one choose another", async () => {
  const { chip, shown, choose } = await drawSession({ source: "gone", model: "m" });
  expect([shown(), chip().dataset.source]).toEqual(["gone (not there)", "gone"]);
  await choose("openai gpt-5");
  expect([shown(), chip().dataset.source]).toEqual(["gpt-5", "openai"]);
});

it("offers an open session all models of a source", async () => {
  const host = new FakeHost();
  host.onListModels = () => Array.from({ length: 300 }, (_, at) => `m${at}`);
  const session = fakeSession("s", { source: "openai", model: "m1" });
  host.startup.sessions = [session];
  host.snapshots.set("s", { session, watch: 1, events: [], growing: [], hasEarlier: false });
  const { store, groups } = await drawChips(host);
  await act(() => store.open("s"));
  expect(groups()[1]).toMatch(/m299$/);
});

it("keeps the prompt of a move that was cancelled", async () => {
  const { host, get, find } = await drawSession();
  host.refuse("send", { code: "declined", message: "Nothing was sent." });
  fireEvent.change(get("composer"), { target: { value: "Go on." } });
  await act(async () => void fireEvent.keyDown(get("composer"), { key: "Enter" }));
  expect((get("composer") as HTMLTextAreaElement).value).toBe("Go on.");
  expect(find("composer-error")).toBeNull();
});
