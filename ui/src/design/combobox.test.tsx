import { act, cleanup, fireEvent, render } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { expectAccessible } from "../testing/accessible";
import { later } from "../testing/later";
import { Combobox } from "./combobox";

afterEach(cleanup);

const options = ["claude-opus", "claude-sonnet", "gpt-5-mini"];

function draw(value = "claude-sonnet", empty?: string, list = options) {
  const onCommit = vi.fn(async (_: string) => {});
  const field = (offered: string[]) => (
    <main>
      <Combobox
        label="Model"
        testId="model"
        value={value}
        options={offered}
        empty={empty}
        note="A note."
        onCommit={onCommit}
      />
    </main>
  );
  const drawn = render(field(list));
  const change = (offered: string[]) => drawn.rerender(field(offered));
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
  return { ...drawn, input, shown, marked, press, type, committed, onCommit, change };
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

  it.each<[string, string[], string | undefined, string]>([
    ["son", [], "claude-sonnet", "claude-sonnet"],
    ["claude", [], undefined, "claude"],
    ["claude", ["ArrowDown"], "claude-opus", "claude-opus"],
    ["claude", ["ArrowDown", "ArrowDown"], "claude-sonnet", "claude-sonnet"],
    ["claude", ["ArrowUp"], "Use “claude”", "claude"],
    ["claude", ["Escape"], undefined, "claude"],
    ["gpt-6", [], undefined, "gpt-6"],
    ["gpt-6", ["ArrowDown"], "gpt-6.1-sol", "gpt-6.1-sol"],
    ["gpt-5-mini", [], "gpt-5-mini", "gpt-5-mini"],
    [" next ", [], undefined, "next"],
    ["next", ["ArrowDown"], "Use “next”", "next"],
  ])("Enter after %j and %j, with %j marked, takes %j", async (typed, keys, mark, taken) => {
    const list = [...options, "gpt-6.1-sol", "gpt-6.1-luna"];
    const { marked, type, press, committed } = draw("other", undefined, list);
    type(typed);
    for (const key of keys) await press(key);
    expect(marked()).toBe(mark);
    await press("Enter");
    expect(committed()).toEqual([taken]);
  });

  it("marks what the pointer moves to, and nothing that only came under it", async () => {
    const { getAllByRole, getByRole, type, press, marked, committed } = draw("claude-opus");
    const point = (at: number, x: number) =>
      fireEvent.pointerMove(getAllByRole("option")[at] as Element, { clientX: x, clientY: 1 });
    type("claude");
    point(1, 5);
    point(1, 5);
    expect(marked()).toBeUndefined();
    point(1, 6);
    expect(marked()).toBe("claude-sonnet");
    fireEvent.pointerLeave(getByRole("listbox"));
    expect(marked()).toBeUndefined();
    point(1, 7);
    await press("Enter");
    expect(committed()).toEqual(["claude-sonnet"]);
  });

  it("keeps its mark on the name, not on the place, when the list changes", async () => {
    const { type, press, marked, committed, change } = draw("other");
    type("claude");
    await press("ArrowDown");
    change(["claude-haiku", ...options]);
    expect(marked()).toBe("claude-opus");
    // What was the only one that fits is so no longer, and nobody has marked it.
    type("gpt");
    expect(marked()).toBe("gpt-5-mini");
    change(["gpt-6", ...options]);
    expect(marked()).toBeUndefined();
    await press("Enter");
    expect(committed()).toEqual(["gpt"]);
  });

  it("has no two entries under one key", async () => {
    const complain = vi.spyOn(console, "error").mockImplementation(() => {});
    const any = "Whatever is loaded";
    const { shown, press } = draw("a", any, ["a", "b", "a", any]);
    await press("ArrowDown");
    expect(shown()).toEqual([any, "a", "b", any]);
    expect(complain).not.toHaveBeenCalled();
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

  it.each<[string, string, string[], string]>([
    ["a name like no other", "next", ["next"], "claude-sonnet"],
    ["a name of the list", "gpt-5-mini", ["gpt-5-mini"], "claude-sonnet"],
    ["nothing", "", [""], "claude-sonnet"],
    ["half a search", "gpt", [], "gpt"],
    ["half a search for several", "claude", [], "claude"],
    ["what was there", "claude-sonnet ", [], "claude-sonnet"],
  ])("left with %s", async (_, typed, expected, seen) => {
    const { input, type, committed, queryByTestId } = draw();
    type(typed);
    await act(async () => input.blur());
    expect(committed()).toEqual(expected);
    expect(input.value).toBe(seen);
    expect(queryByTestId("model-left")?.textContent).toBe(
      seen === typed
        ? `“${typed}” is not chosen yet: Enter takes it, Escape goes back.`
        : undefined,
    );
  });

  it.each<[string, string[], string]>([
    ["Enter", ["gpt"], "claude-sonnet"],
    ["Escape", [], "claude-sonnet"],
  ])("goes on with what was left when one comes back: %s", async (key, expected, seen) => {
    const { input, type, press, committed, queryByTestId } = draw();
    type("gpt");
    await act(async () => input.blur());
    await act(async () => input.focus());
    expect(queryByTestId("model-left")).toBeNull();
    await press(key);
    expect(committed()).toEqual(expected);
    expect(input.value).toBe(seen);
  });

  it("keeps what is typed while a choice is being taken", async () => {
    const { input, type, press, onCommit } = draw();
    const { promise, settle } = later<void>();
    onCommit.mockReturnValueOnce(promise);
    type("next");
    await press("Enter");
    type("next-2");
    await act(async () => settle());
    expect(input.value).toBe("next-2");
    await act(async () => input.blur());
    expect(onCommit.mock.calls.map(([next]) => next)).toEqual(["next", "next-2"]);
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
