// The sessions on the left: new, open, rename, fork, delete; settings and usage at the foot.

import { useCallback } from "react";
import { useNow } from "../design/clock";
import { dayGroup } from "../design/format";
import { Icon } from "../design/icons";
import { Kbd } from "../design/kbd";
import type { SessionSummary } from "../host/protocol";
import { useOpenSettings } from "../settings/opener";
import { useApp, useStore } from "../state/use";
import { SessionItem } from "./item";

type Props = { onOpen: (id: string | null) => void };

export function Sidebar({ onOpen, onUsage }: Props & { onUsage: () => void }) {
  const openSettings = useOpenSettings();
  const phase = useApp("phase");
  return (
    <nav className="sidebar" aria-label="Sessions">
      <div className="flex items-center justify-between pr-1 pb-0.5 pl-2.5">
        <b className="font-semibold tracking-tight">Weir</b>
        <button
          type="button"
          data-testid="new-session"
          className="chip chip-button"
          onClick={() => onOpen(null)}
        >
          New <Kbd keys="Ctrl+N" />
        </button>
      </div>
      <SessionList onOpen={onOpen} />
      <div className="sidebar-foot">
        <button
          type="button"
          data-testid="open-settings"
          className="foot-button"
          onClick={openSettings}
        >
          <Icon name="settings" /> Settings
        </button>
        <button
          type="button"
          data-testid="open-usage"
          className="foot-button"
          title="Usage (Ctrl+U)"
          onClick={onUsage}
        >
          <Icon name="chart" /> Usage
        </button>
        <span className="tabular-nums">{phase.name === "ready" ? phase.version : ""}</span>
      </div>
    </nav>
  );
}

function SessionList({ onOpen }: Props) {
  const sessions = useApp("sessions");
  const unread = useApp("unread");
  const open = useApp("open");
  const now = useNow(60_000);
  const store = useStore();
  const fork = useCallback((session: SessionSummary) => void store.fork(session.id, null), [store]);
  const remove = useCallback((session: SessionSummary) => void store.remove(session), [store]);

  if (sessions.length === 0) {
    return (
      <div className="m-1 flex-1 px-2 pt-4 text-[13px] text-ink3">
        <p className="font-medium text-ink2">No sessions yet</p>
        <p>What you ask is kept here, on this machine.</p>
      </div>
    );
  }
  const groups = new Map<string, SessionSummary[]>();
  for (const session of sessions) {
    const day = dayGroup(session.updatedAt, now);
    groups.set(day, [...(groups.get(day) ?? []), session]);
  }
  return (
    <div className="sessions">
      {[...groups].map(([day, group]) => (
        <section key={day} aria-label={day}>
          <h2 className="group-title">
            {day} <span className="tabular-nums">{group.length}</span>
          </h2>
          <ul>
            {group.map((session) => (
              <SessionItem
                key={session.id}
                session={session}
                current={session.id === open.id}
                unread={unread.has(session.id)}
                now={now}
                onOpen={onOpen}
                onFork={fork}
                onDelete={remove}
              />
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}
