// The door to Rust, as a shape. `tauri.ts` is the real one; `fake.ts` is its twin in memory.
// Every command rejects with an `ErrorBody`; callers decide where a person sees it.

import type {
  Decision,
  DecisionScope,
  ErrorBody,
  Forget,
  Forgotten,
  FoundSource,
  Frame,
  GuardChoice,
  GuardConfig,
  GuardSettings,
  GuardStage,
  GuardTrial,
  HookSummary,
  HookTrial,
  Image,
  Memory,
  MemoryList,
  MemorySwitch,
  Page,
  ProjectSummary,
  RequestOptions,
  SessionChange,
  SessionSummary,
  Settings,
  SettingsChange,
  Shown,
  Snapshot,
  Startup,
  UsageReport,
} from "./protocol";

export interface Host {
  /** Gives the window what its first picture needs; frames follow for as long as it lives. */
  start(onFrame: (frame: Frame) => void): Promise<Startup>;
  openSession(id: string): Promise<Snapshot>;
  /** The stored events after sequence number `since`. */
  eventsSince(id: string, since: number): Promise<Shown[]>;
  /** The page of stored events that ends before sequence number `before`. */
  eventsBefore(id: string, before: number): Promise<Page>;
  /** Answers the session's id once the prompt is saved; `null` makes a new session. */
  send(
    session: string | null,
    prompt: string,
    images: readonly Image[],
    project?: string,
    choice?: GuardChoice,
    options?: RequestOptions,
  ): Promise<string>;
  /** Asks another prompt in the place of a turn, which stays on a branch of its own. */
  edit(
    session: string,
    turn: string,
    prompt: string,
    images: readonly Image[],
    choice?: GuardChoice,
  ): Promise<void>;
  /** Asks the turn's prompt again, on a new branch. */
  askAgain(session: string, turn: string): Promise<void>;
  /** Changes what the session's next turn is asked of; answers the session with it. */
  chooseModel(session: string, change: SessionChange): Promise<SessionSummary>;
  /** Goes back to the branch that the turn is on. */
  chooseBranch(session: string, turn: string): Promise<void>;
  /** Copies a session up to and with a turn, or to its end; answers the copy. */
  fork(session: string, turn: string | null): Promise<SessionSummary>;
  /** What a guard took out of the open session; `null` where its key is lost. */
  showOriginal(session: string, placeholder: string): Promise<string | null>;
  /** Stops the session's turn, or what is on its way to it; `null`: to a new one. */
  stop(session: string | null): Promise<void>;
  /** The user's word on a tool call of that turn. For the whole project Rust asks again. */
  decide(
    session: string,
    turn: string,
    toolCallId: string,
    decision: Decision,
    scope: DecisionScope,
  ): Promise<void>;
  rename(session: string, title: string): Promise<void>;
  /** It can be restored for a while. */
  remove(session: string): Promise<void>;
  restore(session: string): Promise<void>;
  changeSettings(change: SettingsChange): Promise<Settings>;
  /** The guards of a project; `null`: those for everywhere. */
  guards(project: string | null): Promise<GuardSettings>;
  /** What holds back less is confirmed first. */
  changeGuards(project: string | null, config: GuardConfig): Promise<GuardSettings>;
  /** What the guards would make of a text; nothing of it is kept. */
  tryGuards(project: string | null, stage: GuardStage, text: string): Promise<GuardTrial>;
  setKey(source: string, key: string): Promise<Settings>;
  deleteKey(source: string): Promise<Settings>;
  /** The models a source has, asked from its server. */
  listModels(source: string): Promise<string[]>;
  /** The sources whose servers run on this machine right now. */
  findSources(): Promise<FoundSource[]>;
  /** What the last days used, today included. */
  usage(days: number): Promise<UsageReport>;
  /** Rust asks the user; then the next prompt may go on past what is spent. */
  goOverBudget(session: string | null, project?: string): Promise<void>;
  openLink(url: string): Promise<void>;
  /** The folders the user trusts, newest first. */
  projects(): Promise<ProjectSummary[]>;
  /** Lets the user choose a folder and trust it, outside of the page; `null` when they did not. */
  openProject(): Promise<ProjectSummary | null>;
  /** The project that a session keeps. */
  sessionProject(id: string): Promise<ProjectSummary | null>;
  /** Shows what a folder brings now, outside of the page, and asks for the user's trust. */
  trustProject(project: string): Promise<ProjectSummary>;
  /** The hooks of the folders the user trusts. */
  hooks(): Promise<HookSummary[]>;
  /** Runs a hook once on a sample; Rust asks first. */
  tryHook(project: string, id: string): Promise<HookTrial>;
  /** What is remembered of a project; `null`: outside of any. */
  memories(project: string | null): Promise<MemoryList>;
  /** Those that are still there, in the order asked for. */
  memoriesById(ids: readonly string[]): Promise<Memory[]>;
  switchMemory(project: string | null, to: MemorySwitch): Promise<void>;
  editMemory(id: string, content: string): Promise<Memory>;
  /** Asks the user where to save what is left of a lost database; says where, `null`: nowhere. */
  saveCopy(): Promise<string | null>;
  /** For good, and everywhere. */
  forget(which: Forget): Promise<Forgotten>;
}

/** Whatever was thrown, as the one shape that is shown. */
export function toErrorBody(thrown: unknown): ErrorBody {
  if (typeof thrown === "object" && thrown !== null && "message" in thrown) {
    const { message } = thrown;
    const code = "code" in thrown && typeof thrown.code === "string" ? thrown.code : "unknown";
    const retryAfter =
      "retryAfter" in thrown && typeof thrown.retryAfter === "number"
        ? thrown.retryAfter
        : undefined;
    return { code, message: String(message), ...(retryAfter === undefined ? {} : { retryAfter }) };
  }
  return { code: "unknown", message: String(thrown) };
}
