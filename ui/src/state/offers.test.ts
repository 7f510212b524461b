import { describe, expect, it } from "vitest";
import { fakeSettings } from "../host/fake";
import type { KeyState, Settings, SourceSettings } from "../host/protocol";
import {
  type Asked,
  canBeAsked,
  type Found,
  isHere,
  keepTrue,
  modelLabel,
  modelsOf,
  offers,
  placeOf,
  sourceOf,
  wantsKey,
} from "./offers";

const named = (settings: Settings, name: string) =>
  settings.sources.find((source) => source.name === name) as SourceSettings;

const change = (settings: Settings, name: string, to: Partial<SourceSettings>): Settings => ({
  ...settings,
  sources: settings.sources.map((source) => (source.name === name ? { ...source, ...to } : source)),
});

const known = (...models: string[]) => ({ ask: 1, state: "known", models }) as const;
const failed = { ask: 1, state: "failed", error: { code: "network", message: "No." } } as const;
const ollama: Found = { looking: false, sources: [{ name: "ollama", models: ["a", "b"] }] };
const nothing: Found = { looking: false };

describe("the models of a source", () => {
  it.each<[string, string, Asked, Found, string[]]>([
    ["are the shipped ones at first", "openai", {}, nothing, ["gpt-5", "gpt-5-mini"]],
    ["are those it was asked for", "openai", { openai: known("x") }, nothing, ["x"]],
    [
      "stay when it could not be asked",
      "openai",
      { openai: failed },
      nothing,
      ["gpt-5", "gpt-5-mini"],
    ],
    [
      "stay when it has none to tell of",
      "openai",
      { openai: known() },
      nothing,
      ["gpt-5", "gpt-5-mini"],
    ],
    ["are those of the server found here", "ollama", {}, ollama, ["a", "b"]],
    ["are asked ones before found ones", "ollama", { ollama: known("c") }, ollama, ["c"]],
    ["are none where nobody knows any", "vllm", {}, ollama, []],
  ])("%s", (_, name, asked, found, models) => {
    expect(modelsOf(named(fakeSettings(), name), asked, found)).toEqual(models);
  });

  it.each<[string, KeyState["state"], boolean]>([
    ["anthropic", "missing", false],
    ["anthropic", "unavailable", false],
    ["anthropic", "optional", true],
    ["anthropic", "stored", true],
    ["anthropic", "this_run_only", true],
    ["anthropic", "environment", true],
    ["ollama", "optional", true],
    ["ollama", "unavailable", true],
  ])("can be asked for of %s with a key that is %s: %s", (name, state, asked) => {
    const source = { ...named(fakeSettings(), name), key: { state } as KeyState };
    expect(canBeAsked(source)).toBe(asked);
    expect(wantsKey(source)).toBe(!asked);
  });

  it("are never asked of the demo", () => {
    expect(canBeAsked(named(fakeSettings(), "demo"))).toBe(false);
  });

  it("have a name even when they have none", () => {
    expect([modelLabel("gpt-5"), modelLabel("")]).toEqual(["gpt-5", "Whatever is loaded"]);
  });
});

it.each<[string, boolean, string]>([
  ["http://127.0.0.1:11434", true, "127.0.0.1:11434"],
  ["http://127.8.0.1/v1", true, "127.8.0.1"],
  ["http://localhost:1234/v1", true, "localhost:1234"],
  ["http://LOCALHOST.:1234/v1", false, "localhost.:1234"],
  ["http://models.localhost", true, "models.localhost"],
  ["http://[::1]:8000/v1", true, "[::1]:8000"],
  ["http://192.168.1.4:11434", false, "192.168.1.4:11434"],
  ["https://localhost.example.org/v1", false, "localhost.example.org"],
  ["https://notlocalhost", false, "notlocalhost"],
  ["https://127.0.0.1.example.org", false, "127.0.0.1.example.org"],
  ["no address", false, "no address"],
  ["", false, ""],
])("%j is on this machine: %s", (baseUrl, here, place) => {
  const source = { ...named(fakeSettings(), "ollama"), baseUrl };
  expect(isHere(source)).toBe(here);
  expect(placeOf(source)).toBe(place);
});

describe("what was asked", () => {
  const before = fakeSettings();
  const asked: Asked = { openai: known("x"), ollama: known("y") };

  it.each<[string, Settings, string[]]>([
    ["another model", change(before, "openai", { model: "gpt-5-mini" }), ["openai", "ollama"]],
    ["another source", { ...before, source: "openai" }, ["openai", "ollama"]],
    ["another address", change(before, "openai", { baseUrl: "https://b" }), ["ollama"]],
    ["another key", change(before, "ollama", { key: { state: "stored" } }), ["openai"]],
  ])("after %s holds for %3$s", (_, after, left) => {
    expect(Object.keys(keepTrue(asked, before, after))).toEqual(left);
  });

  it("is the same object when all of it stands", () => {
    expect(keepTrue(asked, before, { ...before, theme: "dark" })).toBe(asked);
  });
});

describe("what the composer offers", () => {
  const read = (settings: Settings, asked: Asked = {}, found: Found = nothing) =>
    offers(settings, asked, found).map(
      ({ label, models, of }) =>
        `${label}: ${models.map(modelLabel).join(", ")}${of ? ` of ${of}` : ""}`,
    );

  it.each<[string, Settings, Asked, Found, string[]]>([
    [
      "the demo and what has a key",
      fakeSettings(),
      {},
      nothing,
      ["Demo: demo", "OpenAI: gpt-5, gpt-5-mini"],
    ],
    [
      "what runs here",
      fakeSettings(),
      {},
      ollama,
      ["Demo: demo", "OpenAI: gpt-5, gpt-5-mini", "Ollama: Whatever is loaded, a, b"],
    ],
    [
      "what is chosen, though it has no key",
      { ...fakeSettings(), source: "xai" },
      {},
      nothing,
      ["Demo: demo", "OpenAI: gpt-5, gpt-5-mini", "xAI: grok-4.7"],
    ],
    [
      "another server once it has answered",
      fakeSettings(),
      { "openai-compatible": known("m") },
      nothing,
      ["Demo: demo", "OpenAI: gpt-5, gpt-5-mini", "Another server: Whatever is loaded, m"],
    ],
    [
      "a model that was typed, first",
      change(fakeSettings(), "openai", { model: "mine" }),
      {},
      nothing,
      ["Demo: demo", "OpenAI: mine, gpt-5, gpt-5-mini"],
    ],
  ])("is %s", (_, settings, asked, found, lines) => {
    expect(read(settings, asked, found)).toEqual(lines);
  });

  it("is cut where a list is too long to look through, chosen and shipped models first", () => {
    const many = Array.from({ length: 300 }, (_, at) => `m${at}`);
    const settings = change(fakeSettings(), "openai", { model: "m299" });
    const [, openai] = offers(settings, { openai: known(...many, "gpt-5-mini") }, nothing);
    expect(openai?.models.slice(0, 3)).toEqual(["m299", "gpt-5-mini", "m0"]);
    expect(openai).toMatchObject({ of: 301 });
    expect(openai?.models).toHaveLength(24);
  });
});

it("knows the source that is chosen", () => {
  expect(sourceOf(fakeSettings())?.label).toBe("Demo");
  expect(sourceOf({ ...fakeSettings(), source: "gone" })).toBeUndefined();
});
