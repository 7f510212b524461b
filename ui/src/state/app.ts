// Everything the window shows, as one pure reducer. A frame's events belong to the snapshot with
// the same watch number; those of a snapshot still on its way wait here until it arrives.

import type {
  ErrorBody,
  FoundSource,
  Frame,
  Notice,
  Page,
  ProjectSummary,
  RequestOptions,
  SessionStatus,
  SessionSummary,
  Settings,
  Shown,
  Snapshot,
  Startup,
} from "../host/protocol";
import {
  type Answer,
  type Asked,
  eachOnce,
  type Found,
  keepTrue,
  nothingFound,
  sameLocalAddresses,
} from "./offers";
import { applyEarlier, applyEvents, type SessionView, viewSnapshot } from "./session";

export type Phase =
  | { readonly name: "starting" }
  | { readonly name: "ready"; readonly version: string }
  | { readonly name: "failed"; readonly error: ErrorBody };

/** Which session the window has open; `id` is null for a session that has no prompt yet. */
export type Open = {
  readonly id: string | null;
  /** `reopening`: what is held stays on the screen until a new snapshot replaces it. */
  readonly stage: "opening" | "reopening" | "open";
};

const nothingOpen: Open = { id: null, stage: "open" };

/** `chosen` is for the next session; `kept` is the one the open session began with. */
export type Projects = {
  readonly known: readonly ProjectSummary[];
  readonly chosen: ProjectSummary | null;
  readonly kept: ProjectSummary | null;
};

/** By session; `new` for one that has no prompt yet. */
export type Looks = Readonly<Record<string, readonly string[]>>;

export type App = {
  readonly phase: Phase;
  readonly settings: Settings;
  /** What sources said when they were asked for their models. */
  readonly asked: Asked;
  readonly found: Found;
  readonly sessions: readonly SessionSummary[];
  readonly unread: ReadonlySet<string>;
  readonly notices: readonly Notice[];
  /** Sessions deleted just now, the last one last: each can be brought back for a while. */
  readonly removed: readonly SessionSummary[];
  readonly open: Open;
  readonly view: SessionView | null;
  readonly projects: Projects;
  /** What the next new session is asked with; a session keeps its own. */
  readonly options: RequestOptions;
  /** The hooks that look at a prompt which is not saved yet, by where it goes. */
  readonly looks: Looks;
  /** Frames of a snapshot that is still on its way. */
  readonly held: readonly Frame[];
};

export type Action =
  | { readonly type: "started"; readonly startup: Startup }
  | { readonly type: "start_failed"; readonly error: ErrorBody }
  | { readonly type: "frame"; readonly frame: Frame }
  | { readonly type: "select"; readonly id: string | null }
  | { readonly type: "reopen" }
  | { readonly type: "opened"; readonly snapshot: Snapshot }
  | { readonly type: "open_failed"; readonly id: string }
  | { readonly type: "filled"; readonly id: string; readonly events: readonly Shown[] }
  | { readonly type: "earlier"; readonly watch: number; readonly page: Page }
  | { readonly type: "settings"; readonly settings: Settings }
  | { readonly type: "looking" }
  | { readonly type: "found"; readonly sources: readonly FoundSource[] }
  | { readonly type: "look_failed"; readonly error: ErrorBody }
  | {
      readonly type: "models";
      readonly source: string;
      readonly ask: number;
      readonly answer: Answer;
    }
  | { readonly type: "chosen"; readonly session: SessionSummary }
  | { readonly type: "options"; readonly options: RequestOptions }
  | { readonly type: "removed"; readonly session: SessionSummary }
  | { readonly type: "settled"; readonly id: string }
  | { readonly type: "notice"; readonly notice: Notice }
  | { readonly type: "projects"; readonly known: readonly ProjectSummary[] }
  | { readonly type: "project_chosen"; readonly project: ProjectSummary | null }
  | { readonly type: "project_kept"; readonly id: string; readonly project: ProjectSummary | null }
  | { readonly type: "dismiss"; readonly notice: Notice };

