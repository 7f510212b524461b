import { act, cleanup, fireEvent, render } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";
import { EventWriter } from "../host/fake";
import type { EventBody, HookEvent } from "../host/protocol";
import type { HookRun, HooksBlock } from "../state/block";
import { emptyTurn, foldEvent, isUnanswered, type Turn } from "../state/turn";
import { expectAccessible } from "../testing/accessible";
import { Hooks } from "./hooks";

afterEach(cleanup);

type HookBody = Extract<EventBody, { type: "hook" }>;

const ran = (hookEvent: HookEvent, change: Partial<HookBody> = {}): HookBody => ({
  type: "hook",
  hookEvent,
  command: "./check.sh",
  outcome: "passed",
  durationMs: 40,
  ...change,
});

function fold(bodies: readonly [EventBody, number?][], times = 1): Turn {
  const writer = new EventWriter("s");
  const events = bodies.map(([body, block]) => writer.write(body, { turn: "t", block }));
  let turn = emptyTurn("t", 1);
  for (let time = 0; time < times; time += 1) {
    for (const event of events) turn = foldEvent(turn, event).turn;
  }
  return turn;
}

const asked: EventBody = { type: "user_message", content: "Hi.", source: "demo", model: "m" };
const call: EventBody = {
  type: "tool_use",
  toolCallId: "a",
  toolName: "read_file",
  input: { path: "a" },
  executedBy: "weir",
};

describe("hooks in a turn", () => {
  it("stand where they ran, together, and once", () => {
    const events: [EventBody, number?][] = [
      [asked],
      [ran("SessionStart")],
      [ran("UserPromptSubmit")],
      [call, 0],
      [ran("PreToolUse")],
      [{ type: "message", content: "Well." }, 1],
      [ran("Stop")],
    ];
    for (const times of [1, 2]) {
      const { blocks } = fold(events, times);
      const shape = blocks.map((block) =>
        block.kind === "hooks" ? block.runs.map(({ event }) => event) : block.kind,
      );
      expect(shape).toEqual([
        ["SessionStart", "UserPromptSubmit"],
        "tool",
        ["PreToolUse"],
        "text",
        ["Stop"],
      ]);
    }
  });

  it("are no answer yet", () => {
    expect(isUnanswered(fold([[asked], [ran("UserPromptSubmit")]]).outline)).toBe(true);
    expect(isUnanswered(fold([[asked], [ran("Stop")], [call, 0]]).outline)).toBe(false);
  });

  it("show what would run where they changed it", () => {
    const request: EventBody = {
      type: "permission_request",
      toolCallId: "a",
      toolName: "read_file",
      input: { path: "b" },
      reason: "Why.",
    };
    const [block] = fold([[call, 0], [request]]).blocks;
    expect(block?.kind === "tool" && block.permission?.input).toEqual({ path: "b" });
  });
});

const run = (change: Partial<HookRun> = {}): HookRun => ({
  event: "PreToolUse",
  command: "./check.sh",
  outcome: "passed",
  durationMs: 40,
  eventIndex: Math.random(),
  ...change,
});

function drawHooks(runs: readonly HookRun[]) {
  const block: HooksBlock = { kind: "hooks", key: "hooks-0", index: 0, runs, growing: false };
  return render(
    <main>
      <Hooks block={block} />
    </main>,
  );
}

describe("the lines of hooks", () => {
  it.each<[string, Partial<HookRun>, string]>([
    ["held back", { outcome: "blocked", message: "No." }, "PreToolUse hook held back: No."],
    ["failed", { outcome: "failed" }, "PreToolUse hook failed"],
    ["was late", { outcome: "timed_out" }, "PreToolUse hook took too long"],
    ["was stopped", { outcome: "stopped" }, "PreToolUse hook was stopped"],
    ["speaks", { message: "Mind." }, "PreToolUse hook says: Mind."],
  ])("are seen when one %s", async (_, change, words) => {
    const drawn = drawHooks([run(change)]);
    expect(drawn.getByTestId("hook-note").textContent).toContain(words);
    expect(drawn.queryByTestId("hooks-passed")).toBeNull();
    await expectAccessible();
  });

  it("fold when they passed in silence, and open to what ran", async () => {
    const drawn = drawHooks([run(), run({ context: "It rains." }), run()]);
    const passed = drawn.getByTestId("hooks-passed");
    expect(passed.textContent).toBe("3 hooks ran");
    await act(async () => fireEvent.click(drawn.getByRole("button")));
    expect(passed.textContent).toContain("./check.sh");
    expect(passed.textContent).toContain("Told the model: It rains.");
    await expectAccessible();
  });
});
