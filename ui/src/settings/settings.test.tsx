import { act, fireEvent } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { FakeHost } from "../host/fake";
import type { FoundSource, KeyState } from "../host/protocol";
import { draw } from "../testing/draw";
import { later } from "../testing/later";
import { keyStateText } from "./key";

async function drawSettings(host = new FakeHost(), source = "anthropic") {
  const drawn = await draw(host);
  await act(async () => void fireEvent.click(drawn.get("open-settings")));
  const choose = (testId: string, value: string) =>
    act(async () => {
      const option = drawn.get(testId).querySelector<HTMLElement>(`[data-value="${value}"] input`);
      option?.click();
    });
  await choose("settings-source", source);
  const commit = (testId: string, value: string) =>
    act(async () => {
      const input = drawn.get(testId) as HTMLInputElement;
      fireEvent.change(input, { target: { value } });
      fireEvent.blur(input);
    });
  const input = (testId: string) => drawn.get(testId) as HTMLInputElement;
  const note = (name: string) =>
    drawn.get("settings-source").querySelector(`[data-value="${name}"] .source-note`)?.textContent;
  const offered = () => {
    fireEvent.keyDown(input("settings-model"), { key: "ArrowDown" });
    const list = drawn.get("settings-model-list");
    return [...list.querySelectorAll("[role=option]")].map((option) => option.textContent);
  };
  return { ...drawn, choose, commit, input, note, offered };
}

const SECRET = "sk-do-not-keep-me";

describe("a key", () => {
  it("goes to Rust and stays nowhere in the window", async () => {
    const { host, get, input, store } = await drawSettings();
    input("settings-key").value = SECRET;
    await act(async () => void fireEvent.submit(get("settings-key")));
    expect(host.askedOf("setKey")).toEqual([["anthropic", SECRET]]);
    expect(input("settings-key").value).toBe("");
    expect(document.documentElement.outerHTML).not.toContain(SECRET);
    expect(JSON.stringify(store.app)).not.toContain(SECRET);
    expect(get("settings-key-state").textContent).toBe("A key is stored in the keychain.");
  });

  it("can be removed only when there is one", async () => {
    const { get, find, choose } = await drawSettings();
    expect(find("settings-key-remove")).toBeNull();
    await choose("settings-source", "openai");
    await act(async () => get("settings-key-remove").click());
    expect(get("settings-key-state").textContent).toBe("No key stored.");
  });

  it("says when it was not kept", async () => {
    const { host, get, input } = await drawSettings();
    host.refuse("setKey", { code: "keychain", message: "The keychain is locked." });
    input("settings-key").value = SECRET;
    await act(async () => void fireEvent.submit(get("settings-key")));
    expect(get("settings").textContent).toContain("The keychain is locked.");
    expect(document.documentElement.outerHTML).not.toContain(SECRET);
  });

  it.each<[KeyState, string]>([
    [{ state: "missing" }, "No key stored."],
    [{ state: "optional" }, "can do without"],
    [{ state: "this_run_only", reason: "no keychain." }, "no keychain."],
    [{ state: "environment", variable: "A_KEY" }, "A_KEY"],
    [{ state: "unavailable", reason: "it is locked." }, "it is locked."],
  ])("says where it is: %o", (state, words) => expect(keyStateText(state)).toContain(words));
});

it("changes what is chosen at once", async () => {
  const { host, choose, commit } = await drawSettings();
  await choose("settings-thinking", "high");
  await choose("settings-theme", "dark");
  await commit("settings-model", "claude-next");
  expect(host.askedOf("changeSettings").map(([change]) => change)).toEqual([
    { set: "source", source: "anthropic" },
    { set: "thinking", thinking: "high" },
    { set: "theme", theme: "dark" },
    { set: "model", source: "anthropic", model: "claude-next" },
  ]);
  expect(document.documentElement.dataset.theme).toBe("dark");
});

it("shows the old base URL again when the change was declined", async () => {
  const { host, queryByRole, commit, input } = await drawSettings();
  host.refuse("changeSettings", { code: "declined", message: "Declined." });
  await commit("settings-base-url", "https://elsewhere.example");
  expect(input("settings-base-url").value).toBe("https://api.anthropic.com");
  expect(queryByRole("alert")).toBeNull();
});

