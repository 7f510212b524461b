import { describe, expect, it } from "vitest";
import { countDone, readLines } from "./todos";

const marks = { open: "☐", under_way: "◐", done: "☑", cancelled: "☒" };

/** What is told, with the list in brackets. */
function read(...lines: string[]): string {
  const { before, todos, after } = readLines(lines.join("\n"));
  const list = todos.map(({ state, words }) => `${marks[state]} ${words}`);
  return [...before, `[${list.join(", ")}]`, ...after].join(" | ");
}

describe("the lines of a processing block", () => {
  it.each<[string, string[], string]>([
    ["nothing", [""], "[]"],
    ["steps alone", ["Read", "", "Write"], "Read | Write | []"],
    ["a list", ["☐ a", "☐ b"], "[☐ a, ☐ b]"],
    ["every mark", ["☐ a", "◐ b", "☑ c", "☒ d"], "[☐ a, ◐ b, ☑ c, ☒ d]"],
    ["a list told again", ["☐ a", "☐ b", "☑ a", "◐ b"], "[☑ a, ◐ b]"],
    ["a list told again and again", ["☐ a", "◐ a", "☑ a"], "[☑ a]"],
    ["a list that grows", ["☐ a", "☐ a", "☐ b", "◐ a", "☐ b", "☐ c"], "[◐ a, ☐ b, ☐ c]"],
    ["a list that shrinks", ["☐ a", "☐ b", "☐ c", "☑ a", "◐ c"], "[☑ a, ◐ c]"],
    ["a list that is replaced", ["☑ a", "☑ b", "☐ b", "☐ c"], "[☐ b, ☐ c]"],
    [
      "steps around lists",
      ["Plan", "☐ a", "☐ b", "Read", "☑ a", "☐ b"],
      "Plan | [☑ a, ☐ b] | Read",
    ],
    ["one todo done", ["☐ a", "☐ b", "☐ c", "☑ b"], "[☐ a, ☑ b, ☐ c]"],
    ["two todos done", ["☐ a", "☐ b", "☐ c", "☑ a", "☑ b"], "[☑ a, ☑ b, ☐ c]"],
    ["one done, then the list", ["☐ a", "☐ b", "☑ b", "☐ a", "☑ b"], "[☐ a, ☑ b]"],
    ["a mark within a line", ["Ticks ☑ off"], "Ticks ☑ off | []"],
  ])("%s", (_, lines, expected) => expect(read(...lines)).toBe(expected));

  it("knows whether a list or a step came last", () => {
    expect(readLines("☐ a\nRead\n").endsInList).toBe(false);
    expect(readLines("Read\n☐ a\n").endsInList).toBe(true);
  });
});

it("counts what is done of what still counts", () => {
  expect(countDone(readLines("☑ a\n☑ b\n☐ c\n◐ d\n☒ e").todos)).toEqual({ done: 2, of: 4 });
});
