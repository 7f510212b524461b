// A turn as a pure fold over its events. Chunks grow the block that shares their place; the
// finished event replaces it; a chunk that comes after its block finished changes nothing.

import type { Citation, Image, Restored, Shown } from "../host/protocol";
import {
  applyRendered,
  type Block,
  type End,
  noHtml,
  type Permission,
  type ProcessingBlock,
  type Retry,
  type Step,
  type TextBlock,
  type TextPart,
  type ThinkingBlock,
  type ToolBlock,
} from "./block";

/** How the keys of hooks begin. */
const HOOKS = "hooks-";
const GUARD = "guard-";

export type UserMessage = {
  readonly content: string;
  readonly source: string;
  readonly model: string;
  readonly timestamp: string;
  readonly images: readonly Image[];
  /** What the placeholders in it stand for. */
  readonly restored?: readonly Restored[];
};

/** What of a turn changes rarely, so that a chunk re-renders its block and nothing around it. */
export type Outline = {
  readonly id: string;
  readonly user?: UserMessage;
  /** The keys of the blocks, in the order they are read. */
  readonly keys: readonly string[];
  readonly steps: readonly Step[];
  /** The keys of the calls that wait for the user's word. */
  readonly asking?: readonly string[];
  /** Until the next thing comes. */
  readonly retry?: Retry;
  readonly end?: End;
  /** The turns that stand in this place, itself too, where there are others. */
  readonly branches?: readonly string[];
};

export type Turn = {
  readonly id: string;
  /** The smallest event index seen: turns are read in this order. */
  readonly first: number;
  readonly outline: Outline;
  readonly blocks: readonly Block[];
};

/** `missed`: a change to a run did not fit what is held. */
export type Folded = { readonly turn: Turn; readonly missed: boolean };

/** A turn has one block of them, which is no part of the reply. */
export const memoriesKey = "memories";

type EventOf<T extends Shown["type"]> = Extract<Shown, { type: T }>;

export function emptyTurn(id: string, first: number): Turn {
  return { id, first, outline: { id, keys: [], steps: [] }, blocks: [] };
}

export function foldEvent(turn: Turn, event: Shown): Folded {
  return foldBody(afterRetry(turn, event), event);
}

function foldBody(turn: Turn, event: Shown): Folded {
  switch (event.type) {
    case "session_start":
    case "branch_choice":
    case "raw":
      return held(turn);
    case "hook":
      return held(foldHook(turn, event));
    case "guardrails_triggered":
    case "output_guardrails_triggered":
      return held(foldFound(turn, event));
    case "retry":
      return held(foldRetry(turn, event));
    case "permission_request": {
      const { toolCallId, reason, input } = event;
      return held(permit(turn, toolCallId, { reason, turn: turn.id, input }));
    }
    case "permission_decision": {
      const { toolCallId, decision, scope, decidedBy } = event;
      return held(permit(turn, toolCallId, { decision: { decision, scope, decidedBy } }));
    }
    case "compaction": {
      const { content, eventIndex } = event;
      const index = behind(turn);
      const key = `compaction-${eventIndex}`;
      return held(
        put(turn, { kind: "compaction", key, index, content, growing: false, eventIndex }),
      );
    }
    case "memories": {
      const { memories: ids, eventIndex } = event;
      // It went along with the prompt: it stands before all that followed.
      const block = { kind: "memories", key: memoriesKey, index: -2, ids, eventIndex } as const;
      return held(put(turn, { ...block, growing: false }));
    }
    case "budget": {
      const { eventIndex } = event;
      const index = (turn.blocks.at(-1)?.index ?? -1) + 0.5;
      const key = `budget-${eventIndex}`;
      return held(
        put(turn, { kind: "budget", key, index, said: event, growing: false, eventIndex }),
      );
    }
    case "user_message": {
      const { content, source, model, timestamp, images = [], restored } = event;
      const user = { content, source, model, timestamp, images, restored };
      return held(withOutline(turn, { user }));
    }
    case "thinking":
    case "thinking_chunk":
      return foldThinking(turn, event);
    case "message":
    case "message_chunk":
      return foldText(turn, event);
    case "tool_use":
    case "tool_use_chunk":
      return held(foldTool(turn, event));
    case "tool_result":
      return held(foldToolResult(turn, event));
    case "file": {
      const { url, mediaType, eventIndex, blockIndex: index = 0 } = event;
      const key = `file-${index}`;
      return held(
        put(turn, { kind: "file", key, index, url, mediaType, growing: false, eventIndex }),
      );
    }
    case "processing":
    case "processing_chunk":
      return held(foldProcessing(turn, event));
    case "usage": {
      const { usage, cost, firstChunkMs, durationMs, isEstimate } = event;
      const step = { usage, cost, firstChunkMs, durationMs, isEstimate };
      const steps = [...turn.outline.steps, step];
      return held(withOutline(turn, { steps }));
    }
    case "complete": {
      const { stopReason, usage, cost } = event;
      return held(close(turn, { type: "complete", stopReason, usage, cost }));
    }
    case "error":
      return held(close(turn, { type: "error", error: event.error }));
  }
}

