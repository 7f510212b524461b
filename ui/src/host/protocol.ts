// Written by `make types` from src-tauri/crates/protocol. Do not edit: a stale copy fails the tests.

export type ErrorDetails = { 
/**
 * Its code or type: `insufficient_quota`, `overloaded_error`, `RESOURCE_EXHAUSTED`.
 */
code?: string, message?: string, 
/**
 * The HTTP status, of the answer or as the error names it.
 */
status?: number, 
/**
 * Which part of the request it is about.
 */
param?: string, };

export type ErrorBody = { 
/**
 * One of [`code`].
 */
code: string, message: string, 
/**
 * Seconds after which the provider wants to be asked again.
 */
retryAfter?: number, 
/**
 * What the provider itself said.
 */
details?: ErrorDetails, };

export type Usage = { inputTokens: number, outputTokens: number, reasoningTokens: number, cacheReadTokens: number, cacheWriteTokens: number, 
/**
 * Of the cache writes, those kept for five minutes.
 */
cacheWrite5mTokens: number, 
/**
 * Of the cache writes, those kept for an hour.
 */
cacheWrite1hTokens: number, serviceTier?: string, };

export type PersistenceState = "transient" | "pending" | "persisted";

export type ExecutedBy = "source" | "weir";

export type StopReason = "end_turn" | "max_tokens" | "stop_sequence" | "tool_use" | "pause_turn" | "refusal" | "content_filter" | "error" | "cancelled" | "max_turns" | "blocked" | "budget";

export type Decision = "allow" | "deny";

export type DecisionScope = "once" | "session" | "project";

export type DecidedBy = "user" | "rule" | "hook" | "nobody";

export type GuardVerdict = "allow" | "redact" | "warn" | "ask" | "block";

export type GuardCategory = "secret" | "personal" | "injection" | "custom";

export type Detection = { rule: string, category: GuardCategory, 
/**
 * Offsets in bytes of the text that was checked.
 */
start: number, end: number, 
/**
 * What stands in its place, where it was taken out.
 */
placeholder?: string, };

export type GuardChoice = "unasked" | "as_it_is" | "redact";

export type RuleAction = "off" | "allow" | "redact" | "warn" | "ask" | "block";

export type OutputAction = "off" | "allow" | "redact" | "warn" | "block";

export type StageActions = { input?: RuleAction, output?: OutputAction, };

export type OwnWord = { word: string, input?: RuleAction, output?: OutputAction, };

export type OwnPattern = { 
/**
 * What it is called where it is told that it found something.
 */
name: string, pattern: string, input?: RuleAction, output?: OutputAction, };

export type SizeLimits = { input?: number, output?: number, };

export type GuardConfig = { 
/**
 * By the name of a rule, or of a category (`secret`, `personal`, `injection`); the rule's
 * own row beats its category's.
 */
rules: { [key in string]: StageActions }, words: Array<OwnWord>, patterns: Array<OwnPattern>, limits: SizeLimits, };

export type GuardRule = { name: string, category: GuardCategory, 
/**
 * What stands in a placeholder: `EMAIL` of `[EMAIL_1]`.
 */
label: string, 
/**
 * One sentence that says what it looks for.
 */
about: string, 
/**
 * What it does when nothing else is said.
 */
input: RuleAction, output: OutputAction, };

export type ActionOrigin = "usual" | "everywhere" | "project" | "file";

export type HeldAction = { action: RuleAction, origin: ActionOrigin, };

export type HeldActions = { input: HeldAction, output: HeldAction, };

export type GuardSettings = { rules: Array<GuardRule>, 
/**
 * What the user chose, for everywhere or for the project alone.
 */
config: GuardConfig, 
/**
 * What each rule does there, by its name.
 */
held: { [key in string]: HeldActions }, 
/**
 * How long a text may be there.
 */
limits: SizeLimits, 
/**
 * In a project: what the user chose for everywhere, which holds there where nothing else is
 * chosen.
 */
everywhere?: GuardConfig, 
/**
 * In a project: what its own file says.
 */
file?: GuardConfig, 
/**
 * What in these files is not used as it was written, a sentence each.
 */
notices?: Array<string>, 
/**
 * Why what was chosen cannot be used; until it is mended nothing is sent.
 */
trouble?: string, };

