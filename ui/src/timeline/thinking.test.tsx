import { act, cleanup, fireEvent, render } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { ThinkingBlock } from "../state/block";
import { Thinking } from "./thinking";

const block = (change: Partial<ThinkingBlock>): ThinkingBlock => ({
  kind: "thinking",
  key: "thinking-0",
  index: 0,
  html: { pieces: ["<p>why</p>"], tail: "" },
  content: "why",
  growing: true,
  startedAt: 0,
  redacted: false,
  eventIndex: 1,
  ...change,
});

beforeEach(() => vi.useFakeTimers({ now: 0 }));
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

const pass = (ms: number) => act(() => vi.advanceTimersByTime(ms));

function draw(first: ThinkingBlock) {
  const { rerender, getByTestId } = render(<Thinking block={first} />);
  return {
    isOpen: () => getByTestId("thinking").dataset.open === "true",
    label: () => getByTestId("thinking-toggle").textContent,
    text: () => getByTestId("thinking").textContent,
    toggle: () => fireEvent.click(getByTestId("thinking-toggle")),
    show: (next: ThinkingBlock) => rerender(<Thinking block={next} />),
  };
}

const finished = block({ growing: false, durationMs: 5200 });

it("counts the seconds while it grows, then says how long it took", () => {
  const drawn = draw(block({}));
  expect(drawn.label()).toBe("Thinking… 0s");
  pass(3000);
  expect(drawn.label()).toBe("Thinking… 3s");
  drawn.show(finished);
  expect(drawn.label()).toBe("Thought for 5s");
});

it("is open while it grows and folds 500 ms after", () => {
  const drawn = draw(block({}));
  expect(drawn.isOpen()).toBe(true);
  drawn.show(finished);
  pass(499);
  expect(drawn.isOpen()).toBe(true);
  pass(1);
  expect(drawn.isOpen()).toBe(false);
  drawn.toggle();
  expect(drawn.isOpen()).toBe(true);
});

it("stays as the user left it", () => {
  const closed = draw(block({}));
  closed.toggle();
  closed.show(finished);
  pass(1000);
  expect(closed.isOpen()).toBe(false);
});

it("stays open when the user opened it again", () => {
  const drawn = draw(block({}));
  drawn.toggle();
  drawn.toggle();
  drawn.show(finished);
  pass(1000);
  expect(drawn.isOpen()).toBe(true);
});

it("is closed when it was finished before it was seen, and not made until opened", () => {
  const drawn = draw(finished);
  expect(drawn.isOpen()).toBe(false);
  expect(drawn.text()).not.toContain("why");
});

it("says that redacted thinking is sealed", () => {
  const drawn = draw(block({ growing: false, durationMs: 1000, redacted: true, content: "" }));
  expect(drawn.label()).toBe("Thought for 1s, redacted");
  drawn.toggle();
  expect(drawn.text()).toContain("sealed");
});
