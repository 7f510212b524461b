// The host's twin in memory. A test or a scene gives it what to answer, pushes frames into it and
// reads what was asked; it keeps no clock and does nothing by itself.

import { fakeGuards, withHeld } from "./fake_guards";
import { fakeServer, fakeSettings } from "./fake_settings";
import { changeBudgets, fakeUsage } from "./fake_usage";
import type { Host } from "./host";
import type {
  Decision,
  DecisionScope,
  ErrorBody,
  EventBody,
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
  KeyState,
  Memory,
  MemoryList,
  MemorySwitch,
  Page,
  ProjectSummary,
  Rendered,
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

export { fakeSettings };

export type Command = Exclude<keyof Host, "start">;

export class FakeHost implements Host {
  readonly asked: { command: Command; with: unknown[] }[] = [];
  startup: Startup = { version: "0.1.0", settings: fakeSettings(), sessions: [], notices: [] };
  startError: ErrorBody | undefined;
  readonly snapshots = new Map<string, Snapshot>();
  /** What `eventsSince` and `eventsBefore` choose from. */
  log: Shown[] = [];
  pageSize = 40;
  /** A source has what its settings offer, and no server runs here, unless a test says so. */
  onListModels: (source: string) => string[] | Promise<string[]> = (source) =>
    this.startup.settings.sources.find(({ name }) => name === source)?.models ?? [];
  onFindSources: () => FoundSource[] | Promise<FoundSource[]> = () => [];
  onSend: (
    session: string | null,
    prompt: string,
    images: readonly Image[],
  ) => string | Promise<string> = (session) => session ?? "new";
  /** What `showOriginal` answers, by placeholder. */
  readonly originals = new Map<string, string>();
  guardSettings: GuardSettings = fakeGuards();
  /** What is chosen for a project, by its path, and what the file of any of them says. */
  readonly projectGuards = new Map<string, GuardConfig>();
  guardFile: GuardConfig | undefined;
  onTryGuards: (stage: GuardStage, text: string) => GuardTrial = (_, text) => ({
    verdict: "allow",
    text,
    detections: [],
  });
  trusted: ProjectSummary[] = [];
  readonly projectOf = new Map<string, ProjectSummary>();
  /** The folder that the user chooses and trusts. */
  onOpenProject: () => ProjectSummary | null = () => null;
  onHooks: () => HookSummary[] = () => [];
  onTryHook: (id: string) => HookTrial | Promise<HookTrial> = () => fakeTrial();
  remembered: Memory[] = [];
  /** The projects where it is on; `null`: outside of any. */
  readonly remembering = new Set<string | null>();
  onUsage: (days: number) => UsageReport = fakeUsage;
  onStop: (session: string | null) => void = () => {};
  #onFrame: (frame: Frame) => void = () => {};
  readonly #refusals = new Map<Command, ErrorBody>();

  push(frame: Partial<Frame>): void {
    this.#onFrame({
      watch: 0,
      events: [],
      sessions: [],
      deleted: [],
      notices: [],
      looks: [],
      ...frame,
    });
  }

  /** Everything `command` was asked with so far. */
  askedOf(command: Command): unknown[][] {
    return this.asked.filter((ask) => ask.command === command).map((ask) => ask.with);
  }

  /** The next time `command` is asked, it rejects. */
  refuse(command: Command, error: ErrorBody): void {
    this.#refusals.set(command, error);
  }

  async start(onFrame: (frame: Frame) => void): Promise<Startup> {
    if (this.startError) throw this.startError;
    this.#onFrame = onFrame;
    return this.startup;
  }

  async openSession(id: string): Promise<Snapshot> {
    this.#ask("openSession", id);
    const snapshot = this.snapshots.get(id);
    if (!snapshot) throw { code: "no_session", message: "There is no such session." };
    return snapshot;
  }

  async eventsSince(id: string, since: number): Promise<Shown[]> {
    this.#ask("eventsSince", id, since);
    return this.log.filter(
      (event) => event.sessionId === id && (event.sequenceNumber ?? 0) > since,
    );
  }

  async eventsBefore(id: string, before: number): Promise<Page> {
    this.#ask("eventsBefore", id, before);
    const earlier = this.log.filter(
      (event) =>
        event.sessionId === id && (event.sequenceNumber ?? Number.POSITIVE_INFINITY) < before,
    );
    // Pages begin with a user message, as Rust's do.
    const cut = earlier.findLastIndex(
      (event, at) => at <= earlier.length - this.pageSize && event.type === "user_message",
    );
    return { events: earlier.slice(Math.max(0, cut)), hasEarlier: cut > 0 };
  }

  async send(
    session: string | null,
    prompt: string,
    images: readonly Image[],
    project?: string,
    choice?: GuardChoice,
    options?: RequestOptions,
  ): Promise<string> {
    const more = [choice, options].filter((one) => one !== undefined);
    this.#ask(
      "send",
      session,
      prompt,
      images,
      ...(project === undefined ? more : [project, ...more]),
    );
    return this.onSend(session, prompt, images);
  }

  async edit(
    session: string,
    turn: string,
    prompt: string,
    images: readonly Image[],
    choice?: GuardChoice,
  ): Promise<void> {
    this.#ask("edit", session, turn, prompt, images, ...(choice === undefined ? [] : [choice]));
  }

  async showOriginal(session: string, placeholder: string): Promise<string | null> {
    this.#ask("showOriginal", session, placeholder);
    return this.originals.get(placeholder) ?? null;
  }

  async guards(project: string | null): Promise<GuardSettings> {
    this.#ask("guards", project);
    if (project === null) return withHeld(this.guardSettings);
    const { config, ...rest } = this.guardSettings;
    const chosen = this.projectGuards.get(project) ?? fakeGuards().config;
    return withHeld({ ...rest, config: chosen, everywhere: config, file: this.guardFile });
  }

  async changeGuards(project: string | null, config: GuardConfig): Promise<GuardSettings> {
    this.#ask("changeGuards", project, config);
    if (project === null) this.guardSettings = { ...this.guardSettings, config };
    else this.projectGuards.set(project, config);
    return this.guards(project);
  }

  async tryGuards(project: string | null, stage: GuardStage, text: string): Promise<GuardTrial> {
    this.#ask("tryGuards", project, stage, text);
    return this.onTryGuards(stage, text);
  }

  async askAgain(session: string, turn: string): Promise<void> {
    this.#ask("askAgain", session, turn);
  }

  async chooseModel(session: string, change: SessionChange): Promise<SessionSummary> {
    this.#ask("chooseModel", session, change);
    const { sessions } = this.startup;
    const before = sessions.find(({ id }) => id === session) ?? fakeSession(session);
    const { set: _, ...values } = change;
    const after = { ...before, ...values };
    this.startup.sessions = sessions.map((one) => (one.id === session ? after : one));
    return after;
  }

  async chooseBranch(session: string, turn: string): Promise<void> {
    this.#ask("chooseBranch", session, turn);
  }

  async fork(session: string, turn: string | null): Promise<SessionSummary> {
    this.#ask("fork", session, turn);
    const title = this.startup.sessions.find(({ id }) => id === session)?.title ?? session;
    const forkedFrom = { session, turn: turn ?? "last" };
    const copy = fakeSession(`fork of ${session}`, { title: `${title} (fork)`, forkedFrom });
    const original = this.snapshots.get(session);
    const events = (original?.events ?? []).map((event) => ({ ...event, sessionId: copy.id }));
    this.snapshots.set(copy.id, {
      session: copy,
      watch: 1,
      events,
      growing: [],
      hasEarlier: false,
    });
    this.push({ sessions: [copy] });
    return copy;
  }

  async stop(session: string | null): Promise<void> {
    this.#ask("stop", session);
    this.onStop(session);
  }

  async decide(
    session: string,
    turn: string,
    toolCallId: string,
    decision: Decision,
    scope: DecisionScope,
  ): Promise<void> {
    this.#ask("decide", session, turn, toolCallId, decision, scope);
  }

  async rename(session: string, title: string): Promise<void> {
    this.#ask("rename", session, title);
    const before = this.startup.sessions.find(({ id }) => id === session);
    if (before) this.push({ sessions: [{ ...before, title }] });
  }

  async remove(session: string): Promise<void> {
    this.#ask("remove", session);
    this.push({ deleted: [session] });
  }

  async restore(session: string): Promise<void> {
    this.#ask("restore", session);
    this.push({ sessions: this.startup.sessions.filter(({ id }) => id === session) });
  }

  async changeSettings(change: SettingsChange): Promise<Settings> {
    this.#ask("changeSettings", change);
    return this.#keep(applyChange(this.startup.settings, change));
  }

  async setKey(source: string, key: string): Promise<Settings> {
    this.#ask("setKey", source, key);
    return this.#keep(withKey(this.startup.settings, source, { state: "stored" }));
  }

  async deleteKey(source: string): Promise<Settings> {
    this.#ask("deleteKey", source);
    const held = this.startup.settings.sources.find(({ name }) => name === source);
    const state = held?.models.length === 0 ? "optional" : "missing";
    return this.#keep(withKey(this.startup.settings, source, { state }));
  }

  async listModels(source: string): Promise<string[]> {
    this.#ask("listModels", source);
    return this.onListModels(source);
  }

  async findSources(): Promise<FoundSource[]> {
    this.#ask("findSources");
    return this.onFindSources();
  }

  async usage(days: number): Promise<UsageReport> {
    this.#ask("usage", days);
    return this.onUsage(days);
  }

  async goOverBudget(session: string | null, project?: string): Promise<void> {
    this.#ask("goOverBudget", session, ...(project === undefined ? [] : [project]));
  }

  async openLink(url: string): Promise<void> {
    this.#ask("openLink", url);
  }

  async projects(): Promise<ProjectSummary[]> {
    this.#ask("projects");
    return this.trusted;
  }

  async openProject(): Promise<ProjectSummary | null> {
    this.#ask("openProject");
    const chosen = this.onOpenProject();
    if (chosen && !this.trusted.includes(chosen)) this.trusted = [chosen, ...this.trusted];
    return chosen;
  }

  async trustProject(project: string): Promise<ProjectSummary> {
    this.#ask("trustProject", project);
    return fakeProject(project.split("/").at(-1) ?? project);
  }

  async hooks(): Promise<HookSummary[]> {
    this.#ask("hooks");
    return this.onHooks();
  }

  async tryHook(project: string, id: string): Promise<HookTrial> {
    this.#ask("tryHook", project, id);
    return this.onTryHook(id);
  }

  async sessionProject(id: string): Promise<ProjectSummary | null> {
    this.#ask("sessionProject", id);
    return this.projectOf.get(id) ?? null;
  }

  async memories(project: string | null): Promise<MemoryList> {
    this.#ask("memories", project);
    const own = this.remembered.filter((memory) => (memory.project ?? null) === project);
    return { switch: this.remembering.has(project) ? "on" : "off", memories: own };
  }

  async memoriesById(ids: readonly string[]): Promise<Memory[]> {
    this.#ask("memoriesById", ids);
    return ids.flatMap((id) => this.remembered.filter((memory) => memory.id === id));
  }

  async switchMemory(project: string | null, to: MemorySwitch): Promise<void> {
    this.#ask("switchMemory", project, to);
    if (to === "on") this.remembering.add(project);
    else this.remembering.delete(project);
  }

  async editMemory(id: string, content: string): Promise<Memory> {
    this.#ask("editMemory", id, content);
    const before = this.remembered.find((memory) => memory.id === id);
    if (!before) throw { code: "bad_input", message: "There is no such memory." };
    const edited = { ...before, content };
    this.remembered = this.remembered.map((memory) => (memory.id === id ? edited : memory));
    return edited;
  }

  async forget(which: Forget): Promise<Forgotten> {
    this.#ask("forget", which);
    const before = this.remembered.length;
    this.remembered = this.remembered.filter((memory) => !isMeant(memory, which));
    return { count: before - this.remembered.length, swept: true };
  }

  async saveCopy(): Promise<string | null> {
    this.#ask("saveCopy");
    return "All that was shown is saved in a copy.";
  }

  #ask(command: Command, ...args: unknown[]): void {
    this.asked.push({ command, with: args });
    const refusal = this.#refusals.get(command);
    this.#refusals.delete(command);
    if (refusal) throw refusal;
  }

  #keep(settings: Settings): Settings {
    this.startup = { ...this.startup, settings };
    return settings;
  }
}