describe("the sources", () => {
  it("are one choice in two parts", async () => {
    const { get, getAllByRole } = await drawSettings();
    const parts = [...get("settings-source").querySelectorAll("[role=group]")].map((part) => ({
      title: part.querySelector("h3")?.textContent,
      names: [...part.querySelectorAll("[data-value]")].map((option) =>
        option.getAttribute("data-value"),
      ),
    }));
    expect(parts.map(({ title, names }) => `${title}: ${names.join(" ")}`)).toEqual([
      "Providers: demo anthropic openai openai-chat gemini openrouter deepseek groq mistral xai openai-compatible",
      "On this machine: ollama lmstudio llamacpp vllm",
    ]);
    const radios = getAllByRole("radio").filter(
      (radio) => radio.getAttribute("name") === "source",
    ) as HTMLInputElement[];
    expect(radios).toHaveLength(15);
    expect(radios.filter(({ checked }) => checked).map(({ value }) => value)).toEqual([
      "anthropic",
    ]);
  });

  it.each<[KeyState, string]>([
    [{ state: "not_needed" }, "no key needed"],
    [{ state: "missing" }, "no key"],
    [{ state: "optional" }, "key optional"],
    [{ state: "stored" }, "key stored"],
    [{ state: "this_run_only", reason: "" }, "key for this run"],
    [{ state: "environment", variable: "A" }, "key in environment"],
    [{ state: "unavailable", reason: "" }, "no keychain"],
  ])("say how they stand: %o", async (key, words) => {
    const host = new FakeHost();
    const { settings } = host.startup;
    const sources = settings.sources.map((source) =>
      source.name === "xai" ? { ...source, key } : source,
    );
    host.startup.settings = { ...settings, sources };
    const { note } = await drawSettings(host);
    expect(note("xai")).toBe(words);
  });

  it("say what runs here once that is known, and look again when asked", async () => {
    const host = new FakeHost();
    const first = later<FoundSource[]>();
    host.onFindSources = () => first.promise;
    const { get, note } = await drawSettings(host);
    expect(get("settings-look").textContent).toBe("Looking…");
    expect(note("ollama")).toBeUndefined();
    await act(async () => first.settle([{ name: "ollama", models: ["a", "b", "c"] }]));
    expect(note("ollama")).toBe("running here · 3 models");
    expect(note("vllm")).toBe("not running");

    host.onFindSources = () => [{ name: "vllm", models: ["one"] }];
    await act(async () => get("settings-look").click());
    expect([note("ollama"), note("vllm")]).toEqual(["not running", "running here · 1 model"]);

    host.refuse("findSources", { code: "unknown", message: "No." });
    await act(async () => get("settings-look").click());
    expect(get("settings-look").textContent).toBe("Could not look. Try again");
    expect(note("vllm")).toBe("running here · 1 model");
  });
});

describe("a server that is elsewhere", () => {
  it("does not run here, and is looked for where it is now", async () => {
    const host = new FakeHost();
    host.onFindSources = () => [{ name: "ollama", models: ["a"] }];
    host.onListModels = () => ["a"];
    const { note, commit } = await drawSettings(host, "ollama");
    expect(note("ollama")).toBe("running here · 1 model");
    const look = later<FoundSource[]>();
    host.onFindSources = () => look.promise;
    host.onListModels = () => new Promise(() => {});
    await commit("settings-base-url", "http://nas.example:11434");
    // What was found at the old address says nothing of the new one.
    expect(note("ollama")).toBeUndefined();
    await act(async () => look.settle([{ name: "ollama", models: ["b", "c"] }]));
    expect([note("ollama"), note("vllm")]).toEqual(["answers · 2 models", "not running"]);
    host.onFindSources = () => [];
    await commit("settings-base-url", "http://other.example:11434");
    expect(note("ollama")).toBe("no answer");
  });
});

