// How a tool's input and result are written for a person.

import type { ToolBlock } from "../state/block";

/** One line that says what a tool was asked: its only value, or its values by name. */
export function shortInput({ input, inputText }: ToolBlock): string {
  if (input === undefined) return oneLine(inputText);
  if (typeof input !== "object" || input === null) return oneLine(input);
  const entries = Object.entries(input);
  if (entries.length === 1 && entries[0]) return oneLine(entries[0][1]);
  const shown = entries.slice(0, MOST_ENTRIES);
  return shown.map(([name, value]) => `${oneLine(name)}: ${oneLine(value)}`).join(", ");
}

/** More do not fit into one line. */
const MOST_ENTRIES = 20;
const LONGEST_LINE = 200;

function oneLine(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  // Cut twice: a text of megabytes is not searched for white space that nobody sees.
  return text
    .slice(0, 10 * LONGEST_LINE)
    .replace(/\s+/g, " ")
    .slice(0, LONGEST_LINE);
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
