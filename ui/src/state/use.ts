// The hooks through which components read the store: one topic each.

import { createContext, useCallback, useContext, useSyncExternalStore } from "react";
import type { SessionSummary } from "../host/protocol";
import { type App, isBusy, openSummary } from "./app";
import type { Block, Retry } from "./block";
import type { Store, Topic } from "./store";
import type { Outline } from "./turn";

const StoreContext = createContext<Store | null>(null);
export const StoreProvider = StoreContext.Provider;

export function useStore(): Store {
  const store = useContext(StoreContext);
  if (!store) throw new Error("A component reads the store outside its provider.");
  return store;
}

function useTopic<T>(topic: Topic, read: (store: Store) => T): T {
  const store = useStore();
  const subscribe = useCallback(
    (listener: () => void) => store.subscribe(topic, listener),
    [store, topic],
  );
  return useSyncExternalStore(subscribe, () => read(store));
}

/** One field of the app's state. Blocks are read with `useBlock`, never through `view`. */
export function useApp<F extends Exclude<keyof App, "view" | "held">>(field: F): App[F] {
  return useTopic(field, (store) => store.app[field]);
}

export function useOpenSummary(): SessionSummary | undefined {
  useApp("open");
  return useTopic("sessions", (store) => openSummary(store.app));
}

/** Whether a turn of the open session is under way. */
export function useBusy(): boolean {
  return useTopic("sessions", (store) => {
    const session = openSummary(store.app);
    return session !== undefined && isBusy(session.status);
  });
}

const noTurns: readonly string[] = [];

export function useOrder(): readonly string[] {
  return useTopic("order", (store) => store.app.view?.order ?? noTurns);
}

export function useOutline(turn: string): Outline | undefined {
  return useTopic(`turn:${turn}`, (store) => store.turn(turn)?.outline);
}

/** Whether a turn is over. Unlike its outline, this changes once. */
export function useEnded(turn: string): boolean {
  return useTopic(`end:${turn}`, (store) => store.turn(turn)?.outline.end !== undefined);
}

/** Of the open session's last turn, while it waits to be asked again. */
export function useRetry(): Retry | undefined {
  return useOutline(useOrder().at(-1) ?? "")?.retry;
}

export function useBlock(turn: string, key: string): Block | undefined {
  return useTopic(`block:${turn}/${key}`, (store) =>
    store.turn(turn)?.blocks.findLast((block) => block.key === key),
  );
}