export type GuardStage = "input" | "output";

export type GuardTrial = { verdict: GuardVerdict, text: string, detections: Array<Detection>, };

export type HookEvent = "UserPromptSubmit" | "PreToolUse" | "PostToolUse" | "Notification" | "Stop" | "SubagentStop" | "PreCompact" | "SessionStart";

export type HookOutcome = "passed" | "blocked" | "failed" | "timed_out" | "stopped";

export type BudgetLevel = "warning" | "spent" | "raised" | "unpriced" | "uncounted";

export type BudgetUnit = "dollars" | "tokens";

export type BudgetScope = { "of": "everything" } | { "of": "session" } | { "of": "project", project?: string, } | { "of": "source", source?: string, };

export type BudgetPeriod = "day" | "month" | "ever";

export type Budget = { scope: BudgetScope, period: BudgetPeriod, unit: BudgetUnit, 
/**
 * US dollars or tokens, as `unit` says.
 */
limit: number, };

export type BudgetState = { budget: Budget, 
/**
 * In the present period; absent where each session, project or source has its own.
 */
spent: number | null, };

export type UsageRow = { 
/**
 * A day (`2026-11-17`, in the user's time zone), a session's id, a project's folder (empty:
 * none), a model or a source.
 */
key: string, 
/**
 * A session's title, while it is there.
 */
title?: string, steps: number, inputTokens: number, outputTokens: number, reasoningTokens: number, cacheReadTokens: number, cacheWriteTokens: number, totalTokens: number, 
/**
 * US dollars, of the steps whose price was known; null when none was.
 */
cost: number | null, 
/**
 * What caches saved against the full input price, likewise. Writing to one may cost more
 * than reading from it has saved so far: then it is below zero.
 */
saved: number | null, 
/**
 * The steps whose price was not known: their tokens are counted, their cost is not.
 */
unpricedSteps: number, 
/**
 * The steps of which the source did not tell its last count: stopped, cut off or never
 * counted. What they must have used is in all of these sums.
 */
estimatedSteps: number, };

export type UsageReport = { total: UsageRow, 
/**
 * Every day, oldest first, those without a step too.
 */
days: Array<UsageRow>, projects: Array<UsageRow>, models: Array<UsageRow>, sources: Array<UsageRow>, };

export type Citation = { url?: string, title?: string, citedText?: string, 
/**
 * How well the source fits what was asked, where the provider says so; mostly from 0 to 1,
 * by its own measure.
 */
relevance?: number, 
/**
 * How sure the provider is that the source supports the statement; as above.
 */
confidence?: number, 
/**
 * The provider's own form, whole: what is sent back is exactly what came.
 */
raw: unknown, };

export type Image = { mediaType: string, data: string, };

export type Origin = { session: string, 
/**
 * The last turn that was copied.
 */
turn: string, };

export type ProviderTool = "web_search" | "code_execution" | "file_search" | "image_generation";

export type ToolChoice = "auto" | "none" | "required" | { "tool": string };

export type RequestOptions = { 
/**
 * How many tokens the model may write, its thinking included.
 */
maxTokens?: number, temperature?: number, topP?: number, 
/**
 * Texts at which the model stops.
 */
stop?: Array<string>, toolChoice?: ToolChoice, 
/**
 * Tools that the provider runs on its own machines.
 */
providerTools?: Array<ProviderTool>, 
/**
 * What [`ProviderTool::FileSearch`] searches: the names of stores at the provider.
 */
fileStores?: Array<string>, 
/**
 * A JSON Schema that the reply has to match.
 */
schema?: Record<string, unknown>, };

