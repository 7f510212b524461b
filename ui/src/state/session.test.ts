import { describe, expect, it } from "vitest";
import { EventWriter, fakeSession } from "../host/fake";
import type { EventBody, Rendered, Shown, Snapshot } from "../host/protocol";
import type { Block } from "./block";
import { applyEarlier, applyEvents, type SessionView, viewSnapshot } from "./session";

const turn = "t";
const prompt: EventBody = { type: "user_message", content: "hi", source: "demo", model: "demo" };
const chunk = (content: string): EventBody => ({ type: "message_chunk", content });
const cite = (title: string) => ({ title, raw: {} });
const citing = (content: string, ...titles: string[]) =>
  ({ type: "message_chunk", content, citations: titles.map(cite) }) as EventBody;
const message = (content: string): EventBody => ({ type: "message", content });
const complete: EventBody = { type: "complete", stopReason: "end_turn" };
const html = (run: number, from: number, pieces: string[], tail = ""): Rendered => ({
  run,
  from,
  pieces,
  tail,
});

function open(events: Shown[] = [], growing: Shown[] = []): SessionView {
  const snapshot: Snapshot = {
    session: fakeSession("s"),
    watch: 1,
    events,
    growing,
    hasEarlier: false,
  };
  return viewSnapshot(snapshot);
}

/** The blocks of the only turn, as a person would read them. */
function read(view: SessionView): string[] {
  return view.turns.flatMap((held) => held.blocks.map(describeBlock));
}

function describeBlock(block: Block): string {
  const state = block.growing ? "growing" : "done";
  switch (block.kind) {
    case "text":
      return `text ${state} ${[...block.html.pieces, block.html.tail].join("/")} = ${block.parts.map((part) => part.content).join("+")}`;
    case "thinking":
      return `thinking ${state} ${block.content}`;
    case "tool":
      return `tool ${state} ${block.toolName} ${block.inputText}${JSON.stringify(block.input) ?? ""} -> ${JSON.stringify(block.outcome?.result) ?? "nothing"}`;
    case "processing":
      return `processing ${state} ${block.content}`;
    case "file":
      return `file ${block.mediaType} ${block.url}`;
    case "memories":
      return `memories ${block.ids.join(" ")}`;
    case "compaction":
      return `compaction ${block.content}`;
    case "hooks":
      return `hooks ${block.runs.map(({ event }) => event).join("+")}`;
    case "budget":
      return `budget ${block.said.level} ${block.said.name}`;
    case "guard":
      return `guard ${block.place} ${block.verdict} ${block.detections.map((it) => it.rule).join("+")}`;
  }
}

type Case = { name: string; events: (writer: EventWriter) => Shown[]; reads: string[] };

const cases: Case[] = [
  {
    name: "a chunk, then its block",
    events: (w) => [
      w.write(prompt, { turn }),
      w.write(chunk("a"), { turn, block: 0, rendered: html(0, 0, [], "A") }),
      w.write(message("ab"), { turn, block: 0, rendered: html(0, 0, ["AB"]) }),
    ],
    reads: ["text done AB/ = ab"],
  },
  {
    name: "a chunk after its block",
    events: (w) => {
      const early = w.write(chunk("a"), { turn, block: 0, rendered: html(0, 0, [], "A") });
      const late = w.write(chunk("b"), { turn, block: 0, rendered: html(0, 0, [], "AB") });
      return [
        early,
        w.write(message("ab"), { turn, block: 0, rendered: html(0, 0, ["AB"]) }),
        late,
      ];
    },
    reads: ["text done AB/ = ab"],
  },
  {
    name: "the same chunk twice",
    events: (w) => {
      const body: EventBody = {
        type: "tool_use_chunk",
        toolCallId: "c",
        toolName: "read",
        executedBy: "source",
        content: "{",
      };
      const once = w.write(body, { turn, block: 0 });
      return [once, once];
    },
    reads: ["tool growing read { -> nothing"],
  },
  {
    name: "a run over several messages, cut by a tool",
    events: (w) => [
      w.write(chunk("a"), { turn, block: 0, rendered: html(0, 0, [], "A") }),
      w.write(message("a"), { turn, block: 0, rendered: html(0, 0, [], "A") }),
      w.write(chunk("b"), { turn, block: 1, rendered: html(0, 0, ["AB"], "") }),
      w.write(message("b"), { turn, block: 1, rendered: html(0, 1, [], "") }),
      w.write(
        { type: "tool_use", toolCallId: "c", toolName: "read", input: 1, executedBy: "source" },
        { turn, block: 2 },
      ),
      w.write(message("d"), { turn, block: 3, rendered: html(3, 0, ["D"]) }),
      w.write(
        {
          type: "tool_result",
          toolCallId: "c",
          toolName: "read",
          result: 2,
          isError: false,
          durationMs: 1,
        },
        { turn },
      ),
    ],
    reads: ["text done AB/ = a+b", "tool done read 1 -> 2", "text done D/ = d"],
  },
  {
    name: "the end of a turn closes what still grew",
    events: (w) => [
      w.write({ type: "processing_chunk", content: "one" }, { turn, block: 0 }),
      w.write(chunk("a"), { turn, block: 1, rendered: html(1, 0, [], "A") }),
      w.write(complete, { turn }),
    ],
    reads: ["processing done one", "text done A = a"],
  },
  {
    name: "a file among the text, told twice",
    events: (w) => {
      const file = w.write(
        { type: "file", url: "data:image/png;base64,aGk=", mediaType: "image/png" },
        { turn, block: 1 },
      );
      return [
        w.write(message("a"), { turn, block: 0, rendered: html(0, 0, ["A"]) }),
        file,
        file,
        w.write(message("b"), { turn, block: 2, rendered: html(2, 0, ["B"]) }),
      ];
    },
    reads: ["text done A/ = a", "file image/png data:image/png;base64,aGk=", "text done B/ = b"],
  },
  {
    name: "blocks are read in their place, whatever came first",
    events: (w) => [
      w.write(message("b"), { turn, block: 1, rendered: html(1, 0, ["B"]) }),
      w.write(
        { type: "thinking", content: "a", durationMs: 1 },
        { turn, block: 0, rendered: html(0, 0, ["A"]) },
      ),
    ],
    reads: ["thinking done a", "text done B/ = b"],
  },
];

