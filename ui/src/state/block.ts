// What a turn is made of on the screen: one block per kind of content, each an immutable value
// that is replaced when it changes. A text block is a whole run: what reads as one text, even
// where its source cut it into several messages.

import type {
  Citation,
  DecidedBy,
  Decision,
  DecisionScope,
  Detection,
  ErrorBody,
  EventBody,
  ExecutedBy,
  GuardVerdict,
  HookEvent,
  HookOutcome,
  Rendered,
  Restored,
  StopReason,
  Usage,
} from "../host/protocol";

/** HTML that Rust made: finished pieces that never change again, and the piece that grows. */
export type Html = { readonly pieces: readonly string[]; readonly tail: string };

export type ThinkingBlock = {
  readonly kind: "thinking";
  readonly key: string;
  readonly index: number;
  readonly html: Html;
  readonly content: string;
  readonly growing: boolean;
  /** When its first chunk was seen, in milliseconds since 1970. */
  readonly startedAt: number;
  readonly durationMs?: number;
  readonly redacted: boolean;
  readonly eventIndex: number;
};

/** One `message` of a run. */
export type TextPart = {
  readonly index: number;
  readonly content: string;
  readonly growing: boolean;
  readonly citations: readonly Citation[];
  /** What the placeholders in it stand for. */
  readonly restored?: readonly Restored[];
  readonly eventIndex: number;
};

export type TextBlock = {
  readonly kind: "text";
  readonly key: string;
  readonly index: number;
  readonly html: Html;
  readonly parts: readonly TextPart[];
  readonly growing: boolean;
};

/** Whether a call may run: what the user was asked, and what was said. */
export type Permission = {
  /** Absent when a rule decided and nobody was asked. */
  readonly reason?: string;
  /** The turn that asks: a call's id says nothing outside of it. */
  readonly turn?: string;
  /** What would run, where that is not what the model said: a hook may have changed it. */
  readonly input?: unknown;
  readonly decision?: {
    readonly decision: Decision;
    readonly scope: DecisionScope;
    readonly decidedBy: DecidedBy;
  };
};

export type ToolBlock = {
  readonly kind: "tool";
  readonly key: string;
  readonly index: number;
  readonly toolCallId: string;
  readonly toolName: string;
  /** The input's JSON text while it grows. */
  readonly inputText: string;
  readonly input?: unknown;
  readonly executedBy?: ExecutedBy;
  readonly growing: boolean;
  readonly permission?: Permission;
  readonly outcome?: {
    readonly result: unknown;
    readonly isError: boolean;
    readonly durationMs: number;
  };
  /** What the placeholders in its input and result stand for. */
  readonly restored?: readonly Restored[];
  readonly eventIndex: number;
};

export type ProcessingBlock = {
  readonly kind: "processing";
  readonly key: string;
  readonly index: number;
  readonly content: string;
  readonly growing: boolean;
  readonly durationMs?: number;
  readonly eventIndex: number;
};

/** Something the model made, whole. */
export type FileBlock = {
  readonly kind: "file";
  readonly key: string;
  readonly index: number;
  readonly url: string;
  readonly mediaType: string;
  readonly growing: false;
  readonly eventIndex: number;
};

/** What a budget had to say at this point. */
export type BudgetBlock = {
  readonly kind: "budget";
  readonly key: string;
  readonly index: number;
  readonly said: Extract<EventBody, { type: "budget" }>;
  readonly growing: false;
  readonly eventIndex: number;
};

/** A summary that is sent from here on in the place of what came before. */
export type CompactionBlock = {
  readonly kind: "compaction";
  readonly key: string;
  readonly index: number;
  readonly content: string;
  readonly growing: false;
  readonly eventIndex: number;
};

/** One hook that ran. */
export type HookRun = {
  readonly event: HookEvent;
  readonly command: string;
  readonly outcome: HookOutcome;
  readonly durationMs: number;
  readonly message?: string;
  /** What it told the model. */
  readonly context?: string;
  readonly eventIndex: number;
};

/** The hooks that ran between two blocks. */
export type HooksBlock = {
  readonly kind: "hooks";
  readonly key: string;
  readonly index: number;
  readonly runs: readonly HookRun[];
  readonly growing: false;
};

/** What guards found, beside what they found it in. */
export type GuardBlock = {
  readonly kind: "guard";
  readonly key: string;
  readonly index: number;
  readonly place: "prompt" | "result" | "reply";
  readonly verdict: GuardVerdict;
  readonly detections: readonly Detection[];
  readonly growing: false;
  readonly eventIndex: number;
};

/** What was remembered and went with the prompt, by id. */
export type MemoriesBlock = {
  readonly kind: "memories";
  readonly key: string;
  readonly index: number;
  readonly ids: readonly string[];
  readonly growing: false;
  readonly eventIndex: number;
};

export type Block =
  | GuardBlock
  | ThinkingBlock
  | TextBlock
  | ToolBlock
  | ProcessingBlock
  | FileBlock
  | CompactionBlock
  | HooksBlock
  | MemoriesBlock
  | BudgetBlock;
export type BlockKind = Block["kind"];

/** What one step used. */
export type Step = {
  readonly usage: Usage;
  readonly cost?: number;
  readonly firstChunkMs?: number;
  readonly durationMs: number;
  /** Its source did not tell its last count. */
  readonly isEstimate?: boolean;
};

/** The step failed and is asked again. */
export type Retry = {
  readonly attempt: number;
  readonly mostAttempts: number;
  readonly delayMs: number;
  readonly error: ErrorBody;
  /** When it is asked, in milliseconds since 1970. */
  readonly at: number;
  readonly eventIndex: number;
};

export type End =
  | {
      readonly type: "complete";
      readonly stopReason: StopReason;
      readonly usage?: Usage;
      readonly cost?: number;
    }
  | { readonly type: "error"; readonly error: ErrorBody };

export const noHtml: Html = { pieces: [], tail: "" };

/** Applies a change to a run, or answers `undefined` when something before it was missed. */
export function applyRendered(html: Html, change: Rendered | undefined): Html | undefined {
  if (!change) return html;
  if (html.pieces.length < change.from) return undefined;
  const unchanged = change.pieces.length === 0 && html.pieces.length === change.from;
  return {
    pieces: unchanged ? html.pieces : [...html.pieces.slice(0, change.from), ...change.pieces],
    tail: change.tail,
  };
}