export type EventBody = { "type": "session_start", source: string, model: string, 
/**
 * A fork begins with a copy of another session up to one of its turns.
 */
forkedFrom?: Origin, 
/**
 * The folder it is about.
 */
project?: string, } | { "type": "user_message", content: string, source: string, model: string, images?: Array<Image>, 
/**
 * What the model was told beforehand; later turns tell it the same.
 */
system?: string, 
/**
 * The turn whose place this one takes: the same prompt asked again, or an edited one.
 * The other stays in the log, on a branch of its own.
 */
replaces?: string, 
/**
 * How much the model may think; absent in turns from before this was kept.
 */
thinking?: Thinking, 
/**
 * What else the user set for the turn.
 */
options?: RequestOptions, } | { "type": "branch_choice", turn: string, } | { "type": "thinking", content: string, signature?: string, redacted?: string, durationMs: number, 
/**
 * What else the provider says of it, or its own form of it; sent back as it came.
 */
detail?: unknown, } | { "type": "message", content: string, citations?: Array<Citation>, 
/**
 * The provider's own seal, sent back with the text.
 */
signature?: string, 
/**
 * What else the provider says of the text, and wants back.
 */
detail?: unknown, } | { "type": "file", 
/**
 * A `data:` address when it came inside the stream.
 */
url: string, mediaType: string, } | { "type": "tool_use", toolCallId: string, toolName: string, input: unknown, executedBy: ExecutedBy, signature?: string, detail?: unknown, } | { "type": "tool_result", toolCallId: string, toolName: string, result: unknown, isError: boolean, 
/**
 * From the finished request for the tool to its result.
 */
durationMs: number, detail?: unknown, } | { "type": "processing", content: string, durationMs: number, } | { "type": "permission_request", toolCallId: string, toolName: string, input: unknown, 
/**
 * Why it asks, in a sentence.
 */
reason: string, } | { "type": "permission_decision", toolCallId: string, toolName: string, decision: Decision, scope: DecisionScope, decidedBy: DecidedBy, 
/**
 * Other calls of the same step still wait for the user's word.
 */
othersWait?: boolean, 
/**
 * The very call it was given for, where it reaches further than that call.
 */
binding?: string, } | { "type": "retry", 
/**
 * Counts from 1.
 */
attempt: number, mostAttempts: number, delayMs: number, error: ErrorBody, } | { "type": "compaction", content: string, keepsFrom?: string, tokensBefore: number, } | { "type": "guardrails_triggered", verdict: GuardVerdict, 
/**
 * The kinds of rules that found it.
 */
plugins: Array<string>, detections: Array<Detection>, count: number, 
/**
 * The call whose result it was; absent for the prompt.
 */
toolCallId?: string, } | { "type": "output_guardrails_triggered", verdict: GuardVerdict, plugins: Array<string>, detections: Array<Detection>, count: number, } | { "type": "hook", hookEvent: HookEvent, 
/**
 * What ran, as the user wrote it.
 */
command: string, outcome: HookOutcome, durationMs: number, exitCode?: number, 
/**
 * Why it blocked or failed, or what it has to say to the user.
 */
message?: string, 
/**
 * What it has to say to the model; goes with every request from here on.
 */
context?: string, toolCallId?: string, } | { "type": "budget", level: BudgetLevel, 
/**
 * Whose limit it is, in words a person reads.
 */
name: string, 
/**
 * US dollars or tokens, as `unit` says.
 */
limit: number, spent: number, unit: BudgetUnit, 
/**
 * What the step that was not begun would have needed alone.
 */
needed?: number, 
/**
 * The model that is not counted.
 */
model?: string, 
/**
 * Not for its price, but because its provider charges for tools of its own.
 */
ownTools?: boolean, } | { "type": "memories", memories: Array<string>, } | { "type": "usage", usage: Usage, cost?: number, saved?: number, model: string, 
/**
 * From the request to the first chunk; absent when nothing came.
 */
firstChunkMs?: number, durationMs: number, 
/**
 * The source did not tell its last count: this is what it must have been at the least.
 */
isEstimate?: boolean, } | { "type": "complete", stopReason: StopReason, usage?: Usage, cost?: number, } | { "type": "error", error: ErrorBody, } | { "type": "raw", value: unknown, 
/**
 * It was too large, or the session keeps no more of these: `value` is the beginning of
 * its JSON text, or null.
 */
isCut?: boolean, } | { "type": "thinking_chunk", content: string, } | { "type": "message_chunk", content: string, citations?: Array<Citation>, } | { "type": "tool_use_chunk", toolCallId: string, toolName: string, executedBy: ExecutedBy, content: string, } | { "type": "processing_chunk", content: string, };

