import { describe, expect, it } from "vitest";
import { isWhole, MOST_ENTRIES, markFor, narrow } from "./narrow";

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

  it("has each name once, and none that is empty", () => {
    const { entries, more } = narrow({ options: ["a", "", "b", "a"], value: "a" }, null);
    expect(entries.map(({ value }) => value)).toEqual(["a", "b"]);
    expect(more).toBe(0);
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

it.each<[string, string, string[], number]>([
  ["nothing for nothing", "", options, -1],
  ["nothing where several fit", "claude", options, -1],
  ["the very name", "claude-sonnet", options, 0],
  ["the only one that fits", "gpt", options, 0],
  ["nothing where none fits", "next", options, -1],
  ["nothing where there is no list", "next", [], -1],
  ["the very name before one that only contains it", "gpt-5", ["gpt-5-mini", "gpt-5"], 1],
  ["the very name, not one that differs in a letter's size", "GPT-5", ["gpt-5-mini", "gpt-5"], -1],
  [
    "nothing where more fit than are shown",
    "m",
    Array.from({ length: MOST_ENTRIES + 1 }, (_, at) => `m-${at}`),
    -1,
  ],
  ["the only one, though it was told twice", "gpt", ["gpt-5", "gpt-5"], 0],
])("typing marks %s: %j", (_, typed, list, at) => {
  expect(markFor(narrow({ options: list, value: "" }, typed), typed)).toBe(at);
});

it.each<[string, boolean]>([
  ["", true],
  ["claude-opus", true],
  ["next", true],
  ["claude", false],
  ["gpt-5", false],
])("%j is a name by itself: %s", (typed, whole) => expect(isWhole(options, typed)).toBe(whole));