export const initial: App = {
  phase: { name: "starting" },
  settings: {
    source: "",
    thinking: "medium",
    sources: [],
    theme: "system",
    pricesAsOf: "",
    prices: [],
    budgets: [],
  },
  asked: {},
  found: nothingFound,
  sessions: [],
  unread: new Set(),
  notices: [],
  removed: [],
  open: nothingOpen,
  view: null,
  projects: { known: [], chosen: null, kept: null },
  options: {},
  looks: {},
  held: [],
};

export function reduce(app: App, action: Action): App {
  switch (action.type) {
    case "started": {
      const { version, settings, sessions, notices } = action.startup;
      const phase: Phase = { name: "ready", version };
      return { ...app, phase, settings, sessions: newestFirst(sessions), notices };
    }
    case "start_failed":
      return { ...app, phase: { name: "failed", error: action.error } };
    case "frame":
      return applyFrameEvents(
        applyLooks(applyFrameLists(app, action.frame), action.frame),
        action.frame,
      );
    case "select": {
      const { id } = action;
      const open: Open = id === null ? nothingOpen : { id, stage: "opening" };
      const projects = { ...app.projects, kept: null };
      return { ...app, open, view: null, projects, held: [], unread: without(app.unread, id) };
    }
    case "reopen":
      return app.open.id === null ? app : { ...app, open: { id: app.open.id, stage: "reopening" } };
    case "opened":
      return applySnapshot(app, action.snapshot);
    case "open_failed":
      if (app.open.id !== action.id || app.open.stage === "open") return app;
      return { ...app, open: nothingOpen, view: null, held: [] };
    case "filled":
      if (app.view?.id !== action.id) return app;
      return { ...app, view: applyEvents(app.view, action.events) };
    case "earlier":
      // A page belongs to the snapshot it goes before: another one may show another branch.
      if (app.view?.watch !== action.watch) return app;
      return { ...app, view: applyEarlier(app.view, action.page) };
    case "settings": {
      const { settings } = action;
      const asked = keepTrue(app.asked, app.settings, settings);
      const found = sameLocalAddresses(app.settings, settings) ? app.found : nothingFound;
      return { ...app, settings, asked, found };
    }
    case "looking":
      return { ...app, found: { ...app.found, looking: true } };
    case "found": {
      const sources = action.sources.map(({ name, models }) => ({
        name,
        models: eachOnce(models),
      }));
      return { ...app, found: { looking: false, sources } };
    }
    case "look_failed":
      return { ...app, found: { ...app.found, looking: false, error: action.error } };
    case "models": {
      const { source, ask } = action;
      const answer =
        action.answer.state === "known"
          ? { ...action.answer, models: eachOnce(action.answer.models) }
          : action.answer;
      // An answer counts for the ask that is still waiting; what was forgotten stays so.
      if (answer.state !== "asking" && app.asked[source]?.ask !== ask) return app;
      return { ...app, asked: { ...app.asked, [source]: { ...answer, ask } } };
    }
    case "chosen": {
      // Only the choice: a frame may have told the rest of the line since.
      const { id, source, model, thinking, options } = action.session;
      const sessions = app.sessions.map((session) =>
        session.id === id ? { ...session, source, model, thinking, options } : session,
      );
      return { ...app, sessions };
    }
    case "options":
      return { ...app, options: action.options };
    case "removed":
      return {
        ...app,
        removed: [...withoutSession(app.removed, action.session.id), action.session],
      };
    case "settled":
      return { ...app, removed: withoutSession(app.removed, action.id) };
    case "notice":
      return { ...app, notices: withNotices(app.notices, [action.notice]) };
    case "projects":
      return { ...app, projects: { ...app.projects, known: action.known } };
    case "project_chosen":
      return { ...app, projects: { ...app.projects, chosen: action.project } };
    case "project_kept":
      if (app.open.id !== action.id) return app;
      return { ...app, projects: { ...app.projects, kept: action.project } };
    case "dismiss":
      return { ...app, notices: app.notices.filter((notice) => notice !== action.notice) };
  }
}

/** The list line of the open session. */
export function openSummary(app: App): SessionSummary | undefined {
  return app.sessions.find(({ id }) => id === app.open.id);
}