export type Event = { id: string, sessionId: string, turnId?: string, 
/**
 * Counts every event of the session, chunks too; never resets.
 */
eventIndex: number, 
/**
 * Counts the stored events of the session from 1 without a gap; absent on chunks.
 */
sequenceNumber?: number, 
/**
 * The block's place in its turn; a chunk and its finished block share it.
 */
blockIndex?: number, 
/**
 * The provider's id of the message this belongs to.
 */
messageId?: string, persistenceState: PersistenceState, timestamp: string, } & ({ "type": "session_start", source: string, model: string, 
/**
 * A fork begins with a copy of another session up to one of its turns.
 */
forkedFrom?: Origin, 
/**
 * The folder it is about.
 */
project?: string, } | { "type": "user_message", content: string, source: string, model: string, images?: Array<Image>, 
/**
 * What the model was told beforehand; later turns tell it the same.
 */
system?: string, 
/**
 * The turn whose place this one takes: the same prompt asked again, or an edited one.
 * The other stays in the log, on a branch of its own.
 */
replaces?: string, 
/**
 * How much the model may think; absent in turns from before this was kept.
 */
thinking?: Thinking, 
/**
 * What else the user set for the turn.
 */
options?: RequestOptions, } | { "type": "branch_choice", turn: string, } | { "type": "thinking", content: string, signature?: string, redacted?: string, durationMs: number, 
/**
 * What else the provider says of it, or its own form of it; sent back as it came.
 */
detail?: unknown, } | { "type": "message", content: string, citations?: Array<Citation>, 
/**
 * The provider's own seal, sent back with the text.
 */
signature?: string, 
/**
 * What else the provider says of the text, and wants back.
 */
detail?: unknown, } | { "type": "file", 
/**
 * A `data:` address when it came inside the stream.
 */
url: string, mediaType: string, } | { "type": "tool_use", toolCallId: string, toolName: string, input: unknown, executedBy: ExecutedBy, signature?: string, detail?: unknown, } | { "type": "tool_result", toolCallId: string, toolName: string, result: unknown, isError: boolean, 
/**
 * From the finished request for the tool to its result.
 */
durationMs: number, detail?: unknown, } | { "type": "processing", content: string, durationMs: number, } | { "type": "permission_request", toolCallId: string, toolName: string, input: unknown, 
/**
 * Why it asks, in a sentence.
 */
reason: string, } | { "type": "permission_decision", toolCallId: string, toolName: string, decision: Decision, scope: DecisionScope, decidedBy: DecidedBy, 
/**
 * Other calls of the same step still wait for the user's word.
 */
othersWait?: boolean, 
/**
 * The very call it was given for, where it reaches further than that call.
 */
binding?: string, } | { "type": "retry", 
/**
 * Counts from 1.
 */
attempt: number, mostAttempts: number, delayMs: number, error: ErrorBody, } | { "type": "compaction", content: string, keepsFrom?: string, tokensBefore: number, } | { "type": "guardrails_triggered", verdict: GuardVerdict, 
/**
 * The kinds of rules that found it.
 */
plugins: Array<string>, detections: Array<Detection>, count: number, 
/**
 * The call whose result it was; absent for the prompt.
 */
toolCallId?: string, } | { "type": "output_guardrails_triggered", verdict: GuardVerdict, plugins: Array<string>, detections: Array<Detection>, count: number, } | { "type": "hook", hookEvent: HookEvent, 
/**
 * What ran, as the user wrote it.
 */
command: string, outcome: HookOutcome, durationMs: number, exitCode?: number, 
/**
 * Why it blocked or failed, or what it has to say to the user.
 */
message?: string, 
/**
 * What it has to say to the model; goes with every request from here on.
 */
context?: string, toolCallId?: string, } | { "type": "budget", level: BudgetLevel, 
/**
 * Whose limit it is, in words a person reads.
 */
name: string, 
/**
 * US dollars or tokens, as `unit` says.
 */
limit: number, spent: number, unit: BudgetUnit, 
/**
 * What the step that was not begun would have needed alone.
 */
needed?: number, 
/**
 * The model that is not counted.
 */
model?: string, 
/**
 * Not for its price, but because its provider charges for tools of its own.
 */
ownTools?: boolean, } | { "type": "memories", memories: Array<string>, } | { "type": "usage", usage: Usage, cost?: number, saved?: number, model: string, 
/**
 * From the request to the first chunk; absent when nothing came.
 */
firstChunkMs?: number, durationMs: number, 
/**
 * The source did not tell its last count: this is what it must have been at the least.
 */
isEstimate?: boolean, } | { "type": "complete", stopReason: StopReason, usage?: Usage, cost?: number, } | { "type": "error", error: ErrorBody, } | { "type": "raw", value: unknown, 
/**
 * It was too large, or the session keeps no more of these: `value` is the beginning of
 * its JSON text, or null.
 */
isCut?: boolean, } | { "type": "thinking_chunk", content: string, } | { "type": "message_chunk", content: string, citations?: Array<Citation>, } | { "type": "tool_use_chunk", toolCallId: string, toolName: string, executedBy: ExecutedBy, content: string, } | { "type": "processing_chunk", content: string, });

