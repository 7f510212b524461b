// How much a model may think, in the words that are shown.

import type { Thinking } from "../host/protocol";

export type Level = Exclude<Thinking, number>;

export const levels: readonly { value: Level; label: string }[] = [
  { value: "off", label: "Off" },
  { value: "minimal", label: "Minimal" },
  { value: "low", label: "Low" },
  { value: "medium", label: "Medium" },
  { value: "high", label: "High" },
  { value: "xhigh", label: "Extra high" },
  { value: "max", label: "Maximum" },
];
