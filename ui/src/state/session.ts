// The open session: a pure fold of a snapshot, the frames that continue it and earlier pages.
// It keeps the order whole: stored events are applied by sequence number without a gap, and
// what comes past a gap waits until the missing events are fetched. A snapshot and the pages
// before it hold the active path, whose numbers may leave out other branches; what follows a
// snapshot leaves out nothing.

import type { Branches, Page, Shown, Snapshot } from "../host/protocol";
import { emptyTurn, foldEvent, type Turn } from "./turn";

export type SessionView = {
  readonly id: string;
  readonly watch: number;
  readonly turns: readonly Turn[];
  /** The ids of the turns in the order they are read; replaced only when a turn is added. */
  readonly order: readonly string[];
  readonly firstSequence: number;
  readonly lastSequence: number;
  readonly hasEarlier: boolean;
  /** Stored events that came past a gap. */
  readonly waiting: readonly Shown[];
  /** A change did not fit: only a new snapshot helps. */
  readonly missed: boolean;
  /** Another branch is read from now on: a new snapshot shows it. */
  readonly moved: boolean;
};

export function viewSnapshot(snapshot: Snapshot): SessionView {
  const first = snapshot.events[0]?.sequenceNumber ?? 1;
  const empty: SessionView = {
    id: snapshot.session.id,
    watch: snapshot.watch,
    turns: [],
    order: [],
    firstSequence: first,
    lastSequence: snapshot.lastSequence ?? snapshot.events.at(-1)?.sequenceNumber ?? 0,
    hasEarlier: snapshot.hasEarlier,
    waiting: [],
    missed: false,
    moved: false,
  };
  const stored = withBranches(snapshot.events.reduce(fold, empty), snapshot.branches);
  return applyEvents(stored, snapshot.growing);
}

export function applyEvents(view: SessionView, events: readonly Shown[]): SessionView {
  return events.reduce(applyEvent, view);
}

/** Puts a page before everything that is held. */
export function applyEarlier(view: SessionView, page: Page): SessionView {
  const events = page.events.filter((event) => (event.sequenceNumber ?? 0) < view.firstSequence);
  const folded = withBranches(events.reduce(fold, view), page.branches);
  const firstSequence = events[0]?.sequenceNumber ?? view.firstSequence;
  return { ...folded, firstSequence, hasEarlier: page.hasEarlier };
}

function applyEvent(view: SessionView, event: Shown): SessionView {
  if (event.sessionId !== view.id) return view;
  const sequence = event.sequenceNumber;
  if (sequence === undefined) return fold(view, event);
  if (sequence <= view.lastSequence) return view;
  if (sequence > view.lastSequence + 1) {
    if (view.waiting.some(({ id }) => id === event.id)) return view;
    return { ...view, waiting: [...view.waiting, event] };
  }
  return drain({ ...fold(followPath(view, event), event), lastSequence: sequence });
}

/** What an event that comes now does to the path that is shown. */
function followPath(view: SessionView, event: Shown): SessionView {
  if (event.type === "branch_choice") return { ...view, moved: true };
  if (event.type !== "user_message" || event.replaces === undefined) return view;
  const { replaces, turnId: id } = event;
  const at = view.turns.findIndex((turn) => turn.id === replaces);
  const replaced = view.turns[at];
  if (!replaced || id === undefined) return { ...view, moved: true };
  const turn = emptyTurn(id, event.eventIndex);
  const branches = [...(replaced.outline.branches ?? [replaces]), id];
  return withTurns(view, [
    ...view.turns.slice(0, at),
    { ...turn, outline: { ...turn.outline, branches } },
  ]);
}

function withTurns(view: SessionView, turns: readonly Turn[]): SessionView {
  return { ...view, turns, order: turns.map(({ id }) => id) };
}

function withBranches(view: SessionView, branches: readonly Branches[] = []): SessionView {
  if (branches.length === 0) return view;
  const places = new Map(branches.map((place) => [place.turn, place.turns]));
  const turns = view.turns.map((turn) => {
    const here = places.get(turn.id);
    return here ? { ...turn, outline: { ...turn.outline, branches: here } } : turn;
  });
  return { ...view, turns };
}

function drain(view: SessionView): SessionView {
  if (view.waiting.length === 0) return view;
  const waiting = view.waiting.filter((event) => (event.sequenceNumber ?? 0) > view.lastSequence);
  const next = waiting.find((event) => event.sequenceNumber === view.lastSequence + 1);
  return next ? applyEvent({ ...view, waiting }, next) : { ...view, waiting };
}

function fold(view: SessionView, event: Shown): SessionView {
  const id = event.turnId ?? view.turns.at(-1)?.id;
  const ofTurn = event.type !== "session_start" && event.type !== "branch_choice";
  if (id === undefined || !ofTurn) return view;
  const at = view.turns.findLastIndex((turn) => turn.id === id);
  const before = view.turns[at] ?? emptyTurn(id, event.eventIndex);
  const { turn, missed } = foldEvent(before, event);
  if (missed) return { ...view, missed: true };
  if (turn === before && at >= 0) return view;
  if (at >= 0 && event.eventIndex >= turn.first)
    return { ...view, turns: view.turns.with(at, turn) };
  const first = Math.min(turn.first, event.eventIndex);
  const others = at >= 0 ? view.turns.toSpliced(at, 1) : view.turns;
  const place = others.findLastIndex((other) => other.first <= first) + 1;
  return withTurns(view, others.toSpliced(place, 0, { ...turn, first }));
}
