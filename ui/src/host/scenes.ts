// Scenes for a plain browser: every state of the window, by name, on the fake host. Only the
// development server serves this file.

import { EventWriter, FakeHost, fakeMemory, fakeSession } from "./fake";
import type { Host } from "./host";
import type { EventBody, Image, SessionSummary, Shown, Snapshot, Usage } from "./protocol";
import { afterTool, beforeTool, citations, drawing, thinkingPieces, todoLines } from "./scene_html";

type Scene = (host: FakeHost) => void;

export function sceneHost(name: string): Host {
  const host = new FakeHost();
  host.startup = { ...host.startup, sessions: list() };
  for (const session of host.startup.sessions) {
    host.snapshots.set(
      session.id,
      snapshot(session, finishedTurn(new EventWriter(session.id), "t1")),
    );
  }
  const watching = { watch: 1 };
  host.onSend = (session, prompt, images) =>
    play(host, session ?? `new-${Date.now()}`, { content: prompt, images }, watching);
  const ollama = { name: "ollama", models: ["qwen3.8:27b", "llama4:8b", "gemma4:12b"] };
  const { onListModels } = host;
  host.onFindSources = () => [ollama];
  host.onListModels = (source) => (source === ollama.name ? ollama.models : onListModels(source));
  (scenes[name] ?? (() => {}))(host);
  return host;
}

const now = Date.now();
const ago = (minutes: number) => new Date(now - minutes * 60_000).toISOString();

function list(): SessionSummary[] {
  const line = (id: string, title: string, minutes: number, change: Partial<SessionSummary> = {}) =>
    fakeSession(id, { title, updatedAt: ago(minutes), model: "claude-sonnet-4-5", ...change });
  return [
    line("a", "Journal replaces finished block", 0, { tokens: 18_204, cost: 0.31 }),
    line("b", "Port the retry table", 3, { status: "running" }),
    line("c", "Why does WAL grow?", 34),
    line("d", "Gemini thought signatures", 90, { status: "interrupted" }),
    line("e", "Letter to the landlord", 1500, { status: "failed" }),
    line("f", "Dinner for eight, no nuts", 3100),
    line("g", "Explain Nyquist again", 16_000),
  ];
}

const usage: Usage = {
  inputTokens: 1204,
  outputTokens: 356,
  reasoningTokens: 118,
  cacheReadTokens: 18_102,
  cacheWriteTokens: 0,
  cacheWrite5mTokens: 0,
  cacheWrite1hTokens: 0,
};

const prompt: EventBody = {
  type: "user_message",
  content: "Why is the chunk journal deleted in the same transaction that writes the block?",
  source: "demo",
  model: "claude-sonnet-4-5",
};

/** A whole turn with every kind of block; `until` cuts it short. */
function turnEvents(writer: EventWriter, turn: string, until = Number.POSITIVE_INFINITY): Shown[] {
  const html = (run: number, pieces: string[]) => ({ run, from: 0, pieces, tail: "" });
  const put = (body: EventBody, block?: number, pieces?: string[]) => () =>
    writer.write(body, { turn, block, rendered: pieces && html(block ?? 0, pieces) });
  const events = [
    put(prompt),
    put({ type: "thinking", content: "If the two were…", durationMs: 4100 }, 0, thinkingPieces),
    put(
      {
        type: "processing",
        content: "Read store/journal.rs\nRead store/log.rs\nCheck the recovery test",
        durationMs: 1240,
      },
      1,
    ),
    put(
      {
        type: "tool_use",
        toolCallId: "call-1",
        toolName: "search_text",
        input: { pattern: "DELETE FROM journal", path: "src-tauri/crates/core" },
        executedBy: "source",
      },
      2,
    ),
    put({
      type: "tool_result",
      toolCallId: "call-1",
      toolName: "search_text",
      result: Array.from(
        { length: 24 },
        (_, at) => `store/journal.rs:${74 + at}   DELETE FROM journal WHERE block = ?1`,
      ).join("\n"),
      isError: false,
      durationMs: 38,
    }),
    put(
      {
        type: "message",
        content: "Because a reader must never see both, and never neither.",
        citations,
      },
      3,
      beforeTool,
    ),
    put(
      {
        type: "tool_use",
        toolCallId: "call-2",
        toolName: "read_file",
        input: { path: "store/recover.rs" },
        executedBy: "source",
      },
      4,
    ),
    put({
      type: "tool_result",
      toolCallId: "call-2",
      toolName: "read_file",
      result: "no such file",
      isError: true,
      durationMs: 1800,
    }),
    put({ type: "message", content: "Recovery then needs no rule for duplicates." }, 5, afterTool),
  ];
  return events.slice(0, until).map((write) => write());
}

function finishedTurn(writer: EventWriter, turn: string): Shown[] {
  return [
    ...turnEvents(writer, turn),
    writer.write(
      {
        type: "usage",
        usage,
        cost: 0.0123,
        model: "claude-sonnet-4-5",
        firstChunkMs: 620,
        durationMs: 4860,
      },
      { turn },
    ),
    writer.write({ type: "complete", stopReason: "end_turn", usage, cost: 0.0123 }, { turn }),
  ];
}