function held(turn: Turn): Folded {
  return { turn, missed: false };
}

/** What comes after a failed attempt belongs to the next one. */
function afterRetry(turn: Turn, event: Shown): Turn {
  const { retry } = turn.outline;
  if (!retry || event.eventIndex <= retry.eventIndex) return turn;
  return withOutline(turn, { retry: undefined });
}

/** Where something stands that belongs to no block of the source's: after those there are. */
function behind(turn: Turn): number {
  return Math.floor(turn.blocks.at(-1)?.index ?? -1) + 0.5;
}

function foldHook(turn: Turn, event: EventOf<"hook">): Turn {
  const { hookEvent, command, outcome, durationMs, message, context, eventIndex } = event;
  const seen = turn.blocks.some(
    (block) => block.kind === "hooks" && block.runs.some((run) => run.eventIndex === eventIndex),
  );
  if (seen) return turn;
  const index = behind(turn);
  const before = find(turn, "hooks", index)?.runs ?? [];
  const run = { event: hookEvent, command, outcome, durationMs, message, context, eventIndex };
  const key = `${HOOKS}${index}`;
  return put(turn, { kind: "hooks", key, index, runs: [...before, run], growing: false });
}

/** Whether nothing of the reply is there yet. */
export function isUnanswered({ keys }: Outline): boolean {
  const isBeside = (key: string) => [HOOKS, GUARD].some((start) => key.startsWith(start));
  return keys.every((key) => key === memoriesKey || isBeside(key));
}

function foldRetry(turn: Turn, event: EventOf<"retry">): Turn {
  const { attempt, mostAttempts, delayMs, error, eventIndex } = event;
  const isLate = turn.outline.end || turn.blocks.some(({ growing }) => growing);
  if (isLate) return turn;
  const at = Date.parse(event.timestamp) + delayMs;
  return withOutline(turn, { retry: { attempt, mostAttempts, delayMs, error, at, eventIndex } });
}

function withOutline(turn: Turn, change: Partial<Outline>): Turn {
  return { ...turn, outline: { ...turn.outline, ...change } };
}

function close(turn: Turn, end: End): Turn {
  const blocks = turn.blocks.map((block) => (block.growing ? stopGrowing(block) : block));
  return withOutline({ ...turn, blocks }, { end, asking: undefined });
}

function stopGrowing(block: Block): Block {
  if (block.kind !== "text") return { ...block, growing: false };
  return { ...block, growing: false, parts: block.parts.map((p) => ({ ...p, growing: false })) };
}

function find<K extends Block["kind"]>(turn: Turn, kind: K, index: number) {
  return turn.blocks.findLast((block) => block.kind === kind && block.index === index) as
    | Extract<Block, { kind: K }>
    | undefined;
}

