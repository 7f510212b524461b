import { act, fireEvent } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { EventWriter, FakeHost, fakeSession } from "../host/fake";
import { expectAccessible } from "../testing/accessible";
import { draw } from "../testing/draw";
import { OFFER } from "./removed";

function host(): FakeHost {
  const made = new FakeHost();
  made.startup.sessions = [
    fakeSession("a"),
    fakeSession("b", { updatedAt: "2025-01-01T00:00:00Z" }),
  ];
  for (const session of made.startup.sessions) {
    const event = new EventWriter(session.id).write(
      { type: "user_message", content: "hi", source: "demo", model: "demo" },
      { turn: "t" },
    );
    const events = [event];
    made.snapshots.set(session.id, { session, watch: 1, events, growing: [], hasEarlier: false });
  }
  return made;
}

async function drawList() {
  const drawn = await draw(host());
  const titles = () =>
    drawn
      .queryAllByTestId("session-item")
      .map((item) => item.querySelector(".truncate")?.textContent);
  const remove = (at: number) =>
    act(async () => drawn.getAllByTestId("session-delete")[at]?.click());
  const undo = (target: Element | Window = window) =>
    act(async () => void fireEvent.keyDown(target, { key: "z", ctrlKey: true }));
  return { ...drawn, titles, remove, undo };
}

describe("a deleted session", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("leaves at once and comes back by a click", async () => {
    const { host: asked, titles, remove, get, find } = await drawList();
    await remove(0);
    expect(titles()).toEqual(["Session b"]);
    expect(document.activeElement?.textContent).toContain("Session b");
    expect(get("removed").textContent).toContain("Deleted “Session a”");
    await act(async () => get("undo-delete").click());
    expect(asked.askedOf("restore")).toEqual([["a"]]);
    expect(titles()).toEqual(["Session a", "Session b"]);
    expect(find("removed")).toBeNull();
  });

  it("comes back to the screen if it was there", async () => {
    const { store, remove, undo, get } = await drawList();
    await act(() => store.open("a"));
    await remove(0);
    expect(get("welcome")).toBeTruthy();
    await undo();
    expect(store.app.open).toEqual({ id: "a", stage: "open" });
  });

  it("comes back by the keyboard, the last one first", async () => {
    const { titles, remove, undo } = await drawList();
    await remove(0);
    await remove(0);
    expect(titles()).toEqual([]);
    await undo();
    expect(titles()).toEqual(["Session b"]);
    await undo();
    expect(titles()).toEqual(["Session a", "Session b"]);
  });

  it("leaves what is being written alone", async () => {
    const { host: asked, remove, undo, get } = await drawList();
    await remove(0);
    const composer = get("composer");
    fireEvent.change(composer, { target: { value: "words" } });
    await undo(composer);
    expect(asked.askedOf("restore")).toEqual([]);
  });

  it("is offered for ten seconds, and longer while one is about to take it", async () => {
    const { remove, undo, host: asked, get, find } = await drawList();
    await remove(0);
    act(() => void vi.advanceTimersByTime(OFFER - 1));
    fireEvent.pointerEnter(get("removed"));
    act(() => void vi.advanceTimersByTime(OFFER));
    fireEvent.pointerLeave(get("removed"));
    act(() => void vi.advanceTimersByTime(OFFER - 1));
    expect(find("removed")).not.toBeNull();
    act(() => void vi.advanceTimersByTime(1));
    expect(find("removed")).toBeNull();
    await undo();
    expect(asked.askedOf("restore")).toEqual([]);
  });

  it("stays when it could not be deleted, and says so", async () => {
    const { host: asked, titles, remove, get, find } = await drawList();
    asked.refuse("remove", { code: "busy", message: "It is answering elsewhere." });
    await remove(0);
    expect(titles()).toHaveLength(2);
    expect(find("removed")).toBeNull();
    expect(get("notice").textContent).toContain("elsewhere");
  });
});

it("is read well", async () => {
  const { remove } = await drawList();
  await remove(0);
  await act(expectAccessible);
});

describe("a fork from the list", () => {
  it("is opened, and knows where it comes from", async () => {
    const { host: asked, store, get, getAllByTestId } = await drawList();
    await act(async () => getAllByTestId("session-fork")[1]?.click());
    expect(asked.askedOf("fork")).toEqual([["b", null]]);
    expect(store.app.open.id).toBe("fork of b");
    const from = get("forked-from");
    expect(from.getAttribute("aria-label")).toBe("Forked from “Session b”");
    await act(async () => from.click());
    expect(store.app.open.id).toBe("b");
  });
});
