import { act } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import { EventWriter, FakeHost, fakeSession } from "../host/fake";
import { draw } from "../testing/draw";

const renders = vi.hoisted(() => new Map<string, number>());
const count = vi.hoisted(() => (name: string) => renders.set(name, (renders.get(name) ?? 0) + 1));

vi.mock("./text", async (original) => {
  const { Text } = await original<typeof import("./text")>();
  const Counted: typeof Text = (props) => {
    count(props.block.key);
    return Text(props);
  };
  return { Text: Counted };
});

vi.mock("./thinking", async (original) => {
  const { Thinking } = await original<typeof import("./thinking")>();
  const Counted: typeof Thinking = (props) => {
    count(props.block.key);
    return Thinking(props);
  };
  return { Thinking: Counted };
});

vi.mock("./ending", async (original) => {
  const { Ending } = await original<typeof import("./ending")>();
  const Counted: typeof Ending = (props) => {
    count(`turn ${props.outline.id}`);
    return Ending(props);
  };
  return { Ending: Counted };
});

vi.mock("./picture", async (original) => {
  const { Picture } = await original<typeof import("./picture")>();
  const Counted: typeof Picture = (props) => {
    count(props.name);
    return Picture(props);
  };
  return { Picture: Counted };
});

it("sets a finished piece once and re-renders nothing but the run that grows", async () => {
  const turn = "t";
  const images = [{ mediaType: "image/png", data: "aGk=" }];
  const host = new FakeHost();
  const writer = new EventWriter("s");
  const session = fakeSession("s", { status: "running" });
  host.startup.sessions = [session];
  const events = [
    writer.write(
      { type: "user_message", content: "hi", source: "demo", model: "demo", images },
      { turn },
    ),
    writer.write(
      { type: "thinking", content: "x", durationMs: 1 },
      { turn, block: 0, rendered: { run: 0, from: 0, pieces: ["<p>x</p>"], tail: "" } },
    ),
    writer.write(
      { type: "message", content: "y" },
      { turn, block: 1, rendered: { run: 1, from: 0, pieces: ["<p>y</p>"], tail: "" } },
    ),
    writer.write(
      { type: "tool_use", toolCallId: "c", toolName: "n", input: {}, executedBy: "source" },
      { turn, block: 2 },
    ),
  ];
  host.snapshots.set("s", { session, watch: 1, events, growing: [], hasEarlier: false });
  const { store, getAllByTestId } = await draw(host);
  await act(() => store.open("s"));

  const push = (from: number, pieces: string[], tail: string) =>
    act(() =>
      host.push({
        watch: 1,
        events: [
          writer.write(
            { type: "message_chunk", content: "z" },
            { turn, block: 3, rendered: { run: 3, from, pieces, tail } },
          ),
        ],
      }),
    );
  push(0, ["<p>one</p>"], "<p>tw</p>");
  const run = getAllByTestId("text-run")[1];
  const first = run?.querySelector(".piece");
  const kept = first?.firstChild;
  expect(renders.get("Picture")).toBe(1);
  renders.clear();

  for (let at = 0; at < 50; at += 1) push(1, [], `<p>tw${"o".repeat(at)}</p>`);
  push(1, ["<p>two</p>"], "<p>th</p>");

  expect(Object.fromEntries(renders)).toEqual({ "text-3": 51 });
  // Pictures are kept even where their turn changes around them.
  const usage = { inputTokens: 1, outputTokens: 1, reasoningTokens: 0, cacheReadTokens: 0 };
  const none = { cacheWriteTokens: 0, cacheWrite5mTokens: 0, cacheWrite1hTokens: 0 };
  act(() =>
    host.push({
      watch: 1,
      events: [
        writer.write(
          { type: "usage", usage: { ...usage, ...none }, model: "m", durationMs: 1 },
          { turn },
        ),
        writer.write({ type: "complete", stopReason: "end_turn" }, { turn }),
      ],
    }),
  );
  expect(renders.get(`turn ${turn}`)).toBeGreaterThan(0);
  expect(renders.has("Picture")).toBe(false);
  // The same node, never set anew: its child is the one it was given first.
  expect(run?.querySelector(".piece")).toBe(first);
  expect(first?.firstChild).toBe(kept);
  expect([...(run?.children ?? [])].map((piece) => piece.innerHTML)).toEqual([
    "<p>one</p>",
    "<p>two</p>",
    "<p>th</p>",
  ]);
});
