import { act } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { FakeHost } from "./host/fake";
import type { KeyState } from "./host/protocol";
import { expectAccessible } from "./testing/accessible";
import { draw } from "./testing/draw";

/** A host on which `source` is chosen, and no key is stored but for `keys`. */
function hostWith(source: string, keys: Record<string, KeyState> = {}): FakeHost {
  const host = new FakeHost();
  const { settings } = host.startup;
  const sources = settings.sources.map((held) => {
    const state = held.key.state === "stored" ? "missing" : held.key.state;
    return { ...held, key: keys[held.name] ?? ({ state } as KeyState) };
  });
  host.startup.settings = { ...settings, source, sources };
  return host;
}

const stored: KeyState = { state: "stored" };
const unavailable: KeyState = { state: "unavailable", reason: "It is locked." };

describe("the welcome", () => {
  it("says what runs here, and takes it with a click", async () => {
    const host = hostWith("demo");
    host.onFindSources = () => [{ name: "ollama", models: ["a"] }];
    const { store, get, find } = await draw(host);
    expect(get("welcome-found").textContent).toBe("Ollama is running here");
    await act(expectAccessible);
    await act(async () => get("welcome-found").click());
    expect(store.app.settings.source).toBe("ollama");
    expect(find("welcome-found")).toBeNull();
    expect(get("welcome").textContent).toContain("Ask Ollama something below");
  });

  /** A host that asks the demo, and on which Ollama's address is elsewhere. */
  function hostElsewhere(source: string): FakeHost {
    const host = hostWith(source);
    const { settings } = host.startup;
    const sources = settings.sources.map((held) =>
      held.name === "ollama" ? { ...held, baseUrl: "http://nas.example:11434" } : held,
    );
    host.startup.settings = { ...settings, sources };
    return host;
  }

  it("does not say that a server elsewhere runs here", async () => {
    const host = hostElsewhere("demo");
    host.onFindSources = () => [{ name: "ollama", models: ["a"] }];
    const { get } = await draw(host);
    expect(get("welcome-found").textContent).toBe("Ollama answers at nas.example:11434");
  });

  it("waits for nothing it looks for", async () => {
    const host = hostWith("demo");
    host.onFindSources = () => new Promise(() => {});
    const { get, find } = await draw(host);
    expect(get("try-demo")).toBeTruthy();
    expect(find("welcome-found")).toBeNull();
  });

  it("says where a key goes when there is none at all", async () => {
    const { get } = await draw(hostWith("demo"));
    await act(async () => get("welcome-key").click());
    expect(get("settings")).toBeTruthy();
  });

  it.each<[string, FakeHost, string, boolean]>([
    ["a key that is missing", hostWith("xai"), "xAI wants a key before it answers", false],
    ["a key that is there", hostWith("xai", { xai: stored }), "Ask xAI something below", false],
    ["another source's key", hostWith("demo", { xai: stored }), "or ask something below", false],
    [
      "a server that does not run",
      hostWith("vllm"),
      "vLLM is not running here: start it, or choose another source",
      false,
    ],
    [
      "a server elsewhere that does not answer",
      hostElsewhere("ollama"),
      "Ollama gives no answer at nas.example:11434: start it, or choose another source",
      false,
    ],
    [
      "a keychain nobody could ask, for a server that can do without",
      hostWith("vllm", { vllm: unavailable }),
      "vLLM is not running here",
      false,
    ],
    [
      "a keychain nobody could ask, for one that cannot",
      hostWith("xai", { xai: unavailable }),
      "xAI wants a key before it answers",
      false,
    ],
    ["no key at all", hostWith("demo"), "or ask something below", true],
  ])("with %s", async (_, host, words, askForKey) => {
    const { get, find } = await draw(host);
    expect(get("welcome").textContent).toContain(words);
    expect(find("welcome-key") !== null).toBe(askForKey);
  });

  it("says why a source could not be taken", async () => {
    const host = hostWith("demo");
    host.onFindSources = () => [{ name: "ollama", models: [] }];
    const { get } = await draw(host);
    host.refuse("changeSettings", { code: "storage", message: "The disk is full." });
    await act(async () => get("welcome-found").click());
    expect(get("notice").textContent).toContain("The disk is full.");
  });
});