function applySnapshot(app: App, snapshot: Snapshot): App {
  const { session, watch } = snapshot;
  // The user has gone elsewhere since, or a newer snapshot of the same session is here already.
  if (app.open.id !== session.id || watch < (app.view?.watch ?? 0)) return app;
  const ready = app.held.filter((frame) => frame.watch === watch);
  const view = ready.reduce(
    (held, frame) => applyEvents(held, frame.events),
    viewSnapshot(snapshot),
  );
  return {
    ...app,
    view,
    open: { id: session.id, stage: "open" },
    held: app.held.filter((frame) => frame.watch > watch),
    // A frame may have told of this session after the snapshot was taken.
    sessions: merge(app.sessions, [session], "older"),
  };
}

function applyFrameEvents(app: App, frame: Frame): App {
  if (frame.events.length === 0) return app;
  if (app.view && frame.watch === app.view.watch) {
    return { ...app, view: applyEvents(app.view, frame.events) };
  }
  const unknown = frame.watch > (app.view?.watch ?? 0);
  return app.open.stage !== "open" && unknown ? { ...app, held: [...app.held, frame] } : app;
}

/** The hooks that look at the prompt on its way to a session, or to a new one. */
export function hooksLooking(looks: Looks, session: string | null): readonly string[] {
  return looks[session ?? "new"] ?? nobody;
}

const nobody: readonly string[] = [];

function applyLooks(app: App, { looks }: Frame): App {
  if (looks.length === 0) return app;
  const all = new Map(Object.entries(app.looks));
  for (const { session, hooks } of looks) {
    const key = session ?? "new";
    if (hooks.length > 0) all.set(key, hooks);
    else all.delete(key);
  }
  return { ...app, looks: Object.fromEntries(all) };
}

function applyFrameLists(app: App, frame: Frame): App {
  if (frame.sessions.length + frame.deleted.length + frame.notices.length === 0) return app;
  const gone = new Set(frame.deleted);
  const finished = frame.sessions.filter(({ id, status }) => {
    const before = app.sessions.find((session) => session.id === id);
    return before && isBusy(before.status) && !isBusy(status) && id !== app.open.id;
  });
  const unread = [...app.unread, ...finished.map(({ id }) => id)].filter((id) => !gone.has(id));
  const closed = app.open.id !== null && gone.has(app.open.id);
  return {
    ...app,
    sessions: merge(app.sessions, frame.sessions, "newer").filter(({ id }) => !gone.has(id)),
    unread: new Set(unread),
    notices: withNotices(app.notices, frame.notices),
    ...(closed ? { open: nothingOpen, view: null, held: [] } : {}),
  };
}

/** `changes` win over what is held when they are newer, and only fill in when they are older. */
function merge(
  sessions: readonly SessionSummary[],
  changes: readonly SessionSummary[],
  age: "newer" | "older",
): readonly SessionSummary[] {
  const byId = new Map(sessions.map((session) => [session.id, session]));
  for (const change of changes) {
    if (age === "newer" || !byId.has(change.id)) byId.set(change.id, change);
  }
  return newestFirst([...byId.values()]);
}

/** Whether a turn of the session is under way. */
export function isBusy(status: SessionStatus): boolean {
  return status === "running" || status === "waiting";
}

function withoutSession(
  sessions: readonly SessionSummary[],
  id: string,
): readonly SessionSummary[] {
  return sessions.filter((session) => session.id !== id);
}

function newestFirst(sessions: readonly SessionSummary[]): readonly SessionSummary[] {
  return [...sessions].sort((a, b) => Date.parse(b.updatedAt) - Date.parse(a.updatedAt));
}

function without(unread: ReadonlySet<string>, id: string | null): ReadonlySet<string> {
  return id !== null && unread.has(id)
    ? new Set([...unread].filter((other) => other !== id))
    : unread;
}

/** With more notices at the end; one that says the same as another is shown once. */
function withNotices(shown: readonly Notice[], more: readonly Notice[]): readonly Notice[] {
  const isNew = (notice: Notice) =>
    !shown.some(({ code, message }) => code === notice.code && message === notice.message);
  const added = more.filter(isNew);
  return added.length > 0 ? [...shown, ...added] : shown;
}
