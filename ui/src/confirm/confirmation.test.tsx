import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Confirmation, ConfirmationAnswer } from "../host/protocol";
import { expectAccessible } from "../testing/accessible";
import { ConfirmationView } from "./confirmation";

const request: Confirmation = {
  title: "Trust this folder?",
  subject: {
    label: "Folder",
    name: [{ kind: "text", text: "/src/shop · Asked by Weir’s main window, 09:00" }],
  },
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

async function draw(refuses = false) {
  cleanup();
  answers.length = 0;
  const onAnswer = async (answer: ConfirmationAnswer) => {
    answers.push(answer);
    if (refuses) throw new Error("not waiting");
  };
  await act(async () => render(<ConfirmationView request={request} onAnswer={onAnswer} />));
}

async function passTime(milliseconds = 2000) {
  await act(async () => vi.advanceTimersByTime(milliseconds));
}

/** As a person does, who presses and lets go. */
function click(id: string) {
  const element = screen.getByTestId(id);
  fireEvent.pointerDown(element);
  fireEvent.pointerUp(element);
  fireEvent.click(element);
}

function isReadable(): boolean {
  return screen.getByTestId("accept").getAttribute("aria-disabled") === "false";
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
    click("accept");
    click("cancel");
    fireEvent.keyDown(screen.getByTestId("cancel"), { key: "Escape" });
    expect(answers).toEqual(["too_soon", "too_soon", "too_soon"]);
    expect(isReadable()).toBe(false);
  });

  it.each<[string, () => void]>([
    ["clicking", () => click("accept")],
    ["typing", () => fireEvent.keyDown(screen.getByTestId("accept"), { key: "Enter" })],
    ["gaining the focus", () => fireEvent.focus(window)],
  ])("is not readable as long as %s goes on", async (_, press) => {
    await draw();
    for (let times = 0; times < 40; times += 1) {
      await passTime(100);
      await act(async () => press());
    }
    expect(isReadable()).toBe(false);
    expect(answers).not.toContain("accept");
    await passTime();
    click("accept");
    expect(answers.at(-1)).toBe("accept");
  });

  it("takes no press that began too soon, however late it ends", async () => {
    await draw();
    fireEvent.pointerDown(screen.getByTestId("accept"));
    await passTime();
    expect(isReadable()).toBe(true);
    fireEvent.click(screen.getByTestId("accept"));
    expect(answers).toEqual(["too_soon"]);
    await passTime();
    click("accept");
    expect(answers).toEqual(["too_soon", "accept"]);
  });

  it("begins anew when Rust refuses", async () => {
    await draw(true);
    await passTime();
    await act(async () => click("accept"));
    expect(isReadable()).toBe(false);
  });

  it("quotes the subject apart from its own words", async () => {
    await draw();
    const quoted = document.querySelector("#subject q")?.textContent;
    expect(quoted).toBe("/src/shop · Asked by Weir’s main window, 09:00");
    const own = [...document.querySelectorAll("header p")].at(-1);
    expect(own?.textContent).toMatch(/^Asked by Weir’s main window, /);
    expect(own?.querySelector("q")).toBeNull();
  });

  it("describes the dialog by its subject, its warnings and what would happen", async () => {
    await draw();
    const dialog = screen.getByRole("alertdialog");
    const ids = dialog.getAttribute("aria-describedby")?.split(" ") ?? [];
    const described = ids.map((id) => document.getElementById(id)?.textContent ?? "").join("\n");
    for (const said of ["/src/shop", "This folder is wide.", "sh <b>check</b>", "Nothing else."]) {
      expect(described).toContain(said);
    }
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
    ["Cancel", () => click("cancel"), "cancel"],
    ["the accepting button", () => click("accept"), "accept"],
    ["a screen reader", () => fireEvent.click(screen.getByTestId("accept")), "accept"],
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