function applyChange(settings: Settings, change: SettingsChange): Settings {
  switch (change.set) {
    case "source":
      return { ...settings, source: change.source };
    case "thinking":
      return { ...settings, thinking: change.thinking };
    case "theme":
      return { ...settings, theme: change.theme };
    case "model":
      return mapSource(settings, change.source, { model: change.model });
    case "base_url":
      return mapSource(settings, change.source, { baseUrl: change.baseUrl });
    case "price": {
      const price = { ...change.price, model: change.price.model.trim() };
      const others = settings.prices.filter(({ model }) => model.trim() !== price.model);
      const prices = [...others, price].sort((a, b) => a.model.localeCompare(b.model));
      return { ...settings, prices };
    }
    case "add_server":
      return { ...settings, sources: [...settings.sources, fakeServer(change.server)] };
    case "remove_server":
      return {
        ...settings,
        sources: settings.sources.filter(({ name, own }) => !own || name !== change.name),
      };
    case "budget":
    case "remove_budget":
      return { ...settings, budgets: changeBudgets(settings.budgets, change) };
    case "forget_price":
      return {
        ...settings,
        prices: settings.prices.filter(({ model }) => model !== change.model),
      };
  }
}

function isMeant(memory: Memory, which: Forget): boolean {
  switch (which.forget) {
    case "one":
      return memory.id === which.id;
    case "session":
      return memory.sessionId === which.session;
    case "project":
      return memory.project === which.project;
    case "everything":
      return true;
  }
}

