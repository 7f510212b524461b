import { describe, expect, it } from "vitest";
import { EventWriter, fakeSession, fakeSettings } from "../host/fake";
import type { Citation, EventBody, Frame, SessionSummary, Shown, Snapshot } from "../host/protocol";
import { type Action, type App, initial, reduce } from "./app";

const frame = (change: Partial<Frame>): Action => ({
  type: "frame",
  frame: { watch: 0, events: [], sessions: [], deleted: [], notices: [], looks: [], ...change },
});

function started(...sessions: SessionSummary[]): App {
  const startup = { version: "1", settings: fakeSettings(), sessions, notices: [] };
  return reduce(initial, { type: "started", startup });
}

const run = (app: App, actions: readonly Action[]) => actions.reduce(reduce, app);

describe("the session list", () => {
  const at = (id: string, updatedAt: string, change: Partial<SessionSummary> = {}) =>
    fakeSession(id, { updatedAt, ...change });

  it("is newest first, fractions of a second included", () => {
    const app = started(
      at("a", "2026-01-01T00:00:05Z"),
      at("b", "2026-01-01T00:00:05.5Z"),
      at("c", "2026-01-02T00:00:00Z"),
    );
    expect(app.sessions.map(({ id }) => id)).toEqual(["c", "b", "a"]);
  });

  it("marks as unread what finished while not open", () => {
    const running = { status: "running" } as const;
    const app = started(fakeSession("a", running), fakeSession("b", running));
    const done = run(app, [
      { type: "select", id: "a" },
      frame({ sessions: [fakeSession("a"), fakeSession("b", { status: "failed" })] }),
    ]);
    expect([...done.unread]).toEqual(["b"]);
    expect([...reduce(done, { type: "select", id: "b" }).unread]).toEqual([]);
  });

  it("forgets a deleted session and closes it", () => {
    const app = run(started(fakeSession("a")), [
      { type: "select", id: "a" },
      frame({ deleted: ["a"] }),
    ]);
    expect(app).toMatchObject({ sessions: [], open: { id: null }, view: null });
  });
});

describe("watch numbers", () => {
  const writer = () => new EventWriter("s");
  const prompt: EventBody = { type: "user_message", content: "hi", source: "demo", model: "demo" };
  const complete: EventBody = { type: "complete", stopReason: "end_turn" };
  const snapshot = (watch: number, events: Shown[]): Snapshot => ({
    session: fakeSession("s"),
    watch,
    events,
    hasEarlier: false,
    growing: [],
  });

  it("holds the frames of a snapshot that is on its way", () => {
    const w = writer();
    const [first, second] = [w.write(prompt, { turn: "t" }), w.write(complete, { turn: "t" })];
    const app = run(started(fakeSession("s")), [
      { type: "select", id: "s" },
      frame({ watch: 7, events: [second] }),
      { type: "opened", snapshot: snapshot(7, [first]) },
    ]);
    expect(app.view?.lastSequence).toBe(2);
    expect(app.held).toEqual([]);
  });

  it("leaves out the frames of an older snapshot, but takes their lists", () => {
    const w = writer();
    const [first, second] = [w.write(prompt, { turn: "t" }), w.write(complete, { turn: "t" })];
    const app = run(started(fakeSession("s")), [
      { type: "select", id: "s" },
      { type: "opened", snapshot: snapshot(7, [first]) },
      frame({ watch: 6, events: [second], notices: [{ code: "a", message: "b" }] }),
    ]);
    expect(app.view?.lastSequence).toBe(1);
    expect(app.notices).toHaveLength(1);
  });

  it("leaves out the page that goes before an older snapshot", () => {
    const w = writer();
    const [early, late] = [w.write(prompt, { turn: "a" }), w.write(prompt, { turn: "b" })];
    const opened = run(started(fakeSession("s")), [
      { type: "select", id: "s" },
      { type: "opened", snapshot: { ...snapshot(8, [late]), hasEarlier: true } },
    ]);
    const page = { events: [early], hasEarlier: false };
    expect(run(opened, [{ type: "earlier", watch: 7, page }])).toEqual(opened);
    expect(run(opened, [{ type: "earlier", watch: 8, page }]).view?.order).toEqual(["a", "b"]);
  });

  it("drops the snapshot of a session that was left meanwhile", () => {
    const app = run(started(fakeSession("s"), fakeSession("other")), [
      { type: "select", id: "s" },
      { type: "select", id: "other" },
      { type: "opened", snapshot: snapshot(1, []) },
    ]);
    expect(app).toMatchObject({ view: null, open: { id: "other", stage: "opening" } });
  });
});