/** Puts a block in its place; the outline changes only when the block is new. */
function put(turn: Turn, block: Block): Turn {
  // What changes stands near the end, so it is looked for from there.
  const at = turn.blocks.findLastIndex((other) => other.key === block.key);
  if (at >= 0) return { ...turn, blocks: turn.blocks.with(at, block) };
  const after = turn.blocks.findLastIndex((other) => other.index <= block.index) + 1;
  const blocks = turn.blocks.toSpliced(after, 0, block);
  return withOutline(
    { ...turn, blocks },
    { keys: turn.outline.keys.toSpliced(after, 0, block.key) },
  );
}

/** Whether a chunk says nothing new: its block is finished, or it was seen before. */
function isLate(
  turn: Turn,
  event: Shown,
  block: { growing: boolean; eventIndex: number } | undefined,
) {
  if (turn.outline.end) return true;
  return block !== undefined && (!block.growing || event.eventIndex <= block.eventIndex);
}

function foldThinking(turn: Turn, event: EventOf<"thinking" | "thinking_chunk">): Folded {
  const index = event.blockIndex ?? 0;
  const before = find(turn, "thinking", index);
  if (event.type === "thinking_chunk" && isLate(turn, event, before)) return held(turn);
  const html = applyRendered(before?.html ?? noHtml, event.rendered);
  if (!html) return { turn, missed: true };
  const shared = {
    kind: "thinking",
    key: `thinking-${index}`,
    index,
    html,
    eventIndex: event.eventIndex,
  } as const;
  const block: ThinkingBlock =
    event.type === "thinking"
      ? {
          ...shared,
          content: event.content,
          growing: false,
          startedAt: Date.parse(event.timestamp) - event.durationMs,
          durationMs: event.durationMs,
          redacted: event.redacted !== undefined,
        }
      : {
          ...shared,
          content: (before?.content ?? "") + event.content,
          growing: true,
          startedAt: before?.startedAt ?? Date.parse(event.timestamp),
          redacted: false,
        };
  return held(put(turn, block));
}

function foldText(turn: Turn, event: EventOf<"message" | "message_chunk">): Folded {
  const index = event.blockIndex ?? 0;
  const run = event.rendered?.run ?? runOf(turn, index);
  const before = find(turn, "text", run);
  const partBefore = before?.parts.find((part) => part.index === index);
  if (event.type === "message_chunk" && isLate(turn, event, partBefore)) return held(turn);
  const html = applyRendered(before?.html ?? noHtml, event.rendered);
  if (!html) return { turn, missed: true };
  const finished = event.type === "message";
  const { citations: cited = [] }: Shown & { citations?: readonly Citation[] } = event;
  const part: TextPart = {
    index,
    content: finished ? event.content : (partBefore?.content ?? "") + event.content,
    growing: !finished,
    citations: finished ? cited : [...(partBefore?.citations ?? []), ...cited],
    ...(event.restored ? { restored: event.restored } : {}),
    eventIndex: event.eventIndex,
  };
  const others = (before?.parts ?? []).filter((other) => other.index !== index);
  const parts = [...others, part].sort((a, b) => a.index - b.index);
  const block: TextBlock = {
    kind: "text",
    key: `text-${run}`,
    index: run,
    html,
    parts,
    growing: parts.some(({ growing }) => growing),
  };
  return held(put(turn, block));
}

/** An event without HTML still belongs to the run that its block is already in. */
function runOf(turn: Turn, index: number): number {
  const block = turn.blocks.findLast(
    (candidate) =>
      candidate.kind === "text" && candidate.parts.some((part) => part.index === index),
  );
  return block?.index ?? index;
}