function withKey(settings: Settings, source: string, key: KeyState): Settings {
  return mapSource(settings, source, { key });
}

function mapSource(
  settings: Settings,
  name: string,
  change: Partial<Settings["sources"][number]>,
): Settings {
  const sources = settings.sources.map((source) =>
    source.name === name ? { ...source, ...change } : source,
  );
  return { ...settings, sources };
}

export function fakeSession(id: string, change: Partial<SessionSummary> = {}): SessionSummary {
  return {
    id,
    title: `Session ${id}`,
    source: "demo",
    model: "demo",
    status: "idle",
    turns: 1,
    tokens: 0,
    cost: null,
    createdAt: "2026-01-05T10:00:00Z",
    updatedAt: "2026-01-05T10:00:00Z",
    ...change,
  };
}

export function fakeHook(change: Partial<HookSummary> = {}): HookSummary {
  return {
    id: "h",
    project: "/projects/weir",
    projectName: "weir",
    origin: ".claude/settings.json",
    event: "PreToolUse",
    matcher: "Read",
    command: "./check.sh",
    timeoutMs: 600_000,
    failsClosed: true,
    standing: "agreed",
    watched: ["check.sh (120 bytes, 9f86d081884c)"],
    ...change,
  };
}

export function fakeTrial(change: Partial<HookTrial> = {}): HookTrial {
  return { outcome: "passed", exitCode: 0, durationMs: 12, stdout: "", stderr: "", ...change };
}

