// How a tool's input and result are written for a person.

import type { ToolBlock } from "../state/block";

/** One line that says what a tool was asked: its only value, or its values by name. */
export function shortInput({ input, inputText }: ToolBlock): string {
  if (input === undefined) return inputText.replace(/\s+/g, " ");
  if (typeof input !== "object" || input === null) return oneLine(input);
  const entries = Object.entries(input);
  if (entries.length === 1 && entries[0]) return oneLine(entries[0][1]);
  return entries.map(([name, value]) => `${name}: ${oneLine(value)}`).join(", ");
}

function oneLine(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  return text.replace(/\s+/g, " ").slice(0, 200);
}

/** Text as it is, a list of text items as their text, everything else as indented JSON. */
export function pretty(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value) && value.length > 0 && value.every(isTextItem)) {
    return value.map((item) => item.text).join("\n");
  }
  return JSON.stringify(value, null, 2) ?? "";
}

function isTextItem(item: unknown): item is { text: string } {
  return (
    typeof item === "object" &&
    item !== null &&
    "type" in item &&
    item.type === "text" &&
    "text" in item &&
    typeof item.text === "string"
  );
}
