// Lets any component open the settings without knowing where they are shown.

import { createContext, useContext } from "react";

const OpenSettings = createContext<() => void>(() => {});
export const OpenSettingsProvider = OpenSettings.Provider;

export function useOpenSettings(): () => void {
  return useContext(OpenSettings);
}
