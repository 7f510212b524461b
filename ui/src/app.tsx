// The window: sessions on the left, what is open on the right, and the keys that work everywhere.

import { useCallback, useEffect, useRef, useState } from "react";
import { Composer } from "./composer/composer";
import { DraftKeeper } from "./composer/draft";
import { Announcer } from "./design/announcer";
import { Notices } from "./notices";
import { Header } from "./sessions/header";
import { Removed } from "./sessions/removed";
import { Sidebar } from "./sessions/sidebar";
import { OpenSettingsProvider } from "./settings/opener";
import { SettingsDialog } from "./settings/settings";
import { useTheme } from "./settings/theme";
import { StartupError } from "./startup_error";
import { isBusy } from "./state/app";
import { useApp, useOpenSummary, useRetry, useStore } from "./state/use";
import { retryWords } from "./timeline/retry";
import { Skeleton } from "./timeline/skeleton";
import { Timeline } from "./timeline/timeline";
import { UsageDialog } from "./usage/usage";
import { Welcome } from "./welcome";

export function AppWindow() {
  const phase = useApp("phase");
  const { theme } = useApp("settings");
  useTheme(theme);
  switch (phase.name) {
    case "starting":
      return null;
    case "failed":
      return <StartupError error={phase.error} />;
    case "ready":
      return <Ready />;
  }
}

function Ready() {
  const store = useStore();
  const [settingsOpen, setSettingsOpen] = useState(false);
  const [usageOpen, setUsageOpen] = useState(false);
  const [sideOpen, setSideOpen] = useState(false);
  const openSettings = useCallback(() => setSettingsOpen(true), []);
  const closeSettings = useCallback(() => setSettingsOpen(false), []);
  const openUsage = useCallback(() => setUsageOpen(true), []);
  const open = useCallback(
    (id: string | null) => {
      setSideOpen(false);
      void store.open(id);
    },
    [store],
  );
  useShortcuts({
    onNew: () => open(null),
    onSettings: openSettings,
    onUsage: openUsage,
    onEscape: () => (sideOpen ? setSideOpen(false) : void store.stop()),
  });

  return (
    <OpenSettingsProvider value={openSettings}>
      <div className="window" data-side={sideOpen}>
        <Sidebar onOpen={open} onUsage={openUsage} />
        {sideOpen ? (
          <button
            type="button"
            aria-label="Close the session list"
            className="veil"
            onClick={() => setSideOpen(false)}
          />
        ) : null}
        <Main onMenu={() => setSideOpen(true)} />
      </div>
      <Removed />
      {settingsOpen ? <SettingsDialog onClose={closeSettings} /> : null}
      {usageOpen ? <UsageDialog onClose={() => setUsageOpen(false)} /> : null}
    </OpenSettingsProvider>
  );
}

function Main({ onMenu }: { onMenu: () => void }) {
  const open = useApp("open");
  const session = useOpenSummary();
  const retry = useRetry();
  const drafts = useRef(new Map<string, DraftKeeper>());
  const key = open.id ?? "new";
  const draft = drafts.current.get(key) ?? new DraftKeeper();
  drafts.current.set(key, draft);
  return (
    <main className="main">
      <Notices />
      <Header session={session} onMenu={onMenu} />
      <Body key={key} />
      <Composer
        key={`composer ${key}`}
        session={open.id}
        running={session !== undefined && isBusy(session.status)}
        draft={draft}
      />
      <Announcer session={session} trouble={retry ? retryWords(retry) : ""} />
    </main>
  );
}

function Body() {
  const { id, stage } = useApp("open");
  if (id === null) return <Welcome />;
  return stage === "opening" ? <Skeleton /> : <Timeline />;
}

type Shortcuts = Record<"onNew" | "onSettings" | "onUsage" | "onEscape", () => void>;

function useShortcuts(shortcuts: Shortcuts) {
  const latest = useRef(shortcuts);
  useEffect(() => {
    latest.current = shortcuts;
  });
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      // A dialog has the keyboard for itself; Escape closes it and stops nothing behind it.
      if (document.querySelector("dialog[open]")) return;
      const { onNew, onSettings, onUsage, onEscape } = latest.current;
      const command = event.ctrlKey || event.metaKey;
      if (command && event.key.toLowerCase() === "n") onNew();
      else if (command && event.key === ",") onSettings();
      else if (command && event.key.toLowerCase() === "u") onUsage();
      else if (event.key === "Escape") onEscape();
      else return;
      event.preventDefault();
    };
    window.addEventListener("keydown", onKeyDown);
    return () => window.removeEventListener("keydown", onKeyDown);
  }, []);
}