describe("a session's events", () => {
  it.each(cases)("$name", ({ events, reads }) => {
    const written = events(new EventWriter("s"));
    const view = applyEvents(open(), written);
    expect(read(view)).toEqual(reads);
    expect(view.missed).toBe(false);
    // Stored or not, what was applied once changes nothing the second time.
    expect(applyEvents(view, written)).toEqual(view);
  });

  it("waits at a gap and goes on when it is filled", () => {
    const w = new EventWriter("s");
    const events = [
      w.write(prompt, { turn }),
      w.write(message("a"), { turn, block: 0, rendered: html(0, 0, ["A"]) }),
      w.write(message("b"), { turn, block: 1, rendered: html(0, 0, ["AB"]) }),
      w.write(complete, { turn }),
    ];
    const [first, second, third, fourth] = events as [Shown, Shown, Shown, Shown];
    const gap = applyEvents(open([first]), [fourth, third, third]);
    expect(gap.waiting).toHaveLength(2);
    expect(read(gap)).toEqual([]);
    const filled = applyEvents(gap, [second, third, fourth]);
    expect(filled.waiting).toEqual([]);
    expect(filled).toEqual(applyEvents(open([first]), events));
  });

  it("says so when a change to a run does not fit", () => {
    const w = new EventWriter("s");
    const view = applyEvents(open(), [
      w.write(chunk("a"), { turn, block: 0, rendered: html(0, 2, [], "A") }),
    ]);
    expect(view.missed).toBe(true);
  });

  it("leaves out events of another session", () => {
    const view = open();
    expect(applyEvents(view, [new EventWriter("other").write(prompt, { turn })])).toBe(view);
  });

  it("puts an earlier page before what is held, once", () => {
    const w = new EventWriter("s");
    const early = [w.write(prompt, { turn: "one" }), w.write(complete, { turn: "one" })];
    const late = [w.write(prompt, { turn: "two" }), w.write(complete, { turn: "two" })];
    const page = { events: early, hasEarlier: false };
    const view = applyEarlier({ ...open(late), hasEarlier: true }, page);
    expect(view.order).toEqual(["one", "two"]);
    expect(view).toMatchObject({ firstSequence: 1, lastSequence: 4, hasEarlier: false });
    expect(applyEarlier(view, page)).toEqual(view);
  });

  it.each<[string, (w: EventWriter) => Shown[], string[]]>([
    ["none", (w) => [w.write(chunk("a"), { turn, block: 0 })], []],
    ["a chunk's", (w) => [w.write(citing("a", "1"), { turn, block: 0 })], ["1"]],
    [
      "those of all chunks, in their order and once",
      (w) => {
        const first = w.write(citing("a", "1"), { turn, block: 0 });
        const twice = w.write(citing("b", "2", "1"), { turn, block: 0 });
        return [first, twice, twice];
      },
      ["1", "2", "1"],
    ],
    [
      "those of the finished message alone",
      (w) => [
        w.write(citing("a", "1"), { turn, block: 0 }),
        w.write({ ...message("a"), citations: [cite("3")] } as EventBody, { turn, block: 0 }),
      ],
      ["3"],
    ],
    [
      "none once the finished message has none",
      (w) => [
        w.write(citing("a", "1"), { turn, block: 0 }),
        w.write(message("a"), { turn, block: 0 }),
      ],
      [],
    ],
    [
      "those that had come when the turn ended early",
      (w) => [w.write(citing("a", "1"), { turn, block: 0 }), w.write(complete, { turn })],
      ["1"],
    ],
  ])("has the citations of a text: %s", (_, events, titles) => {
    const [held] = applyEvents(open(), events(new EventWriter("s"))).turns;
    const [block] = held?.blocks ?? [];
    const parts = block?.kind === "text" ? block.parts : [];
    expect(parts.flatMap(({ citations }) => citations.map(({ title }) => title))).toEqual(titles);
  });

  it("keeps the pictures of a prompt, and has none where there were none", () => {
    const w = new EventWriter("s");
    const images = [{ mediaType: "image/png", data: "aGk=" }];
    const view = applyEvents(open(), [
      w.write({ ...prompt, images } as EventBody, { turn: "one" }),
      w.write(prompt, { turn: "two" }),
    ]);
    expect(view.turns.map((held) => held.outline.user?.images)).toEqual([images, []]);
  });

  it("keeps every object that a chunk does not concern", () => {
    const w = new EventWriter("s");
    const before = applyEvents(open(), [
      w.write(prompt, { turn }),
      w.write(
        { type: "thinking", content: "a", durationMs: 1 },
        { turn, block: 0, rendered: html(0, 0, ["A"]) },
      ),
      w.write(chunk("b"), { turn, block: 1, rendered: html(1, 0, ["B"], "C") }),
    ]);
    const after = applyEvents(before, [
      w.write(chunk("d"), { turn, block: 1, rendered: html(1, 1, [], "CD") }),
    ]);
    expect(after.order).toBe(before.order);
    expect(after.turns[0]?.outline).toBe(before.turns[0]?.outline);
    expect(after.turns[0]?.blocks[0]).toBe(before.turns[0]?.blocks[0]);
    expect(after.turns[0]?.blocks[1]).not.toBe(before.turns[0]?.blocks[1]);
  });
});