export type SessionStatus = "idle" | "running" | "waiting" | "interrupted" | "failed";

export type SessionSummary = { id: string, title: string, 
/**
 * What the session's next turn is asked of: the choice made for this session, else what its
 * last turn was asked of.
 */
source: string, model: string, 
/**
 * Absent for a session from before this was kept; it follows the default then.
 */
thinking?: Thinking, options?: RequestOptions, status: SessionStatus, turns: number, tokens: number, 
/**
 * US dollars, of the steps whose price was known; absent when none was.
 */
cost: number | null, createdAt: string, updatedAt: string, forkedFrom?: Origin, };

export type SessionChange = { "set": "model", source: string, model: string, } | { "set": "thinking", thinking: Thinking, } | { "set": "options", options: RequestOptions, };

export type NewSession = { 
/**
 * The folder it is about.
 */
project?: string, options?: RequestOptions, };

export type KeyState = { "state": "not_needed" } | { "state": "missing" } | { "state": "optional" } | { "state": "stored" } | { "state": "this_run_only", reason: string, } | { "state": "environment", variable: string, } | { "state": "unavailable", reason: string, };

export type SourceSettings = { name: string, label: string, model: string, 
/**
 * Models to offer; any other name may be typed.
 */
models: Array<string>, 
/**
 * Where its server is; empty when the source has none.
 */
baseUrl: string, 
/**
 * Whether its server usually runs on this machine.
 */
local: boolean, 
/**
 * Whether the user added it.
 */
own: boolean, 
/**
 * The tools of its own that it runs for a model.
 */
providerTools: Array<ProviderTool>, 
/**
 * Whether a reply can be held to a JSON Schema.
 */
takesSchema: boolean, key: KeyState, };

export type Theme = "system" | "light" | "dark";

export type Thinking = "off" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max" | number;

export type Fragment = { "kind": "text", text: string, } | { "kind": "right_to_left", text: string, } | { "kind": "hidden", name: string, } | { "kind": "line_end" };

