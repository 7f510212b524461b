// The one place that holds state and talks to the host. Components subscribe to a topic each, so
// that a chunk wakes the block it grew and nothing else. Failures end where a person sees them:
// beside the control that asked, or as a notice.

import { type Host, toErrorBody } from "../host/host";
import type {
  Decision,
  DecisionScope,
  ErrorBody,
  Frame,
  GuardChoice,
  HookSummary,
  HookTrial,
  Image,
  RequestOptions,
  SessionChange,
  SessionSummary,
  Settings,
  SettingsChange,
  Thinking,
  UsageReport,
} from "../host/protocol";
import { type Action, type App, hooksLooking, initial, isBusy, openSummary, reduce } from "./app";
import type { Block } from "./block";
import { canBeAsked, lastUsed, sameLocalAddresses } from "./offers";
import { isSet } from "./options";
import type { SessionView } from "./session";
import { type SettingsAsk, SettingsAsks } from "./settings";
import type { Turn } from "./turn";

export type Topic =
  | keyof App
  | "order"
  | `turn:${string}`
  | `end:${string}`
  | `block:${string}/${string}`;

/** How often a session that does not fit is opened anew before a person is told. */
const REOPENS = 4;

export class Store {
  #app: App = initial;
  readonly #listeners = new Map<Topic, Set<() => void>>();
  #mending = false;
  #reopened = 0;
  /** The snapshot before which a page is on its way. */
  #loadingEarlier: number | undefined;
  #asks = 0;
  #looks = 0;
  /** Deleted sessions that were on the screen. */
  readonly #reopens = new Set<string>();
  readonly #settingsAsks = new SettingsAsks();

  constructor(private readonly host: Host) {}

  get app(): App {
    return this.#app;
  }

  turn(id: string): Turn | undefined {
    return this.#app.view?.turns.findLast((turn) => turn.id === id);
  }