describe("asking around", () => {
  const answer = (ask: number, ...models: string[]): Action => ({
    type: "models",
    source: "openai",
    ask,
    answer: { state: "known", models },
  });
  const ask = (number: number): Action => ({
    type: "models",
    source: "openai",
    ask: number,
    answer: { state: "asking" },
  });
  const elsewhere = (): Action => {
    const settings = fakeSettings();
    const sources = settings.sources.map((source) => ({ ...source, baseUrl: "https://b" }));
    return { type: "settings", settings: { ...settings, sources } };
  };

  it.each<[string, Action[], unknown]>([
    ["an answer", [ask(1), answer(1, "a")], { ask: 1, state: "known", models: ["a"] }],
    ["a late answer", [ask(1), ask(2), answer(1, "a")], { ask: 2, state: "asking" }],
    [
      "an older answer last",
      [ask(1), ask(2), answer(2, "b"), answer(1, "a")],
      { ask: 2, state: "known", models: ["b"] },
    ],
    ["an answer nobody waits for", [ask(1), elsewhere(), answer(1, "a")], undefined],
    [
      "an answer that says a name twice",
      [ask(1), answer(1, "a", "b", "", "a")],
      { ask: 1, state: "known", models: ["a", "b"] },
    ],
  ])("takes %s as it should", (_, actions, held) => {
    expect(run(started(), actions).asked.openai).toEqual(held);
  });

  it.each<[string, string, boolean]>([
    ["forgets what was found when a server may be elsewhere", "ollama", false],
    ["keeps what was found when that says nothing of it", "openai", true],
  ])("%s", (_, name, kept) => {
    const app = reduce(started(), {
      type: "found",
      sources: [{ name: "ollama", models: ["a", "a"] }],
    });
    const { settings } = app;
    const sources = settings.sources.map((source) =>
      source.name === name ? { ...source, baseUrl: "http://b" } : source,
    );
    const { found } = reduce(app, { type: "settings", settings: { ...settings, sources } });
    expect(found).toEqual(
      kept ? { looking: false, sources: [{ name: "ollama", models: ["a"] }] } : { looking: false },
    );
  });

  it("keeps what was found while it looks again, and when that fails", () => {
    const sources = [{ name: "ollama", models: ["a"] }];
    const error = { code: "unknown", message: "No." };
    const found = run(started(), [{ type: "looking" }, { type: "found", sources }]);
    expect(found.found).toEqual({ looking: false, sources });
    const looking = reduce(found, { type: "looking" });
    expect(looking.found).toEqual({ looking: true, sources });
    expect(reduce(looking, { type: "look_failed", error }).found).toEqual({
      looking: false,
      sources,
      error,
    });
  });
});