export type SectionKind = "statement" | "warning" | "code" | "prose";

export type ConfirmationSubject = { 
/**
 * What kind of thing it is, in Weir's own words.
 */
label: string, 
/**
 * Its name, from outside of Weir; empty where the label says it all.
 */
name: Array<Fragment>, };

export type ConfirmationSection = { kind: SectionKind, 
/**
 * Weir's own words; empty where the text needs none.
 */
heading: string, text: Array<Fragment>, };

export type Confirmation = { 
/**
 * Weir's own words, never somebody else's.
 */
title: string, subject: ConfirmationSubject, sections: Array<ConfirmationSection>, 
/**
 * The word on the accepting button.
 */
accept: string, theme: Theme, };

export type ConfirmationAnswer = "accept" | "cancel" | "too_soon";

export type ModelPrice = { model: string, input: number, output: number, cacheRead: number, cacheWrite: number, };

export type Settings = { 
/**
 * The name of the source that new turns are asked of.
 */
source: string, thinking: Thinking, 
/**
 * Every source there is, in the order they are offered.
 */
sources: Array<SourceSettings>, theme: Theme, 
/**
 * The day the shipped prices were last compared with the providers' pages.
 */
pricesAsOf: string, 
/**
 * The user's own prices; they win over the shipped ones.
 */
prices: Array<ModelPrice>, budgets: Array<BudgetState>, };

export type ServerKind = "openai" | "responses" | "anthropic";

export type CustomServer = { name: string, kind: ServerKind, baseUrl: string, };

export type SettingsChange = { "set": "source", source: string, } | { "set": "model", source: string, model: string, } | { "set": "base_url", source: string, baseUrl: string, } | { "set": "thinking", thinking: Thinking, } | { "set": "theme", theme: Theme, } | { "set": "price", price: ModelPrice, } | { "set": "forget_price", model: string, } | { "set": "budget", budget: Budget, } | { "set": "remove_budget", budget: Budget, } | { "set": "add_server", server: CustomServer, } | { "set": "remove_server", name: string, };

export type FoundSource = { name: string, models: Array<string>, };

export type ProjectSummary = { 
/**
 * The folder in its one true spelling.
 */
path: string, 
/**
 * The folder's own name.
 */
name: string, 
/**
 * Absent when it is not trusted, or no longer.
 */
trustedAt?: string, };

export type HookStanding = "agreed" | "waiting" | "changed" | "gone";

export type HookSummary = { 
/**
 * Another one for every other definition.
 */
id: string, 
/**
 * The folder in its one true spelling.
 */
project: string, projectName: string, 
/**
 * The file that defines it.
 */
origin: string, event: HookEvent, 
/**
 * Empty for all.
 */
matcher: string, 
/**
 * What runs, as the user wrote it.
 */
command: string, 
/**
 * How long it may take; zero for one that is not there.
 */
timeoutMs: number, 
/**
 * Whether what it guards is held back when it fails.
 */
failsClosed: boolean, standing: HookStanding, 
/**
 * The files and folders that are compared before each run, a line each with its size.
 */
watched: Array<string>, 
/**
 * Why it cannot be watched, and so does not run.
 */
problem?: string, };

export type HookTrial = { outcome: HookOutcome, exitCode?: number, durationMs: number, message?: string, 
/**
 * The beginning of what it wrote.
 */
stdout: string, stderr: string, };

export type PromptLook = { 
/**
 * The session it is for; none for a new one.
 */
session: string | null, 
/**
 * What they are known by; empty when they are done.
 */
hooks: Array<string>, };

export type MemoryKind = "note" | "instruction" | "preference" | "fact" | "decision";

export type Memory = { id: string, 
/**
 * The folder it belongs to; absent for what was said outside of any project.
 */
project?: string, content: string, kind: MemoryKind, 
/**
 * Where it was said. The session may be gone.
 */
sessionId: string, turnId: string, createdAt: string, 
/**
 * When it was last said, edited or sent along.
 */
seenAt: string, 
/**
 * How often it was said again or sent along.
 */
uses: number, };