/** A turn whose text is cut in the middle, and how it ended. */
function cutTurn(writer: EventWriter, end: EventBody, blocks = true): Shown[] {
  const turn = "cut";
  const events = blocks ? turnEvents(writer, turn, 6) : [writer.write(prompt, { turn })];
  return [...events, writer.write(end, { turn })];
}

function snapshot(session: SessionSummary, events: Shown[], growing: Shown[] = []): Snapshot {
  return { session, watch: 1, events, growing, hasEarlier: false };
}

function shows(
  make: (writer: EventWriter) => Shown[],
  change: Partial<SessionSummary> = {},
): Scene {
  return (host) => {
    const [first] = host.startup.sessions;
    if (!first) return;
    const session = { ...first, ...change };
    host.startup.sessions[0] = session;
    host.snapshots.set("a", snapshot(session, make(new EventWriter("a"))));
  };
}

const scenes: Record<string, Scene> = {
  welcome: (host) => {
    host.startup = { ...host.startup, sessions: [] };
  },
  stopped: shows((writer) =>
    cutTurn(writer, { type: "complete", stopReason: "cancelled", usage, cost: 0.01 }),
  ),
  interrupted: shows(
    (writer) =>
      cutTurn(writer, {
        type: "error",
        error: {
          code: "interrupted",
          message: "Weir closed in the middle of this reply. Everything that was shown is kept.",
        },
      }),
    { status: "interrupted" },
  ),
  retry: shows(
    (writer) => [
      writer.write(prompt, { turn: "t" }),
      writer.write(
        {
          type: "retry",
          attempt: 1,
          mostAttempts: 2,
          delayMs: 40_000,
          error: {
            code: "overloaded",
            message: "Overloaded (529)",
            details: { code: "overloaded_error", message: "Overloaded", status: 529 },
          },
        },
        { turn: "t", at: Date.now() },
      ),
    ],
    { status: "running" },
  ),
  error: shows(
    (writer) =>
      cutTurn(writer, {
        type: "error",
        error: {
          code: "network",
          message: "The connection to api.anthropic.com broke off.",
          retryAfter: 20,
        },
      }),
    { status: "failed" },
  ),
  todos: shows(
    (writer) => [
      writer.write(prompt, { turn: "t" }),
      writer.write({ type: "processing_chunk", content: todoLines }, { turn: "t", block: 0 }),
    ],
    { status: "running" },
  ),
  memories: (host) => {
    host.remembered = [
      fakeMemory("m1", "I prefer short answers.", { kind: "preference" }),
      fakeMemory("m2", "The tests run with cargo nextest, and the slow ones only at night."),
      fakeMemory("m3", "Never commit directly to main.", { kind: "instruction" }),
    ];
    host.remembering.add(null);
    shows((writer) => {
      const [asked, ...reply] = finishedTurn(writer, "t");
      const went = writer.write({ type: "memories", memories: ["m1", "m2", "m3"] }, { turn: "t" });
      return [...(asked ? [asked] : []), went, ...reply];
    })(host);
  },
  pictures: shows((writer) => {
    const picture = { mediaType: "image/png", data: drawing };
    const turn = "t";
    return [
      writer.write({ ...prompt, images: [picture, picture] } as EventBody, { turn }),
      writer.write(
        { type: "file", url: `data:image/png;base64,${drawing}`, mediaType: "image/png" },
        { turn, block: 0 },
      ),
      writer.write(
        { type: "file", url: "https://example.org/report.pdf", mediaType: "application/pdf" },
        { turn, block: 1 },
      ),
      writer.write({ type: "complete", stopReason: "end_turn" }, { turn }),
    ];
  }),
  /** A prompt that was edited, in a fork of another session. */
  branches: (host) => {
    const [first, , origin] = host.startup.sessions;
    if (!first || !origin) return;
    const session = { ...first, forkedFrom: { session: origin.id, turn: "t" } };
    host.startup.sessions[0] = session;
    const writer = new EventWriter("a");
    const events = [...finishedTurn(writer, "t1"), ...finishedTurn(writer, "t2")];
    const branches = [{ turn: "t2", turns: ["t0", "t2", "t3"] }];
    host.snapshots.set("a", { ...snapshot(session, events), branches });
  },
  /** Many keys, many models, prices of one's own, and a server that does not answer. */
  sources: (host) => {
    const { settings } = host.startup;
    host.startup.settings = {
      ...settings,
      source: "openrouter",
      sources: settings.sources.map((source) =>
        ["anthropic", "openrouter", "groq"].includes(source.name)
          ? { ...source, key: { state: "stored" } }
          : source,
      ),
      prices: [
        { model: "openai/gpt-5", input: 1.25, output: 10, cacheRead: 0.125, cacheWrite: 1.25 },
        { model: "my-own-model", input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
      ],
    };
    const makers = ["openai/gpt", "anthropic/claude", "qwen/qwen", "mistralai/mistral"];
    const many = Array.from({ length: 412 }, (_, at) => `${makers[at % 4]}-${at / 40}`);
    const { onListModels } = host;
    host.onListModels = (source) => {
      if (source === "openrouter") return many;
      if (source !== "groq") return onListModels(source);
      throw { code: "network", message: "api.groq.com could not be reached: it timed out." };
    };
  },
  no_key: shows(
    (writer) =>
      cutTurn(
        writer,
        {
          type: "error",
          error: { code: "no_key", message: "Anthropic wants a key and there is none." },
        },
        false,
      ),
    { status: "failed" },
  ),
  notice: (host) => {
    host.startup.notices.push({
      code: "storage",
      message:
        "The database could not be read. It was moved aside as weir.db.broken and a new one was begun.",
    });
  },
  startup_error: (host) => {
    host.startError = {
      code: "newer_database",
      message: "This database was written by a newer Weir. Install the newest Weir to open it.",
    };
  },
  refused: (host) =>
    host.refuse("send", { code: "bad_input", message: "The prompt is too long: 2.1 MB of 1 MB." }),
  long: (host) => {
    const writer = new EventWriter("a");
    host.log = Array.from({ length: 120 }, (_, at) => finishedTurn(writer, `turn-${at}`)).flat();
    const events = host.log.slice(-11 * 6);
    const [session] = host.startup.sessions;
    if (session) host.snapshots.set("a", { ...snapshot(session, events), hasEarlier: true });
  },
  many: (host) => {
    const more = Array.from({ length: 60 }, (_, at) =>
      fakeSession(`many-${at}`, {
        title: `A session with a rather long title, number ${at}`,
        updatedAt: ago(20_000 + at),
      }),
    );
    host.startup.sessions.push(...more);
  },
};

/** Streams a reply into a session, a few words per frame. */
function play(
  host: FakeHost,
  id: string,
  asked: { content: string; images: readonly Image[] },
  watching: { watch: number },
): string {
  const turn = `turn-${Date.now()}`;
  const known = host.snapshots.get(id);
  const base = fakeSession(id, {
    title: asked.content.slice(0, 40),
    updatedAt: new Date().toISOString(),
    status: "running",
  });
  const session = { ...(known?.session ?? base), status: "running" as const };
  const earlier = known?.events ?? [];
  const writer = new EventWriter(id, earlier.at(-1));
  const first = writer.write({ ...prompt, ...asked } as EventBody, { turn, at: Date.now() });
  watching.watch += 1;
  const { watch } = known ? { watch: known.watch } : watching;
  host.snapshots.set(id, {
    session,
    watch,
    events: [...earlier, first],
    growing: [],
    hasEarlier: false,
  });
  host.push({ watch, events: [first], sessions: [session] });

  const frames: (() => Shown[])[] = [];
  const thought = thinkingPieces.join(" ");
  for (let at = 8; at < thought.length; at += 8) {
    const tail = thought.slice(0, at);
    frames.push(() => [
      writer.write(
        { type: "thinking_chunk", content: tail.slice(-8) },
        { turn, block: 0, at: Date.now(), rendered: { run: 0, from: 0, pieces: [], tail } },
      ),
    ]);
  }
  frames.push(() => [
    writer.write(
      { type: "thinking", content: thought, durationMs: 2400 },
      { turn, block: 0, rendered: { run: 0, from: 0, pieces: thinkingPieces, tail: "" } },
    ),
  ]);
  const pieces = [...beforeTool, ...afterTool];
  pieces.forEach((piece, at) => {
    for (let end = 30; end < piece.length && piece.startsWith("<p>"); end += 30) {
      const tail = `${piece.slice(0, end).replace(/<[^>]*$/, "")}</p>`;
      frames.push(() => [
        writer.write(
          { type: "message_chunk", content: "…" },
          { turn, block: 1, rendered: { run: 1, from: at, pieces: [], tail } },
        ),
      ]);
    }
    frames.push(() => [
      writer.write(
        { type: "message_chunk", content: "…" },
        { turn, block: 1, rendered: { run: 1, from: at, pieces: [piece], tail: "" } },
      ),
    ]);
  });
  frames.push(() => [
    writer.write(
      { type: "message", content: "All of it.", citations },
      { turn, block: 1, rendered: { run: 1, from: 0, pieces, tail: "" } },
    ),
    writer.write(
      { type: "usage", usage, cost: 0.0123, model: "demo", firstChunkMs: 620, durationMs: 4860 },
      { turn },
    ),
  ]);
  const timer = setInterval(() => {
    const next = frames.shift();
    if (next) host.push({ watch, events: next() });
    else finish("end_turn");
  }, 40);
  const finish = (stopReason: "end_turn" | "cancelled") => {
    clearInterval(timer);
    const end = writer.write({ type: "complete", stopReason, usage, cost: 0.0123 }, { turn });
    host.push({
      watch,
      events: [end],
      sessions: [{ ...session, status: "idle", tokens: 1560, cost: 0.0123 }],
    });
  };
  host.onStop = () => finish("cancelled");
  return id;
}
