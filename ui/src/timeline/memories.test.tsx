import { act, fireEvent } from "@testing-library/react";
import { expect, it } from "vitest";
import { EventWriter, FakeHost, fakeMemory, fakeSession } from "../host/fake";
import type { EventBody, SessionStatus } from "../host/protocol";
import { expectAccessible } from "../testing/accessible";
import { draw } from "../testing/draw";

const tea = fakeMemory("tea", "I prefer tea.", { kind: "preference" });
const heron = fakeMemory("heron", "The database is called heron.");

async function open(ids: string[], said: EventBody[] = [], status: SessionStatus = "idle") {
  const host = new FakeHost();
  host.remembered = [tea, heron];
  const writer = new EventWriter("s");
  const asked: EventBody = { type: "user_message", content: "Hi", source: "demo", model: "demo" };
  const bodies: EventBody[] = [asked, { type: "memories", memories: ids }, ...said];
  const events = bodies.map((body, block) => writer.write(body, { turn: "t", block }));
  const session = fakeSession("s", { status });
  host.startup.sessions = [session];
  host.snapshots.set("s", { session, watch: 1, events, growing: [], hasEarlier: false });
  const drawn = await draw(host);
  await act(() => drawn.store.open("s"));
  const click = (testId: string, at = 0) =>
    act(async () => drawn.getAllByTestId(testId)[at]?.click());
  const unfold = () =>
    act(async () => void fireEvent.click(drawn.get("memories").querySelector("button") as Element));
  const lines = () => drawn.queryAllByTestId("memory-content").map((row) => row.textContent);
  return { ...drawn, click, unfold, lines };
}

it("is one quiet line at the head of the turn that opens to the list", async () => {
  const reply: EventBody = { type: "message", content: "Hello." };
  const { host, get, unfold, lines } = await open(["tea", "heron"], [reply]);
  expect(get("memories").textContent).toBe("2 memories went with this");
  expect(host.askedOf("memoriesById")).toEqual([]);
  expect(document.querySelector(".turn")?.textContent).toMatch(/Hi.*2 memories.*Hello\./s);
  await unfold();
  expect(host.askedOf("memoriesById")).toEqual([[["tea", "heron"]]]);
  expect(lines()).toEqual(["I prefer tea.", "The database is called heron."]);
  await act(expectAccessible);
});

it("says of one memory that it is one, and how many are gone", async () => {
  const { get, unfold, lines } = await open(["gone"]);
  expect(get("memories").textContent).toBe("1 memory went with this");
  await unfold();
  expect(lines()).toEqual([]);
  expect(get("memories-gone").textContent).toBe("1 has been forgotten since.");
});

it("is edited in place, with the keyboard alone", async () => {
  const { host, get, find, click, unfold, lines } = await open(["tea"]);
  await unfold();
  await click("memory-edit");
  const field = get("memory-text");
  expect(document.activeElement).toBe(field);
  fireEvent.change(field, { target: { value: "I prefer coffee." } });
  await act(async () => void fireEvent.keyDown(field, { key: "Enter" }));
  expect(host.askedOf("editMemory")).toEqual([["tea", "I prefer coffee."]]);
  expect(lines()).toEqual(["I prefer coffee."]);
  await click("memory-edit");
  await act(async () => void fireEvent.keyDown(get("memory-text"), { key: "Escape" }));
  expect(find("memory-text")).toBeNull();
});

it("says why an edit is refused, and keeps what was typed", async () => {
  const { host, get, click, unfold, getByRole } = await open(["tea"]);
  await unfold();
  await click("memory-edit");
  fireEvent.change(get("memory-text"), { target: { value: "a key" } });
  host.refuse("editMemory", { code: "blocked", message: "A guard finds something." });
  await click("memory-save");
  expect(getByRole("alert").textContent).toBe("A guard finds something.");
  expect((get("memory-text") as HTMLTextAreaElement).value).toBe("a key");
});

it("is forgotten only when one is sure", async () => {
  const { host, get, find, click, unfold, lines } = await open(["tea", "heron"]);
  await unfold();
  await click("memory-forget");
  expect(document.activeElement?.textContent).toBe("Keep");
  await act(async () => (document.activeElement as HTMLElement).click());
  expect(find("memory-forget-sure")).toBeNull();
  expect(host.askedOf("forget")).toEqual([]);
  await click("memory-forget");
  await act(expectAccessible);
  await click("memory-forget-sure");
  expect(host.askedOf("forget")).toEqual([[{ forget: "one", id: "tea" }]]);
  expect(lines()).toEqual(["The database is called heron."]);
  expect(get("memories-gone").textContent).toBe("1 has been forgotten since.");
});

it("forgets with one memory all that its session left", async () => {
  const { host, get, click, unfold, lines } = await open(["tea", "heron"]);
  await unfold();
  await click("memory-forget");
  await click("memory-forget-session");
  expect(host.askedOf("forget")).toEqual([[{ forget: "session", session: "s1" }]]);
  expect(lines()).toEqual([]);
  expect(get("memories-gone").textContent).toBe("2 have been forgotten since.");
});

it("does not pass for the beginning of the reply", async () => {
  const { getByText } = await open(["tea"], [], "running");
  expect(getByText("Waiting for the first words")).toBeTruthy();
});