function foldTool(turn: Turn, event: EventOf<"tool_use" | "tool_use_chunk">): Turn {
  const index = event.blockIndex ?? 0;
  const before = find(turn, "tool", index);
  if (event.type === "tool_use_chunk" && isLate(turn, event, before)) return turn;
  const { toolCallId, toolName, executedBy, eventIndex } = event;
  const shared = {
    kind: "tool",
    key: `tool-${index}`,
    index,
    toolCallId,
    toolName,
    executedBy,
    eventIndex,
  } as const;
  const block: ToolBlock =
    event.type === "tool_use"
      ? {
          ...shared,
          inputText: "",
          input: event.input,
          growing: false,
          permission: before?.permission,
          outcome: before?.outcome,
          restored: alsoRestored(before?.restored, event.restored),
        }
      : { ...shared, inputText: (before?.inputText ?? "") + event.content, growing: true };
  return put(turn, block);
}

function findCall(turn: Turn, toolCallId: string): ToolBlock | undefined {
  return turn.blocks.findLast(
    (block): block is ToolBlock => block.kind === "tool" && block.toolCallId === toolCallId,
  );
}

/** Adds to what is known of a call's permission. */
function permit(turn: Turn, toolCallId: string, change: Permission): Turn {
  const before = findCall(turn, toolCallId);
  if (!before) return turn;
  const permission = { ...before.permission, ...change };
  const others = (turn.outline.asking ?? []).filter((key) => key !== before.key);
  const asking = permission.decision ? others : [...others, before.key];
  return put(withOutline(turn, { asking }), { ...before, permission });
}

function foldToolResult(turn: Turn, event: EventOf<"tool_result">): Turn {
  const { toolCallId, toolName, result, isError, durationMs, eventIndex } = event;
  const outcome = { result, isError, durationMs };
  const before = findCall(turn, toolCallId);
  const restored = alsoRestored(before?.restored, event.restored);
  if (before) return put(turn, { ...before, growing: false, outcome, restored });
  const index = event.blockIndex ?? (turn.blocks.at(-1)?.index ?? -1) + 1;
  return put(turn, {
    kind: "tool",
    key: `tool-${index}`,
    index,
    toolCallId,
    toolName,
    inputText: "",
    growing: false,
    outcome,
    restored,
    eventIndex,
  });
}

function alsoRestored(
  before: readonly Restored[] | undefined,
  more: readonly Restored[] | undefined,
): readonly Restored[] | undefined {
  return before && more ? [...before, ...more] : (more ?? before);
}

/** It stands right after what it was found in: the prompt, a call, or a block of the reply. */
function foldFound(
  turn: Turn,
  event: EventOf<"guardrails_triggered" | "output_guardrails_triggered">,
): Turn {
  const { verdict, detections, eventIndex } = event;
  const last = turn.blocks.at(-1)?.index ?? -1;
  const shared = { kind: "guard", verdict, detections, growing: false, eventIndex } as const;
  const key = `${GUARD}${eventIndex}`;
  if (event.type === "output_guardrails_triggered") {
    const index = (event.blockIndex ?? last) + 0.25;
    return put(turn, { ...shared, key, index, place: "reply" });
  }
  if (event.toolCallId === undefined) {
    return put(turn, { ...shared, key, index: -2, place: "prompt" });
  }
  const index = (findCall(turn, event.toolCallId)?.index ?? last) + 0.25;
  return put(turn, { ...shared, key, index, place: "result" });
}

function foldProcessing(turn: Turn, event: EventOf<"processing" | "processing_chunk">): Turn {
  // What belongs to no block of the source's was told before it was asked.
  const index = event.blockIndex ?? -1;
  const before = find(turn, "processing", index);
  if (event.type === "processing_chunk" && isLate(turn, event, before)) return turn;
  const shared = {
    kind: "processing",
    key: `processing-${index}`,
    index,
    eventIndex: event.eventIndex,
  } as const;
  const block: ProcessingBlock =
    event.type === "processing"
      ? { ...shared, content: event.content, growing: false, durationMs: event.durationMs }
      : { ...shared, content: (before?.content ?? "") + event.content, growing: true };
  return put(turn, block);
}