export type MemorySwitch = "on" | "off";

export type MemoryList = { switch: MemorySwitch, 
/**
 * Newest first.
 */
memories: Array<Memory>, };

export type Forget = { "forget": "one", id: string, } | { "forget": "session", session: string, } | { "forget": "project", project?: string, } | { "forget": "everything" };

export type Forgotten = { count: number, 
/**
 * Whether every byte of it has left the files. Where another Weir was reading, the last
 * ones leave a little later, or at the next start.
 */
swept: boolean, };

export type Rendered = { 
/**
 * The `block_index` of the run's first block.
 */
run: number, from: number, 
/**
 * Finished pieces of HTML; they never change again.
 */
pieces: Array<string>, 
/**
 * The piece that still grows.
 */
tail: string, };

export type Restored = { placeholder: string, 
/**
 * Absent where it was taken out of a reply: that is shown when the user asks for it.
 */
original?: string, };

export type Shown = { rendered?: Rendered, 
/**
 * What the placeholders in its plain texts stand for.
 */
restored?: Array<Restored>, id: string, sessionId: string, turnId?: string, 
/**
 * Counts every event of the session, chunks too; never resets.
 */
eventIndex: number, 
/**
 * Counts the stored events of the session from 1 without a gap; absent on chunks.
 */
sequenceNumber?: number, 
/**
 * The block's place in its turn; a chunk and its finished block share it.
 */
blockIndex?: number, 
/**
 * The provider's id of the message this belongs to.
 */
messageId?: string, persistenceState: PersistenceState, timestamp: string, } & ({ "type": "session_start", source: string, model: string, 
/**
 * A fork begins with a copy of another session up to one of its turns.
 */
forkedFrom?: Origin, 
/**
 * The folder it is about.
 */
project?: string, } | { "type": "user_message", content: string, source: string, model: string, images?: Array<Image>, 
/**
 * What the model was told beforehand; later turns tell it the same.
 */
system?: string, 
/**
 * The turn whose place this one takes: the same prompt asked again, or an edited one.
 * The other stays in the log, on a branch of its own.
 */
replaces?: string, 
/**
 * How much the model may think; absent in turns from before this was kept.
 */
thinking?: Thinking, 
/**
 * What else the user set for the turn.
 */
options?: RequestOptions, } | { "type": "branch_choice", turn: string, } | { "type": "thinking", content: string, signature?: string, redacted?: string, durationMs: number, 
/**
 * What else the provider says of it, or its own form of it; sent back as it came.
 */
detail?: unknown, } | { "type": "message", content: string, citations?: Array<Citation>, 
/**
 * The provider's own seal, sent back with the text.
 */
signature?: string, 
/**
 * What else the provider says of the text, and wants back.
 */
detail?: unknown, } | { "type": "file", 
/**
 * A `data:` address when it came inside the stream.
 */
url: string, mediaType: string, } | { "type": "tool_use", toolCallId: string, toolName: string, input: unknown, executedBy: ExecutedBy, signature?: string, detail?: unknown, } | { "type": "tool_result", toolCallId: string, toolName: string, result: unknown, isError: boolean, 
/**
 * From the finished request for the tool to its result.
 */
durationMs: number, detail?: unknown, } | { "type": "processing", content: string, durationMs: number, } | { "type": "permission_request", toolCallId: string, toolName: string, input: unknown, 
/**
 * Why it asks, in a sentence.
 */
reason: string, } | { "type": "permission_decision", toolCallId: string, toolName: string, decision: Decision, scope: DecisionScope, decidedBy: DecidedBy, 
/**
 * Other calls of the same step still wait for the user's word.
 */
othersWait?: boolean, 
/**
 * The very call it was given for, where it reaches further than that call.
 */
binding?: string, } | { "type": "retry", 
/**
 * Counts from 1.
 */
attempt: number, mostAttempts: number, delayMs: number, error: ErrorBody, } | { "type": "compaction", content: string, keepsFrom?: string, tokensBefore: number, } | { "type": "guardrails_triggered", verdict: GuardVerdict, 
/**
 * The kinds of rules that found it.
 */
plugins: Array<string>, detections: Array<Detection>, count: number, 
/**
 * The call whose result it was; absent for the prompt.
 */
toolCallId?: string, } | { "type": "output_guardrails_triggered", verdict: GuardVerdict, plugins: Array<string>, detections: Array<Detection>, count: number, } | { "type": "hook", hookEvent: HookEvent, 
/**
 * What ran, as the user wrote it.
 */
command: string, outcome: HookOutcome, durationMs: number, exitCode?: number, 
/**
 * Why it blocked or failed, or what it has to say to the user.
 */
message?: string, 
/**
 * What it has to say to the model; goes with every request from here on.
 */
context?: string, toolCallId?: string, } | { "type": "budget", level: BudgetLevel, 
/**
 * Whose limit it is, in words a person reads.
 */
name: string, 
/**
 * US dollars or tokens, as `unit` says.
 */
limit: number, spent: number, unit: BudgetUnit, 
/**
 * What the step that was not begun would have needed alone.
 */
needed?: number, 
/**
 * The model that is not counted.
 */
model?: string, 
/**
 * Not for its price, but because its provider charges for tools of its own.
 */
ownTools?: boolean, } | { "type": "memories", memories: Array<string>, } | { "type": "usage", usage: Usage, cost?: number, saved?: number, model: string, 
/**
 * From the request to the first chunk; absent when nothing came.
 */
firstChunkMs?: number, durationMs: number, 
/**
 * The source did not tell its last count: this is what it must have been at the least.
 */
isEstimate?: boolean, } | { "type": "complete", stopReason: StopReason, usage?: Usage, cost?: number, } | { "type": "error", error: ErrorBody, } | { "type": "raw", value: unknown, 
/**
 * It was too large, or the session keeps no more of these: `value` is the beginning of
 * its JSON text, or null.
 */
isCut?: boolean, } | { "type": "thinking_chunk", content: string, } | { "type": "message_chunk", content: string, citations?: Array<Citation>, } | { "type": "tool_use_chunk", toolCallId: string, toolName: string, executedBy: ExecutedBy, content: string, } | { "type": "processing_chunk", content: string, });

