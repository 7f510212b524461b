// How long a test waits for an event before it counts as hanging. Nothing is measured with it: a
// busy machine may take a while.

import { configure } from "@testing-library/react";
import { vi } from "vitest";

export const HANGS_MS = 60_000;

configure({ asyncUtilTimeout: HANGS_MS });

/** Waits until `check` no longer throws. */
export function until(check: () => void): Promise<void> {
  return vi.waitFor(check, { timeout: HANGS_MS });
}