/** A small generator with a seed, so that a failure can be repeated. */
function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Two turns with thinking, a run over two messages and a tool; "|" ends a piece. */
function script(): Shown[] {
  const w = new EventWriter("s");
  const events: Shown[] = [];
  for (const turn of ["one", "two"]) {
    let text = "";
    const put = (body: EventBody, block?: number, run?: number) => {
      const cut = text.split("|");
      const rendered =
        run === undefined
          ? undefined
          : { run, from: 0, pieces: cut.slice(0, -1), tail: cut.at(-1) ?? "" };
      events.push(w.write(body, { turn, block, rendered }));
    };
    const grow = (
      type: "thinking_chunk" | "message_chunk",
      content: string,
      block: number,
      run: number,
      citations?: Citation[],
    ) => {
      text += content;
      put({ type, content, citations } as EventBody, block, run);
    };
    put({ type: "user_message", content: turn, source: "demo", model: "demo" });
    grow("thinking_chunk", "why|", 0, 0);
    grow("thinking_chunk", "so", 0, 0);
    put({ type: "thinking", content: text, durationMs: 5 }, 0, 0);
    text = "";
    grow("message_chunk", "a|b", 1, 1);
    put({ type: "message", content: "a|b" }, 1, 1);
    const first: Citation = { title: "1", raw: {} };
    const second: Citation = { title: "2", raw: {} };
    grow("message_chunk", "c|", 2, 1, [first]);
    grow("message_chunk", "d", 2, 1, [second]);
    put({ type: "message", content: "c|d", citations: [first, second] }, 2, 1);
    put(
      {
        type: "tool_use_chunk",
        toolCallId: turn,
        toolName: "read",
        executedBy: "source",
        content: "{}",
      },
      3,
    );
    put(
      { type: "tool_use", toolCallId: turn, toolName: "read", input: {}, executedBy: "source" },
      3,
    );
    put({
      type: "tool_result",
      toolCallId: turn,
      toolName: "read",
      result: 1,
      isError: false,
      durationMs: 1,
    });
    put({ type: "complete", stopReason: "end_turn" });
  }
  return events;
}

const citationsOf = (event: { citations?: Citation[] } | Shown) =>
  ("citations" in event && event.citations) || [];

/** The snapshot that Rust would give after `count` events. */
function snapshotAfter(events: readonly Shown[], count: number): Snapshot {
  const past = events.slice(0, count);
  const stored = past.filter((event) => event.sequenceNumber !== undefined);
  const open = past.filter(
    (event) =>
      event.sequenceNumber === undefined &&
      !stored.some(
        (block) => block.turnId === event.turnId && block.blockIndex === event.blockIndex,
      ),
  );
  const merged = open.reduce<Shown | undefined>((all, event) => {
    if (!all || !("content" in all) || !("content" in event)) return event;
    const citations = [...citationsOf(all), ...citationsOf(event)];
    return { ...event, content: all.content + event.content, citations } as Shown;
  }, undefined);
  return {
    session: fakeSession("s"),
    watch: 1,
    events: stored,
    growing: merged ? [merged] : [],
    hasEarlier: false,
  };
}

describe("any interleaving of snapshot and frames", () => {
  const events = script();
  const whole = run(started(fakeSession("s")), [
    { type: "select", id: "s" },
    { type: "opened", snapshot: snapshotAfter(events, events.length) },
  ]).view;

  it.each(Array.from({ length: 200 }, (_, seed) => seed))(
    "gives the same turns (seed %i)",
    (seed) => {
      const random = randomOf(seed);
      const cut = random(events.length + 1);
      const frames: Action[] = [];
      for (let at = cut; at < events.length; ) {
        const size = 1 + random(4);
        const some = events.slice(at, at + size);
        // A stored event may be lost, and anything may come twice.
        const kept =
          random(4) === 0 ? some.filter((event) => event.sequenceNumber === undefined) : some;
        frames.push(frame({ watch: 1, events: kept }));
        if (random(3) === 0) frames.push(frame({ watch: 1, events: kept }));
        at += size;
      }
      const early = random(frames.length + 1);
      const app = run(started(fakeSession("s")), [
        { type: "select", id: "s" },
        ...frames.slice(0, early),
        { type: "opened", snapshot: snapshotAfter(events, cut) },
        ...frames.slice(early),
      ]);
      const since = events.filter(
        (event) => (event.sequenceNumber ?? 0) > (app.view?.lastSequence ?? 0),
      );
      const { view } = reduce(app, { type: "filled", id: "s", events: since });
      expect(view?.missed).toBe(false);
      expect(view?.turns).toEqual(whole?.turns);
      expect(view?.order).toEqual(whole?.order);
    },
  );
});