export type Branches = { 
/**
 * The one that is read.
 */
turn: string, 
/**
 * All of them, itself too, in the order they were asked.
 */
turns: Array<string>, };

export type Snapshot = { session: SessionSummary, 
/**
 * Frames with the same number continue this snapshot; others belong to an older one.
 */
watch: number, 
/**
 * The last stored events of the active path, oldest first, starting with a user message or
 * the session.
 */
events: Array<Shown>, 
/**
 * Whether the path has stored events before the first one here.
 */
hasEarlier: boolean, 
/**
 * The session's last sequence number, where it is not the one of the last event here: the
 * newest events are of another branch.
 */
lastSequence?: number, branches?: Array<Branches>, 
/**
 * The chunks of blocks that are still growing, merged, one a block.
 */
growing: Array<Shown>, };

export type Page = { events: Array<Shown>, hasEarlier: boolean, branches?: Array<Branches>, };

export type Frame = { watch: number, 
/**
 * Events of the session that the window has open.
 */
events: Array<Shown>, 
/**
 * Sessions whose line in the list changed.
 */
sessions: Array<SessionSummary>, deleted: Array<string>, notices: Array<Notice>, 
/**
 * Prompts that hooks look at, and those that they are done with, in order.
 */
looks: Array<PromptLook>, };

export type Notice = { code: string, message: string, };

export type Startup = { version: string, settings: Settings, sessions: Array<SessionSummary>, notices: Array<Notice>, };
