import { act, fireEvent } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { EventWriter, FakeHost, fakeSession } from "../host/fake";
import type { EventBody, SessionStatus } from "../host/protocol";
import { expectAccessible } from "../testing/accessible";
import { draw } from "../testing/draw";

const images = [{ mediaType: "image/png", data: "iVBORw0KGgoAAAANSUhEUg==" }];
const asked = (content: string, replaces?: string): EventBody => ({
  type: "user_message",
  content,
  source: "demo",
  model: "demo",
  images,
  replaces,
});
const complete: EventBody = { type: "complete", stopReason: "end_turn" };

async function drawSession(status: SessionStatus = "idle") {
  const host = new FakeHost();
  const writer = new EventWriter("s");
  const session = fakeSession("s", { status });
  host.startup.sessions = [session];
  const events = [
    writer.write(asked("one"), { turn: "t1" }),
    writer.write(complete, { turn: "t1" }),
    writer.write(asked("two"), { turn: "t2" }),
    ...(status === "idle" ? [writer.write(complete, { turn: "t2" })] : []),
  ];
  const branches = [{ turn: "t2", turns: ["t0", "t2", "t3"] }];
  const snapshot = { session, watch: 1, events, growing: [], hasEarlier: false };
  host.snapshots.set("s", { ...snapshot, branches });
  const drawn = await draw(host);
  await act(() => drawn.store.open("s"));
  const prompts = () => drawn.getAllByTestId("user-message").map((prompt) => prompt.textContent);
  const click = (testId: string, at: number) =>
    act(async () => drawn.getAllByTestId(testId)[at]?.click());
  return { ...drawn, host, writer, events, session, prompts, click };
}

const press = (target: Element, key: string) =>
  act(async () => void fireEvent.keyDown(target, { key }));

describe("a prompt", () => {
  it("is edited in its place, with its pictures, and the reply begins anew", async () => {
    const { host, writer, get, find, prompts, click } = await drawSession();
    await click("edit-prompt", 0);
    const area = get("edit-area");
    expect(document.activeElement).toBe(area);
    fireEvent.change(area, { target: { value: "one, better" } });
    await press(area, "Enter");
    expect(host.askedOf("edit")).toEqual([["s", "t1", "one, better", images]]);
    expect(find("prompt-editor")).toBeNull();
    expect(document.activeElement).toBe(get("composer"));

    const event = writer.write(asked("one, better", "t1"), { turn: "t4" });
    act(() => host.push({ watch: 1, events: [event] }));
    expect(prompts()).toEqual(["one, better"]);
    expect(get("branch").textContent).toBe("Branch 2/2");
    expect(host.askedOf("openSession")).toHaveLength(1);
  });

  it("is left as it was by Escape, and the keyboard is where it was", async () => {
    const { host, get, find, getAllByTestId, click } = await drawSession();
    await click("edit-prompt", 1);
    await press(get("edit-area"), "Escape");
    expect(find("prompt-editor")).toBeNull();
    expect(document.activeElement).toBe(getAllByTestId("edit-prompt")[1]);
    expect(host.askedOf("edit")).toEqual([]);
    expect(host.askedOf("stop")).toEqual([]);
  });

  it("stays in the editor when it is refused", async () => {
    const { host, get, click } = await drawSession();
    await click("edit-prompt", 0);
    host.refuse("edit", { code: "no_key", message: "There is no key." });
    await act(async () => get("send-edit").click());
    expect(get("prompt-editor").textContent).toContain("There is no key.");
  });

  it("is asked again, and forked", async () => {
    const { host, store, get, click } = await drawSession();
    await click("ask-again", 1);
    expect(host.askedOf("askAgain")).toEqual([["s", "t2"]]);
    expect(document.activeElement).toBe(get("composer"));
    await click("fork-here", 0);
    expect(host.askedOf("fork")).toEqual([["s", "t1"]]);
    expect(store.app.open.id).toBe("fork of s");
  });

  it("waits until the turn is over", async () => {
    const { get, queryAllByTestId } = await drawSession("running");
    expect(queryAllByTestId("edit-prompt")).toEqual([]);
    expect(queryAllByTestId("ask-again")).toEqual([]);
    expect(queryAllByTestId("fork-here")).toHaveLength(1);
    expect(get("branch-next").hasAttribute("disabled")).toBe(true);
  });
});

describe("branches", () => {
  it("are gone to, and the keyboard goes along", async () => {
    const { host, writer, events, session, get, prompts } = await drawSession();
    expect(get("branch").textContent).toBe("Branch 2/3");
    get("branch-next").focus();
    await act(async () => get("branch-next").click());
    expect(host.askedOf("chooseBranch")).toEqual([["s", "t3"]]);

    const other = writer.write(asked("two, other"), { turn: "t3" });
    const choice = writer.write({ type: "branch_choice", turn: "t3" });
    host.snapshots.set("s", {
      session,
      watch: 2,
      events: [...events.slice(0, 2), other],
      growing: [],
      hasEarlier: false,
      lastSequence: choice.sequenceNumber,
      branches: [{ turn: "t3", turns: ["t0", "t2", "t3"] }],
    });
    await act(async () => host.push({ watch: 1, events: [other, choice] }));
    expect(prompts()).toEqual(["one", "two, other"]);
    expect(get("branch").textContent).toBe("Branch 3/3");
    expect(get("branch-next").hasAttribute("disabled")).toBe(true);
    expect(document.activeElement).toBe(get("branch-previous"));
  });
});

it.each(["prompt", "editor"])("is read well: %s", async (state) => {
  const { click } = await drawSession();
  if (state === "editor") await click("edit-prompt", 0);
  await act(expectAccessible);
});