describe("branches", () => {
  const asked = (replaces?: string): EventBody => ({ ...prompt, replaces }) as EventBody;

  /** Two turns on the screen, `b` in a place with another. */
  function opened() {
    const w = new EventWriter("s");
    const events = [
      w.write(asked(), { turn: "a" }),
      w.write(complete, { turn: "a" }),
      w.write(asked(), { turn: "b" }),
      w.write(complete, { turn: "b" }),
    ];
    const branches = [{ turn: "b", turns: ["x", "b"] }];
    const session = fakeSession("s");
    const view = viewSnapshot({
      session,
      watch: 1,
      events,
      growing: [],
      hasEarlier: false,
      branches,
    });
    return { w, view };
  }

  const branchesOf = (view: SessionView) => view.turns.map((held) => held.outline.branches ?? []);

  it.each([
    ["comes last", undefined, { order: ["a", "b", "c"], branches: [[], ["x", "b"], []] }],
    ["takes a place", "b", { order: ["a", "c"], branches: [[], ["x", "b", "c"]] }],
    ["takes the first place", "a", { order: ["c"], branches: [["a", "c"]] }],
  ])("a turn that %s", (_, replaces, expected) => {
    const { w, view } = opened();
    const after = applyEvents(view, [w.write(asked(replaces), { turn: "c" })]);
    expect({ order: after.order, branches: branchesOf(after) }).toEqual(expected);
    expect(after).toMatchObject({ moved: false, lastSequence: 5, waiting: [] });
  });

  it.each<[string, EventBody]>([
    ["another branch was chosen", { type: "branch_choice", turn: "x" }],
    ["a turn takes a place that is not on the screen", asked("x")],
  ])("only a new snapshot helps when %s", (_, body) => {
    const { w, view } = opened();
    expect(applyEvents(view, [w.write(body, { turn: "c" })])).toMatchObject({ moved: true });
  });

  it("goes on after the session's last number, which may be of another branch", () => {
    const w = new EventWriter("s");
    const first = w.write(asked(), { turn: "a" });
    const hidden = w.write(asked("a"), { turn: "b" });
    const choice = w.write({ type: "branch_choice", turn: "a" });
    const next = w.write(asked(), { turn: "c" });
    const lastSequence = choice.sequenceNumber;
    const session = fakeSession("s");
    const snapshot = { session, watch: 1, events: [first], growing: [], hasEarlier: false };
    const view = viewSnapshot({ ...snapshot, lastSequence });
    const after = applyEvents(view, [hidden, choice, next]);
    expect(after).toMatchObject({ order: ["a", "c"], moved: false, waiting: [], lastSequence: 4 });
  });

  it("an earlier page says where it branches", () => {
    const { view } = opened();
    const late = { ...view, firstSequence: 10, hasEarlier: true };
    const w = new EventWriter("s");
    const events = [w.write(asked(), { turn: "a" })];
    const branches = [{ turn: "a", turns: ["a", "y"] }];
    const after = applyEarlier(late, { events, hasEarlier: false, branches });
    expect(branchesOf(after)).toEqual([
      ["a", "y"],
      ["x", "b"],
    ]);
  });
});
