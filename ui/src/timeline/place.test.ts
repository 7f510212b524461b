import { describe, expect, it } from "vitest";
import { follows, isAtEnd, settledTop } from "./place";

const at = (scrollTop: number, scrollHeight = 1000, clientHeight = 400) => ({
  scrollTop,
  scrollHeight,
  clientHeight,
});

describe("the reader's place", () => {
  it.each([
    ["the very end", at(600), true],
    ["within reach of it", at(560), true],
    ["just out of reach", at(559), false],
    ["a page shorter than the window", at(0, 300), true],
  ])("knows %s", (_, metrics, expected) => expect(isAtEnd(metrics)).toBe(expected));

  it.each([
    ["the reader moves up", true, 600, at(500), false],
    ["the reply grew before the scroll was heard", true, 600, at(600, 1400), true],
    ["the reader comes back to the end", false, 300, at(580), true],
    ["the reader moves down but not to the end", false, 100, at(300), false],
  ])("when %s", (_, following, lastTop, metrics, expected) =>
    expect(follows(following, lastTop, metrics)).toBe(expected),
  );

  it.each([
    ["follows a growing reply", true, 0, at(600, 1200), 800],
    ["stays when the reply grows below", false, 0, at(100, 1200), 100],
    ["moves with what is put before", false, 350, at(100, 1350), 450],
    ["moves with what folds above", false, -80, at(300, 920), 220],
  ])("%s", (_, following, shift, metrics, expected) =>
    expect(settledTop(following, shift, metrics)).toBe(expected),
  );
});
