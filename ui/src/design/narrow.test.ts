import { describe, expect, it } from "vitest";
import { firstEntry, isWhole, MOST_ENTRIES, narrow } from "./narrow";

const options = ["claude-opus", "claude-sonnet", "gpt-5-mini"];
const any = "Whatever is loaded";
const labels = (typed: string | null, empty?: string) =>
  narrow({ options, value: "claude-opus", empty }, typed).entries.map(({ label }) => label);

describe("a list of names", () => {
  it.each<[string, string | null, string[]]>([
    ["is whole before anything is typed", null, options],
    ["is whole when all was deleted", " ", options],
    [
      "has what contains the words, however written",
      "SON clau",
      ["claude-sonnet", "Use “SON clau”"],
    ],
    ["has the very name alone", "gpt-5-mini", ["gpt-5-mini"]],
    ["lets one use another name", "gpt-5", ["gpt-5-mini", "Use “gpt-5”"]],
    ["lets one use a name like no other", "next", ["Use “next”"]],
  ])("%s", (_, typed, expected) => expect(labels(typed)).toEqual(expected));

  it("offers to name none where that is a choice", () => {
    expect(labels(null, any)).toEqual([any, ...options]);
    expect(labels("gpt-5-mini", any)).toEqual(["gpt-5-mini"]);
  });

  it("stays empty where there is nothing to choose from", () => {
    expect(narrow({ options: [], value: "" }, "x").entries).toEqual([]);
  });

  it("is cut, says by how much, and keeps what is chosen in sight", () => {
    const many = Array.from({ length: 400 }, (_, at) => `m${at}`);
    const { entries, more } = narrow({ options: many, value: "m399" }, null);
    expect(entries.slice(0, 2).map(({ value }) => value)).toEqual(["m399", "m0"]);
    expect(entries).toHaveLength(MOST_ENTRIES);
    expect(more).toBe(400 - MOST_ENTRIES);
  });
});

it.each<[string, number]>([
  ["", -1],
  ["claude", 0],
  ["claude-sonnet", 0],
  ["gpt", 0],
])("Enter after %j takes entry %i", (typed, at) => {
  expect(firstEntry(narrow({ options, value: "" }, typed).entries, typed)).toBe(at);
});

it("takes the very name before one that only contains it", () => {
  const { entries } = narrow({ options: ["gpt-5-mini", "gpt-5"], value: "" }, "gpt-5");
  expect(firstEntry(entries, "gpt-5")).toBe(1);
});

it.each<[string, boolean]>([
  ["", true],
  ["claude-opus", true],
  ["next", true],
  ["claude", false],
  ["gpt-5", false],
])("%j is a name by itself: %s", (typed, whole) => expect(isWhole(options, typed)).toBe(whole));