export function fakeMemory(id: string, content: string, change: Partial<Memory> = {}): Memory {
  const at = "2026-01-05T10:00:00Z";
  const said = { sessionId: "s1", turnId: "t1", createdAt: at, seenAt: at, uses: 0 };
  return { id, content, kind: "fact", ...said, ...change };
}

export function fakeProject(name: string): ProjectSummary {
  return { path: `/projects/${name}`, name, trustedAt: "2026-01-05T10:00:00Z" };
}

type Place = { turn?: string; block?: number; rendered?: Rendered; at?: number };

const BEGUN = Date.parse("2026-01-05T10:00:00Z");

/** Writes a session's events in order: every event gets its index, stored ones their sequence. */
export class EventWriter {
  readonly #session: string;
  #index: number;
  #sequence: number;

  constructor(session: string, after?: Shown) {
    this.#session = session;
    this.#index = after?.eventIndex ?? 0;
    this.#sequence = after?.sequenceNumber ?? 0;
  }

  write(body: EventBody, { turn, block, rendered, at }: Place = {}): Shown {
    const chunk = body.type.endsWith("_chunk");
    this.#index += 1;
    if (!chunk) this.#sequence += 1;
    return {
      id: `${this.#session}-${this.#index}`,
      sessionId: this.#session,
      turnId: turn,
      eventIndex: this.#index,
      sequenceNumber: chunk ? undefined : this.#sequence,
      blockIndex: block,
      persistenceState: chunk ? "transient" : "persisted",
      timestamp: new Date(at ?? BEGUN + this.#index * 100).toISOString(),
      rendered,
      ...body,
    } as Shown;
  }
}
