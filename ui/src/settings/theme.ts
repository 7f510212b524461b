// Writes the theme on the root element; "system" follows the system as it changes.

import { useEffect } from "react";
import type { Theme } from "../host/protocol";

export function useTheme(theme: Theme): void {
  useEffect(() => {
    const dark = window.matchMedia("(prefers-color-scheme: dark)");
    const apply = () => {
      const followed = dark.matches ? "dark" : "light";
      document.documentElement.dataset.theme = theme === "system" ? followed : theme;
    };
    apply();
    dark.addEventListener("change", apply);
    return () => dark.removeEventListener("change", apply);
  }, [theme]);
}
