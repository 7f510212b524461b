// The web view's entry: picks the host, starts the store, draws the window.

import "./design/index.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { AppWindow } from "./app";
import type { Host } from "./host/host";
import { Store } from "./state/store";
import { StoreProvider } from "./state/use";

async function pickHost(): Promise<Host> {
  // A plain browser has no Rust behind it; `?fake=<scene>` shows the window there. The build
  // leaves this branch, and with it the fake, out.
  if (import.meta.env.DEV && new URLSearchParams(location.search).has("fake")) {
    const { sceneHost } = await import("./host/scenes");
    return sceneHost(new URLSearchParams(location.search).get("fake") ?? "");
  }
  const { tauriHost } = await import("./host/tauri");
  return tauriHost;
}

const root = document.getElementById("root");
if (!root) throw new Error("index.html has no root element.");
const store = new Store(await pickHost());
createRoot(root).render(
  <StrictMode>
    <StoreProvider value={store}>
      <AppWindow />
    </StoreProvider>
  </StrictMode>,
);
await store.start();
