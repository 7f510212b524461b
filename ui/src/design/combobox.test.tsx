import { act, cleanup, fireEvent, render } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { expectAccessible } from "../testing/accessible";
import { Combobox } from "./combobox";

afterEach(cleanup);

const options = ["claude-opus", "claude-sonnet", "gpt-5-mini"];

function draw(value = "claude-sonnet", empty?: string) {
  const onCommit = vi.fn(async (_: string) => {});
  const drawn = render(
    <main>
      <Combobox
        label="Model"
        testId="model"
        value={value}
        options={options}
        empty={empty}
        note="A note."
        onCommit={onCommit}
      />
    </main>,
  );
  const input = drawn.getByTestId("model") as HTMLInputElement;
  act(() => input.focus());
  const shown = () => drawn.queryAllByRole("option").map((option) => option.textContent);
  const marked = () => {
    const id = input.getAttribute("aria-activedescendant");
    return id ? document.getElementById(id)?.textContent : undefined;
  };
  /** Whether the key was left to whoever is around the field. */
  const press = async (key: string) => {
    let left = true;
    await act(async () => {
      left = fireEvent.keyDown(input, { key });
    });
    return left;
  };
  const type = (text: string) => fireEvent.change(input, { target: { value: text } });
  const committed = () => onCommit.mock.calls.map(([next]) => next);
  return { ...drawn, input, shown, marked, press, type, committed };
}

describe("a field with a list", () => {
  it("opens with the arrows at what is chosen, and goes round", async () => {
    const { input, shown, marked, press } = draw();
    expect(shown()).toEqual([]);
    expect(input.getAttribute("aria-expanded")).toBe("false");
    await press("ArrowDown");
    expect(input.getAttribute("aria-expanded")).toBe("true");
    expect(shown()).toEqual(options);
    const walk: unknown[] = [marked()];
    for (const key of ["ArrowDown", "ArrowDown", "ArrowUp", "PageUp", "PageUp", "PageDown"]) {
      await press(key);
      walk.push(marked());
    }
    expect(walk).toEqual([
      "claude-sonnet",
      "gpt-5-mini",
      "claude-opus",
      "gpt-5-mini",
      "claude-opus",
      "claude-opus",
      "gpt-5-mini",
    ]);
  });

  it("takes what is marked with Enter", async () => {
    const { shown, press, committed } = draw();
    await press("ArrowDown");
    await press("ArrowDown");
    await press("Enter");
    expect(committed()).toEqual(["gpt-5-mini"]);
    expect(shown()).toEqual([]);
  });

  it.each([
    { typed: "son", mark: "claude-sonnet", taken: "claude-sonnet" },
    { typed: "next", mark: "Use “next”", taken: "next" },
  ])("takes $taken after $typed", async ({ typed, mark, taken }) => {
    const { marked, type, press, committed } = draw("claude-opus");
    type(typed);
    expect(marked()).toBe(mark);
    await press("Enter");
    expect(committed()).toEqual([taken]);
  });

  it("takes a click, and leaves the focus where it was", async () => {
    const { input, getAllByRole, press, committed } = draw();
    await press("ArrowDown");
    const option = getAllByRole("option")[0] as HTMLElement;
    expect(fireEvent.pointerDown(option)).toBe(false);
    await act(async () => option.click());
    expect(committed()).toEqual(["claude-opus"]);
    expect(document.activeElement).toBe(input);
  });

  it("closes with Escape step by step, and only then leaves the key to the dialog", async () => {
    const { input, shown, type, press, committed } = draw();
    type("gpt");
    expect(await press("Escape")).toBe(false);
    expect(shown()).toEqual([]);
    expect(input.value).toBe("gpt");
    expect(await press("Escape")).toBe(false);
    expect(input.value).toBe("claude-sonnet");
    expect(await press("Escape")).toBe(true);
    expect(committed()).toEqual([]);
  });

  it.each<[string, string, string[]]>([
    ["a name like no other", "next", ["next"]],
    ["a name of the list", "gpt-5-mini", ["gpt-5-mini"]],
    ["nothing", "", [""]],
    ["half a search", "gpt", []],
    ["what was there", "claude-sonnet ", []],
  ])("left with %s", async (_, typed, expected) => {
    const { input, type, committed } = draw();
    type(typed);
    await act(async () => void fireEvent.blur(input));
    expect(committed()).toEqual(expected);
    expect(input.value).toBe("claude-sonnet");
  });

  it("does not take a word that is still being composed", async () => {
    const { input, type, committed } = draw();
    type("こん");
    await act(async () => void fireEvent.keyDown(input, { key: "Enter", isComposing: true }));
    expect(committed()).toEqual([]);
  });

  it("says what naming nothing means", async () => {
    const { input, shown, press, type, committed } = draw("claude-opus", "Whatever is loaded");
    expect(input.placeholder).toBe("Whatever is loaded");
    await press("ArrowDown");
    expect(shown()[0]).toBe("Whatever is loaded");
    type("");
    await press("Enter");
    expect(committed()).toEqual([""]);
  });

  it("opens and closes with its button", async () => {
    const { shown, getByLabelText } = draw();
    const button = getByLabelText("Model: show the list");
    fireEvent.click(button);
    expect(shown()).toEqual(options);
    fireEvent.click(button);
    expect(shown()).toEqual([]);
  });

  it("is read well, closed and open", async () => {
    const { press } = draw();
    await act(expectAccessible);
    await press("ArrowDown");
    await act(expectAccessible);
  });
});