it("says of each thing what was last chosen, whichever answer comes last", async () => {
  const host = new FakeHost();
  const { store, choose, get } = await drawSettings(host);
  const chosen = (testId: string) =>
    get(testId).querySelector<HTMLInputElement>("input:checked")?.value;
  const { changeSettings } = host;
  const release: (() => void)[] = [];
  host.changeSettings = async (change) => {
    const settings = await changeSettings.call(host, change);
    await new Promise<void>((resolve) => release.push(resolve));
    return settings;
  };
  await choose("settings-thinking", "low");
  await choose("settings-theme", "dark");
  await choose("settings-thinking", "high");
  for (const answer of release.toReversed()) await act(async () => answer());
  expect([chosen("settings-thinking"), chosen("settings-theme")]).toEqual(["high", "dark"]);
  expect(store.app.settings).toEqual(host.startup.settings);
});

describe("the models", () => {
  it("are those the source was asked for, as soon as it answers", async () => {
    const host = new FakeHost();
    const answer = later<string[]>();
    host.onListModels = () => answer.promise;
    const { get, offered } = await drawSettings(host, "openai");
    expect(get("settings-models-note").textContent).toBe("Asking OpenAI for its models…");
    expect(offered()).toEqual(["gpt-5", "gpt-5-mini"]);
    await act(async () => answer.settle(["gpt-6", "gpt-6-mini", "gpt-5", "gpt-6"]));
    expect(get("settings-models-note").textContent).toContain("OpenAI has 3 models.");
    expect(offered()).toEqual(["gpt-6", "gpt-6-mini", "gpt-5"]);
  });

  it("stay the shipped ones when asking failed, with the reason and no dialog", async () => {
    const host = new FakeHost();
    host.refuse("listModels", { code: "network", message: "api.openai.com is not there." });
    const { get, find, store, offered, queryAllByRole } = await drawSettings(host, "openai");
    expect(get("settings-models-note").textContent).toBe("api.openai.com is not there.");
    expect(queryAllByRole("alert")).toEqual([]);
    expect(store.app.notices).toEqual([]);
    expect(offered()).toEqual(["gpt-5", "gpt-5-mini"]);
    await act(async () => get("settings-models-again").click());
    expect(find("settings-models-again")).toBeNull();
    expect(get("settings-models-note").textContent).toContain("2 models");
  });

  it("are not asked for without a key, and asked for with one", async () => {
    const { host, get, find, input } = await drawSettings();
    expect(host.askedOf("listModels")).toEqual([]);
    expect(find("settings-models-note")).toBeNull();
    input("settings-key").value = SECRET;
    await act(async () => void fireEvent.submit(get("settings-key")));
    expect(host.askedOf("listModels")).toEqual([["anthropic"]]);
  });

  it("are asked for when the page opens on a source of an earlier run", async () => {
    const host = new FakeHost();
    host.startup.settings = { ...host.startup.settings, source: "openai" };
    const { get } = await draw(host);
    expect(host.askedOf("listModels")).toEqual([]);
    await act(async () => void fireEvent.click(get("open-settings")));
    expect(host.askedOf("listModels")).toEqual([["openai"]]);
  });

  it("may be whatever a server has loaded", async () => {
    const host = new FakeHost();
    host.onFindSources = () => [{ name: "ollama", models: ["a", "b"] }];
    host.onListModels = () => ["a", "b"];
    const { input, offered, store } = await drawSettings(host, "ollama");
    expect(input("settings-model").value).toBe("");
    expect(input("settings-model").placeholder).toBe("Whatever is loaded");
    expect(offered()).toEqual(["Whatever is loaded", "a", "b"]);
    const press = (key: string) =>
      act(async () => void fireEvent.keyDown(input("settings-model"), { key }));
    await press("ArrowDown");
    await press("Enter");
    expect(store.app.settings.sources.find(({ name }) => name === "ollama")?.model).toBe("a");
    expect(input("settings-model").value).toBe("a");
  });

  it("belong to one source: another one's half-typed search goes", async () => {
    const { choose, input, offered } = await drawSettings(new FakeHost(), "openai");
    fireEvent.change(input("settings-model"), { target: { value: "mini" } });
    await choose("settings-source", "anthropic");
    expect(input("settings-model").value).toBe("claude-sonnet-4-5");
    expect(offered()).toEqual(["claude-sonnet-4-5", "claude-haiku-4-5"]);
  });
});