  subscribe(topic: Topic, listener: () => void): () => void {
    const listeners = this.#listeners.get(topic) ?? new Set();
    this.#listeners.set(topic, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#listeners.delete(topic);
    };
  }

  async start(): Promise<void> {
    // Frames may overtake the answer; the lists they change are not known before it.
    const early: Frame[] = [];
    let started = false;
    try {
      const startup = await this.host.start((frame) => {
        if (started) this.#dispatch({ type: "frame", frame });
        else early.push(frame);
      });
      started = true;
      this.#dispatch({ type: "started", startup });
      for (const frame of early) this.#dispatch({ type: "frame", frame });
      void this.look();
      void this.#report(() => this.#loadProjects());
    } catch (thrown) {
      this.#dispatch({ type: "start_failed", error: toErrorBody(thrown) });
    }
  }

  async open(id: string | null): Promise<void> {
    this.#reopened = 0;
    this.#dispatch({ type: "select", id });
    if (id === null) return;
    const kept = openSummary(this.#app);
    if (kept) this.askModels("unknown", kept.source);
    void this.#report(async () => {
      const project = await this.host.sessionProject(id);
      this.#dispatch({ type: "project_kept", id, project });
    });
    await this.#fetchSnapshot(id);
  }

  /** The next session is about this folder, or about none. */
  chooseProject(path: string | null): void {
    const known = this.#app.projects.known.find((project) => project.path === path);
    this.#dispatch({ type: "project_chosen", project: known ?? null });
  }

  /** The user chooses a folder and trusts it, in dialogs that the page has no part in. */
  openProject(): Promise<void> {
    return this.#report(async () => {
      const project = await this.host.openProject();
      if (!project) return;
      await this.#loadProjects();
      this.#dispatch({ type: "project_chosen", project });
    });
  }

  /** The hooks of the folders the user trusts; the caller shows what fails. */
  hooks(): Promise<HookSummary[]> {
    return this.host.hooks();
  }

  /** Runs a hook once on a sample, after a dialog that the page has no part in. */
  tryHook({ project, id }: HookSummary): Promise<HookTrial> {
    return this.host.tryHook(project, id);
  }

  /** The user looks at what a folder brings now, and trusts that, outside of the page. */
  async trustProject(project: string): Promise<void> {
    await this.host.trustProject(project);
    await this.#loadProjects();
  }

  async #loadProjects(): Promise<void> {
    this.#dispatch({ type: "projects", known: await this.host.projects() });
  }

  /** Answers why the prompt was refused, or nothing when it is saved; `null` makes a session. */
  async send(
    session: string | null,
    prompt: string,
    images: readonly Image[] = [],
    choice?: GuardChoice,
  ): Promise<ErrorBody | undefined> {
    try {
      const isNew = session === null;
      const project = isNew ? this.#app.projects.chosen?.path : undefined;
      const options = isNew && isSet(this.#app.options) ? this.#app.options : undefined;
      const id = await this.host.send(session, prompt, images, project, choice, options);
      if (options) this.#dispatch({ type: "options", options: {} });
      if (session === null && this.#app.open.id === null) await this.open(id);
      this.#use(id);
      return undefined;
    } catch (thrown) {
      return toErrorBody(thrown);
    }
  }

  /** New sessions begin with what this one was asked of. */
  #use(session: string): void {
    const used = this.#app.sessions.find(({ id }) => id === session);
    if (!used) return;
    const settings = lastUsed(this.#app.settings, used);
    this.#dispatch({ type: "settings", settings });
  }

  /** Asks the user, outside of the page, whether the next prompt may go on past what is spent. */
  async goOverBudget(session: string | null): Promise<ErrorBody | undefined> {
    try {
      const project = session === null ? this.#app.projects.chosen?.path : undefined;
      await this.host.goOverBudget(session, project);
      return undefined;
    } catch (thrown) {
      return toErrorBody(thrown);
    }
  }

  /** What the last days used; rejects with an `ErrorBody`. */
  usage(days: number): Promise<UsageReport> {
    return this.host.usage(days);
  }

  /** Asks an edited prompt in the place of a turn of the open session; answers like `send`. */
  async edit(
    turn: string,
    prompt: string,
    images: readonly Image[],
    choice?: GuardChoice,
  ): Promise<ErrorBody | undefined> {
    const { id } = this.#app.open;
    if (id === null) return undefined;
    try {
      await this.host.edit(id, turn, prompt, images, choice);
      return undefined;
    } catch (thrown) {
      return toErrorBody(thrown);
    }
  }

  /** What a guard took out of the open session; nothing where it cannot be had. */
  async showOriginal(placeholder: string): Promise<string | undefined> {
    const { id } = this.#app.open;
    let original: string | null = null;
    if (id !== null) {
      await this.#report(async () => {
        original = await this.host.showOriginal(id, placeholder);
      });
    }
    return original ?? undefined;
  }

  askAgain(turn: string): Promise<void> {
    return this.#inOpen((session) => this.host.askAgain(session, turn));
  }

  chooseBranch(turn: string): Promise<void> {
    return this.#inOpen((session) => this.host.chooseBranch(session, turn));
  }

  /** Copies a session, up to and with a turn or to its end, and opens the copy. */
  fork(session: string, turn: string | null): Promise<void> {
    return this.#report(async () => {
      const copy = await this.host.fork(session, turn);
      await this.open(copy.id);
    });
  }

  #inOpen(work: (session: string) => Promise<void>): Promise<void> {
    const { id } = this.#app.open;
    return id === null ? Promise.resolve() : this.#report(() => work(id));
  }

  /** Stops the open session's turn, or the hooks that look at the prompt on its way there. */
  stop(): Promise<void> {
    const { open, looks } = this.#app;
    const session = openSummary(this.#app);
    const running = session !== undefined && isBusy(session.status);
    if (!running && hooksLooking(looks, open.id).length === 0) return Promise.resolve();
    return this.#report(() => this.host.stop(open.id));
  }

  /** The user's word on a tool call of the open session. */
  decide(
    turn: string,
    toolCallId: string,
    decision: Decision,
    scope: DecisionScope,
  ): Promise<void> {
    return this.#inOpen((session) => this.host.decide(session, turn, toolCallId, decision, scope));
  }

  rename(session: string, title: string): Promise<void> {
    return this.#report(() => this.host.rename(session, title));
  }

  /** Takes a session out of the list at once; it is offered back for a while. */
  remove(session: SessionSummary): Promise<void> {
    return this.#report(async () => {
      const shown = this.#app.open.id === session.id;
      await this.host.remove(session.id);
      if (shown) this.#reopens.add(session.id);
      this.#dispatch({ type: "removed", session });
    });
  }

  /** Brings a deleted session back, and to the screen if it was there and nothing else is. */
  restore(session: string): Promise<void> {
    this.#dispatch({ type: "settled", id: session });
    return this.#report(async () => {
      await this.host.restore(session);
      if (this.#reopens.delete(session) && this.#app.open.id === null) await this.open(session);
    });
  }

  /** The offer to bring a session back is over. */
  settle(session: string): void {
    this.#reopens.delete(session);
    this.#dispatch({ type: "settled", id: session });
  }

  openLink(url: string): Promise<void> {
    return this.#report(() => this.host.openLink(url));
  }

  /** Asks what no part of the shared state depends on; whoever asks shows what went wrong. */
  async ask<T>(work: (host: Host) => Promise<T>): Promise<{ value?: T; error?: ErrorBody }> {
    try {
      return { value: await work(this.host) };
    } catch (thrown) {
      return { error: toErrorBody(thrown) };
    }
  }

  async changeSettings(change: SettingsChange): Promise<ErrorBody | undefined> {
    const error = await this.#settle(change, () => this.host.changeSettings(change));
    if (!error && (change.set === "source" || change.set === "base_url")) this.askModels();
    return error;
  }

  /**
   * Asks the next turn of that model: of the open session, or of new ones where none is open.
   * Nothing is chosen when its name is refused.
   */
  async chooseModel(source: string, model: string): Promise<ErrorBody | undefined> {
    if (this.#app.open.id !== null) {
      const error = await this.#choose(this.#app.open.id, { set: "model", source, model });
      if (!error) this.askModels("unknown", source);
      return error;
    }
    const held = this.#app.settings.sources.find(({ name }) => name === source);
    if (held?.model !== model) {
      const error = await this.changeSettings({ set: "model", source, model });
      if (error) return error;
    }
    if (this.#app.settings.source === source) return undefined;
    return this.changeSettings({ set: "source", source });
  }

  /** How much the model of the open session may think, or that of new ones. */
  chooseThinking(thinking: Thinking): Promise<ErrorBody | undefined> {
    const { id } = this.#app.open;
    return id === null
      ? this.changeSettings({ set: "thinking", thinking })
      : this.#choose(id, { set: "thinking", thinking });
  }

  /** What the open session is asked with, or the next new one. */
  async chooseOptions(options: RequestOptions): Promise<ErrorBody | undefined> {
    const { id } = this.#app.open;
    if (id !== null) return this.#choose(id, { set: "options", options });
    this.#dispatch({ type: "options", options });
    return undefined;
  }

  async #choose(session: string, change: SessionChange): Promise<ErrorBody | undefined> {
    try {
      const summary = await this.host.chooseModel(session, change);
      this.#dispatch({ type: "chosen", session: summary });
      return undefined;
    } catch (thrown) {
      return toErrorBody(thrown);
    }
  }

  async setKey(source: string, key: string): Promise<ErrorBody | undefined> {
    const error = await this.#settle({ set: "key", source }, () => this.host.setKey(source, key));
    // Another key may see other models, whatever the one before was told.
    if (!error && source === this.#app.settings.source) this.askModels("anew");
    return error;
  }

  deleteKey(source: string): Promise<ErrorBody | undefined> {
    return this.#settle({ set: "key", source }, () => this.host.deleteKey(source));
  }

  /** Looks for servers on this machine. Nothing waits for it. */
  async look(): Promise<void> {
    if (this.#app.found.looking) return;
    this.#looks += 1;
    const look = this.#looks;
    // Where one looked before an address changed says nothing of the new one.
    const tell = (action: Action) => {
      if (look === this.#looks) this.#dispatch(action);
    };
    tell({ type: "looking" });
    try {
      tell({ type: "found", sources: await this.host.findSources() });
    } catch (thrown) {
      tell({ type: "look_failed", error: toErrorBody(thrown) });
    }
  }

  /** Asks a source for its models, unless they are known and nothing has changed. */
  askModels(when: "unknown" | "anew" = "unknown", of = this.#app.settings.source): void {
    const source = this.#app.settings.sources.find(({ name }) => name === of);
    if (!source || !canBeAsked(source)) return;
    const held = this.#app.asked[source.name]?.state;
    if (when === "anew" || held === undefined || held === "failed") {
      void this.#askModels(source.name);
    }
  }

  async #askModels(source: string): Promise<void> {
    this.#asks += 1;
    const ask = this.#asks;
    this.#dispatch({ type: "models", source, ask, answer: { state: "asking" } });
    try {
      const models = await this.host.listModels(source);
      this.#dispatch({ type: "models", source, ask, answer: { state: "known", models } });
    } catch (thrown) {
      const error = toErrorBody(thrown);
      this.#dispatch({ type: "models", source, ask, answer: { state: "failed", error } });
    }
  }

  async loadEarlier(): Promise<void> {
    const { view } = this.#app;
    if (!view?.hasEarlier || this.#loadingEarlier === view.watch) return;
    const { watch } = view;
    this.#loadingEarlier = watch;
    await this.#report(async () => {
      const page = await this.host.eventsBefore(view.id, view.firstSequence);
      this.#dispatch({ type: "earlier", watch, page });
    });
    if (this.#loadingEarlier === watch) this.#loadingEarlier = undefined;
  }

  /** Shows a sentence above the timeline; what the user cancelled or stopped they know already. */
  notify(error: ErrorBody): void {
    const { code, message } = error;
    if (code === "declined" || code === "stopped") return;
    this.#dispatch({ type: "notice", notice: { code, message } });
  }

  async saveCopy(): Promise<void> {
    await this.#report(async () => {
      const message = await this.host.saveCopy();
      if (message !== null) this.notify({ code: "copy_saved", message });
    });
  }

  dismiss(notice: App["notices"][number]): void {
    this.#dispatch({ type: "dismiss", notice });
  }

  async #report(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (thrown) {
      this.notify(toErrorBody(thrown));
    }
  }

  async #settle(ask: SettingsAsk, work: () => Promise<Settings>): Promise<ErrorBody | undefined> {
    const settle = this.#settingsAsks.begin(ask);
    try {
      const told = await work();
      const before = this.#app.settings;
      this.#dispatch({ type: "settings", settings: settle(told, before) });
      if (!sameLocalAddresses(before, this.#app.settings)) void this.look();
      return undefined;
    } catch (thrown) {
      return toErrorBody(thrown);
    }
  }

  async #fetchSnapshot(id: string): Promise<void> {
    try {
      this.#dispatch({ type: "opened", snapshot: await this.host.openSession(id) });
    } catch (thrown) {
      if (this.#app.open.id === id) this.notify(toErrorBody(thrown));
      this.#dispatch({ type: "open_failed", id });
    }
  }

  #dispatch(action: Action): void {
    const before = this.#app;
    this.#app = reduce(before, action);
    if (this.#app === before) return;
    for (const topic of changedTopics(before, this.#app)) {
      for (const listener of [...(this.#listeners.get(topic) ?? [])]) listener();
    }
    this.#mend();
  }

  /** Fetches what a gap is missing, and opens the session anew where that does not help. */
  #mend(): void {
    const { view, open } = this.#app;
    if (!view || open.stage !== "open" || this.#mending) return;
    if (view.moved) this.#refresh(view.id);
    else if (view.missed) this.#reopen(view.id);
    else if (view.waiting.length > 0) void this.#fillGap(view);
  }

  async #fillGap({ id, watch, lastSequence }: SessionView): Promise<void> {
    this.#mending = true;
    try {
      const events = await this.host.eventsSince(id, lastSequence);
      this.#dispatch({ type: "filled", id, events });
    } catch (thrown) {
      this.notify(toErrorBody(thrown));
    }
    this.#mending = false;
    const after = this.#app.view;
    const stuck = after?.watch === watch && after.lastSequence === lastSequence;
    if (stuck) this.#reopen(id);
    else this.#mend();
  }

  #reopen(id: string): void {
    if (this.#reopened >= REOPENS) return;
    this.#reopened += 1;
    if (this.#reopened === REOPENS) {
      this.notify({
        code: "missed",
        message: "A part of this session could not be read. Open it again.",
      });
      return;
    }
    this.#refresh(id);
  }

  #refresh(id: string): void {
    this.#dispatch({ type: "reopen" });
    void this.#fetchSnapshot(id);
  }
}

function* changedTopics(before: App, after: App): Generator<Topic> {
  for (const field of Object.keys(after) as (keyof App)[]) {
    if (before[field] !== after[field]) yield field;
  }
  if (before.view !== after.view) yield* changedViewTopics(before.view, after.view);
}

function* changedViewTopics(
  before: SessionView | null,
  after: SessionView | null,
): Generator<Topic> {
  if (before?.order !== after?.order) yield "order";
  const known = new Map(before?.turns.map((turn) => [turn.id, turn]));
  for (const turn of after?.turns ?? []) {
    const old = known.get(turn.id);
    if (old === turn) continue;
    if (old?.outline !== turn.outline) yield `turn:${turn.id}`;
    if (old?.outline.end !== turn.outline.end) yield `end:${turn.id}`;
    for (const block of changedBlocks(old?.blocks ?? [], turn.blocks)) {
      yield `block:${turn.id}/${block.key}`;
    }
  }
}

/** Most blocks keep their place, so they are compared there first; a turn may have thousands. */
function* changedBlocks(before: readonly Block[], after: readonly Block[]): Generator<Block> {
  let known: Map<string, Block> | undefined;
  for (const [place, block] of after.entries()) {
    if (before[place] === block) continue;
    known ??= new Map(before.map((old) => [old.key, old]));
    if (known.get(block.key) !== block) yield block;
  }
}
