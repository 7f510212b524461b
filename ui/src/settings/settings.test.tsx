import { act, fireEvent } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import type { KeyState } from "../host/protocol";
import { draw } from "../testing/draw";
import { keyStateText } from "./key";

async function drawSettings() {
  const drawn = await draw();
  fireEvent.click(drawn.get("open-settings"));
  const choose = (testId: string, value: string) =>
    act(async () => {
      const option = drawn.get(testId).querySelector<HTMLElement>(`[data-value="${value}"] input`);
      option?.click();
    });
  await choose("settings-source", "anthropic");
  const commit = (testId: string, value: string) =>
    act(async () => {
      const input = drawn.get(testId) as HTMLInputElement;
      input.value = value;
      fireEvent.blur(input);
    });
  return { ...drawn, choose, commit };
}

const SECRET = "sk-do-not-keep-me";

describe("a key", () => {
  it("goes to Rust and stays nowhere in the window", async () => {
    const { host, get, store } = await drawSettings();
    const input = get("settings-key") as HTMLInputElement;
    input.value = SECRET;
    await act(async () => void fireEvent.submit(input));
    expect(host.asked.at(-1)).toEqual({ command: "setKey", with: ["anthropic", SECRET] });
    expect((get("settings-key") as HTMLInputElement).value).toBe("");
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
    const { host, get } = await drawSettings();
    host.refuse("setKey", { code: "keychain", message: "The keychain is locked." });
    const input = get("settings-key") as HTMLInputElement;
    input.value = SECRET;
    await act(async () => void fireEvent.submit(input));
    expect(get("settings").textContent).toContain("The keychain is locked.");
    expect(document.documentElement.outerHTML).not.toContain(SECRET);
  });

  it.each<[KeyState, string]>([
    [{ state: "missing" }, "No key stored."],
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
  expect(
    host.asked.filter(({ command }) => command === "changeSettings").map((asked) => asked.with[0]),
  ).toEqual([
    { set: "source", source: "anthropic" },
    { set: "thinking", thinking: "high" },
    { set: "theme", theme: "dark" },
    { set: "model", source: "anthropic", model: "claude-next" },
  ]);
  expect(document.documentElement.dataset.theme).toBe("dark");
});

it("shows the old base URL again when the change was declined", async () => {
  const { host, get, commit } = await drawSettings();
  host.refuse("changeSettings", { code: "declined", message: "Declined." });
  await commit("settings-base-url", "https://elsewhere.example");
  expect((get("settings-base-url") as HTMLInputElement).value).toBe("https://api.anthropic.com");
  expect(get("settings").textContent).toContain("Nothing was changed");
});
