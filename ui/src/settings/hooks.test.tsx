import { act, fireEvent } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { FakeHost, fakeHook, fakeTrial } from "../host/fake";
import type { HookSummary, HookTrial } from "../host/protocol";
import { expectAccessible } from "../testing/accessible";
import { draw } from "../testing/draw";
import { Hooks } from "./hooks";

async function drawHooks(hooks: HookSummary[], host = new FakeHost()) {
  host.onHooks = () => hooks;
  return draw(
    host,
    <main>
      <h2>Settings</h2>
      <Hooks />
    </main>,
  );
}

async function click(button: HTMLElement) {
  await act(async () => fireEvent.click(button));
}

describe("the hooks in the settings", () => {
  it("says so when there are none", async () => {
    const { get } = await drawHooks([]);
    expect(get("settings-hooks").textContent).toContain("There are none.");
  });

  it.each<[string, Partial<HookSummary>, string[]]>([
    [
      "one of a tool",
      {},
      [
        "PreToolUse of Read in weir",
        "./check.sh",
        "ended after 10 m 0 s",
        "holds back when it fails",
      ],
    ],
    [
      "one of everything",
      { matcher: "*", event: "Stop", failsClosed: false, timeoutMs: 5000 },
      ["Stop in weir", "ended after 5.0 s", "lets through when it fails"],
    ],
    [
      "what one watches",
      { watched: ["check.sh (120 bytes, 9f86d081884c)", "lib/ (2 files below it, 9 bytes, 0)"] },
      ["what these run in turn is not", "check.sh (120 bytes", "lib/ (2 files below it"],
    ],
    ["one that watches nothing", { watched: [] }, ["its command names none"]],
    [
      "one that cannot be watched",
      { problem: "it names more than can be watched" },
      ["so it does not run: it names more than can be watched."],
    ],
    ["one that waits", { standing: "waiting" }, ["Not what you agreed to, so it does not run."]],
    [
      "one that changed",
      { standing: "changed", timeoutMs: 0 },
      ["It has changed: what it guards is held back until you trust the folder again.", "Review…"],
    ],
    [
      "one that is gone",
      { standing: "gone", timeoutMs: 0, origin: "" },
      ["It is gone: what it guards is held back until you trust the folder again. holds back"],
    ],
  ])("shows %s", async (_, change, expected) => {
    const { get } = await drawHooks([fakeHook(change)]);
    for (const words of expected) expect(get("settings-hook").textContent).toContain(words);
    await expectAccessible();
  });

  it.each<[string, Partial<HookTrial>, string[]]>([
    ["passes", {}, ["It passed after", "exit code 0."]],
    [
      "holds back",
      { outcome: "blocked", exitCode: 2, message: "no", stderr: "no" },
      ["It held back", "exit code 2.", "stderr"],
    ],
    [
      "cannot start",
      { outcome: "failed", exitCode: undefined, message: "It could not be started: gone." },
      ["It failed after", "could not be started"],
    ],
  ])("tries one that %s", async (_, change, expected) => {
    const host = new FakeHost();
    host.onTryHook = () => fakeTrial(change);
    const { get } = await drawHooks([fakeHook()], host);
    await click(get("settings-hook-try"));
    expect(host.askedOf("tryHook")).toEqual([["/projects/weir", "h"]]);
    for (const words of expected) expect(get("settings-hook-trial").textContent).toContain(words);
    await expectAccessible();
  });

  it("runs nothing that the user declined", async () => {
    const host = new FakeHost();
    const { get, find } = await drawHooks([fakeHook()], host);
    host.refuse("tryHook", { code: "declined", message: "Nothing was changed." });
    await click(get("settings-hook-try"));
    expect(find("settings-hook-trial")).toBeNull();
    expect(get("settings-hook").textContent).toContain("you declined");
  });

  it("offers to look again at one that changed, and shows what it is then", async () => {
    const host = new FakeHost();
    const { get, find } = await drawHooks([fakeHook({ standing: "waiting" })], host);
    expect(find("settings-hook-try")).toBeNull();
    host.onHooks = () => [fakeHook()];
    await click(get("settings-hook-agree"));
    expect(host.askedOf("trustProject")).toEqual([["/projects/weir"]]);
    expect(get("settings-hook-try")).toBeTruthy();
  });
});
