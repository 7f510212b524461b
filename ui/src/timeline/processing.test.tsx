import { act, cleanup, fireEvent, render } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import type { ProcessingBlock } from "../state/block";
import { expectAccessible } from "../testing/accessible";
import { Processing } from "./processing";

afterEach(cleanup);

function draw(content: string, change: Partial<ProcessingBlock> = {}) {
  const block: ProcessingBlock = {
    kind: "processing",
    key: "processing-0",
    index: 0,
    content,
    growing: true,
    eventIndex: 1,
    ...change,
  };
  const drawn = render(
    <main>
      <Processing block={block} />
    </main>,
  );
  const button = drawn.getByRole("button");
  if (button.getAttribute("aria-expanded") === "false") fireEvent.click(button);
  const items = () => drawn.getAllByRole("listitem").map((item) => item.textContent);
  return { ...drawn, items, summary: () => drawn.getByTestId("processing-summary").textContent };
}

const finished = { growing: false, durationMs: 1240 };
const lists = "☐ a\n☐ b\n☐ c\n☑ a\n☑ b\n◐ c\n";

it.each<[string, string, Partial<ProcessingBlock>, string]>([
  ["steps under way", "Read\nWrite\n", {}, "1 of 2 steps"],
  ["steps that are over", "Read\nWrite\n", finished, "2 steps in 1.2 s"],
  ["one step", "Read\n", finished, "1 step in 1.2 s"],
  ["todos under way", lists, {}, "2 of 3 done"],
  ["todos that are over", lists, finished, "2 of 3 done in 1.2 s"],
  ["todos and a step", `${lists}Read\n`, {}, "2 of 3 done"],
])("sums up %s", (_, content, change, words) =>
  expect(draw(content, change).summary()).toBe(words),
);

it("shows the latest list once, with words for its marks", () => {
  const { items, getByTestId } = draw(`Plan\n${lists}Read\n`);
  expect(items()).toEqual(["Plan", "Done: a", "Done: b", "Under way: c", "Read"]);
  const states = [...getByTestId("todos").children].map((item) => item.getAttribute("data-state"));
  expect(states).toEqual(["done", "done", "under_way"]);
});

it("is read well", async () => {
  draw(`Plan\n${lists}☒ d\n☐ e\n`);
  await act(expectAccessible);
});
