import { expect, it } from "vitest";
import { EventWriter, fakeSession } from "../host/fake";
import type { Citation, EventBody, Usage } from "../host/protocol";
import { citationsOf, replyText, totalsOf } from "./reply";
import { viewSnapshot } from "./session";
import type { Turn } from "./turn";

const usage: Usage = {
  inputTokens: 100,
  outputTokens: 50,
  reasoningTokens: 0,
  cacheReadTokens: 10,
  cacheWriteTokens: 0,
  cacheWrite5mTokens: 0,
  cacheWrite1hTokens: 0,
};

function turnOf(bodies: readonly (readonly [EventBody, number?, number?])[]): Turn {
  const w = new EventWriter("s");
  const events = bodies.map(([body, block, run]) =>
    w.write(body, {
      turn: "t",
      block,
      rendered: run === undefined ? undefined : { run, from: 0, pieces: [], tail: "" },
    }),
  );
  const [turn] = viewSnapshot({
    session: fakeSession("s"),
    watch: 1,
    events,
    growing: [],
    hasEarlier: false,
  }).turns;
  if (!turn) throw new Error("no turn");
  return turn;
}

const cite = (citation: Partial<Citation>): Citation => ({ raw: {}, ...citation });
const message = (content: string, citations: Citation[] = []): EventBody => ({
  type: "message",
  content,
  citations,
});

it("numbers distinct citations in order: by address, else by title and text", () => {
  const a = cite({ url: "https://a", title: "A" });
  const b = cite({ title: "B", citedText: "1" });
  const c = cite({ title: "B", citedText: "2" });
  const turn = turnOf([
    [message("x", [a, b]), 0, 0],
    [message("y", [cite({ url: "https://a", title: "other" }), c, b]), 1, 0],
  ]);
  expect(citationsOf(turn)).toEqual([a, b, c]);
});

it("joins the messages of a run, and keeps runs apart", () => {
  const tool: EventBody = {
    type: "tool_use",
    toolCallId: "c",
    toolName: "x",
    input: {},
    executedBy: "source",
  };
  const turn = turnOf([
    [message("a"), 0, 0],
    [message("b"), 1, 0],
    [tool, 2],
    [message("c"), 3, 3],
  ]);
  expect(replyText(turn)).toBe("ab\n\nc");
});

it("adds up the steps of a turn", () => {
  const step = (cost: number | undefined, firstChunkMs: number | undefined): EventBody => ({
    type: "usage",
    usage,
    cost,
    model: "m",
    firstChunkMs,
    durationMs: 1200,
  });
  const { outline } = turnOf([[step(0.5, 200)], [step(undefined, undefined)]]);
  expect(totalsOf(outline)).toEqual({
    input: 200,
    output: 100,
    cached: 20,
    written: 0,
    cost: 0.5,
    isEstimate: false,
    firstChunkMs: 200,
    tokensPerSecond: 50,
  });
  // An attempt that was cut off and made again: paid for, and no measure of speed.
  const cut: EventBody = { type: "usage", usage, model: "m", durationMs: 9, isEstimate: true };
  expect(totalsOf(turnOf([[cut], [step(0.5, 200)]]).outline)).toEqual({
    input: 200,
    output: 100,
    cached: 20,
    written: 0,
    cost: 0.5,
    isEstimate: true,
    firstChunkMs: 200,
    tokensPerSecond: 50,
  });
  expect(totalsOf(turnOf([[message("a"), 0, 0]]).outline)).toBeUndefined();
});
