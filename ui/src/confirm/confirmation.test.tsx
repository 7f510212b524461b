import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Confirmation, ConfirmationAnswer } from "../host/protocol";
import { expectAccessible } from "../testing/accessible";
import { ConfirmationView } from "./confirmation";

const request: Confirmation = {
  title: "Trust this folder?",
  subject: [{ kind: "text", text: "/src/shop" }],
  sections: [
    { kind: "warning", heading: "", text: [{ kind: "text", text: "This folder is wide." }] },
    {
      kind: "code",
      heading: "Commands that would run on this machine",
      text: [
        { kind: "text", text: "sh <b>check</b>" },
        { kind: "line_end" },
        { kind: "hidden", name: "U+200B zero width space" },
        { kind: "right_to_left", text: "אב" },
      ],
    },
    {
      kind: "prose",
      heading: "CLAUDE.md",
      text: [{ kind: "text", text: `${"word ".repeat(40_000)}the very end` }],
    },
    { kind: "statement", heading: "", text: [{ kind: "text", text: "Nothing else." }] },
  ],
  accept: "Trust",
  theme: "light",
};

const answers: ConfirmationAnswer[] = [];

async function draw() {
  cleanup();
  answers.length = 0;
  const onAnswer = async (answer: ConfirmationAnswer) => {
    answers.push(answer);
  };
  await act(async () => render(<ConfirmationView request={request} onAnswer={onAnswer} />));
}

async function passTime() {
  await act(async () => vi.advanceTimersByTime(2000));
}

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

describe("the confirmation window", () => {
  it("shows everything as text, whole, and names what is hidden", async () => {
    await draw();
    const text = document.body.textContent ?? "";
    for (const shown of [
      "Trust this folder?",
      "/src/shop",
      "This folder is wide.",
      "sh <b>check</b>↵\nU+200B zero width spaceאב",
      "the very end",
      "Nothing else.",
    ]) {
      expect(text).toContain(shown);
    }
    expect(document.querySelector("blockquote b")).toBeNull();
    expect(document.querySelector("bdi")?.textContent).toBe("אב");
  });

  it("has the focus on Cancel, and takes nothing at first", async () => {
    await draw();
    expect(document.activeElement).toBe(screen.getByTestId("cancel"));
    fireEvent.click(screen.getByTestId("accept"));
    fireEvent.click(screen.getByTestId("cancel"));
    fireEvent.keyDown(screen.getByTestId("cancel"), { key: "Escape" });
    expect(answers).toEqual([]);
    expect(screen.getByTestId("accept").getAttribute("aria-disabled")).toBe("true");
  });

  it.each<[string, () => void, ConfirmationAnswer]>([
    [
      "Escape",
      () =>
        fireEvent.keyDown(document.body.querySelector("[role=alertdialog]") as Element, {
          key: "Escape",
        }),
      "cancel",
    ],
    ["Cancel", () => fireEvent.click(screen.getByTestId("cancel")), "cancel"],
    ["the accepting button", () => fireEvent.click(screen.getByTestId("accept")), "accept"],
  ])("answers by %s", async (_, act, expected) => {
    await draw();
    await passTime();
    act();
    expect(answers).toEqual([expected]);
  });

  it("scrolls by the keyboard from wherever the focus is", async () => {
    await draw();
    const content = screen.getByTestId("content");
    Object.defineProperties(content, {
      clientHeight: { value: 100 },
      scrollHeight: { value: 1000 },
    });
    fireEvent.keyDown(screen.getByTestId("cancel"), { key: "PageDown" });
    expect(content.scrollTop).toBe(90);
    fireEvent.keyDown(screen.getByTestId("cancel"), { key: "End" });
    expect(content.scrollTop).toBe(1000);
  });

  it("is accessible", async () => {
    vi.useRealTimers();
    await draw();
    await expectAccessible();
  });
});
