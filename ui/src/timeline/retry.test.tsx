import { act, cleanup, fireEvent } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { EventWriter, FakeHost, fakeSession } from "../host/fake";
import type { EventBody, Shown } from "../host/protocol";
import { expectAccessible } from "../testing/accessible";
import { draw } from "../testing/draw";

const turn = "t";
const prompt: EventBody = { type: "user_message", content: "Why?", source: "demo", model: "demo" };
const message: EventBody = { type: "message", content: "Half an ans" };
const rendered = { run: 0, from: 0, pieces: ["<p>Half an ans</p>"], tail: "" };
const failure = (code: string): EventBody => ({
  type: "error",
  error: { code, message: "The connection broke." },
});
const retry = (attempt: number, delayMs: number): EventBody => ({
  type: "retry",
  attempt,
  mostAttempts: 2,
  delayMs,
  error: { code: "overloaded", message: "Overloaded." },
});

async function drawSession(
  status: "running" | "failed" | "interrupted",
  write: (w: EventWriter) => Shown[],
) {
  const host = new FakeHost();
  const session = fakeSession("s", { status });
  host.startup.sessions = [session];
  const writer = new EventWriter("s");
  const events = [writer.write(prompt, { turn, at: 0 }), ...write(writer)];
  host.snapshots.set("s", { session, watch: 1, events, growing: [], hasEarlier: false });
  const drawn = await draw(host);
  await act(() => drawn.store.open("s"));
  const live = () => drawn.container.querySelector("[aria-live=polite]")?.textContent;
  const push = (event: Shown) => act(() => host.push({ watch: 1, events: [event] }));
  return { ...drawn, writer, live, push };
}

afterEach(cleanup);

describe("a step that is asked again", () => {
  beforeEach(() => vi.useFakeTimers({ now: 0, toFake: ["Date", "setInterval", "clearInterval"] }));
  afterEach(() => vi.useRealTimers());
  const pass = (ms: number) => act(() => vi.advanceTimersByTime(ms));

  it("counts down, says it once, and is gone with the next thing", async () => {
    const { writer, push, get, find, live } = await drawSession("running", () => []);
    expect(find("retry")).toBeNull();
    push(writer.write(retry(1, 4000), { turn, at: 0 }));
    expect(get("retry").textContent).toBe("Overloaded.Trying again in 4 s (1 of 2)");
    const said = "Overloaded. Trying again in 4 s, 1 of 2.";
    expect(live()).toBe(said);
    pass(2500);
    expect(get("retry").textContent).toContain("in 2 s (1 of 2)");
    expect(live()).toBe(said);
    pass(2000);
    expect(get("retry").textContent).toContain("Trying again… (1 of 2)");
    push(writer.write(retry(2, 8000), { turn, at: 4500 }));
    expect(get("retry").textContent).toContain("in 8 s (2 of 2)");
    expect(live()).toContain("2 of 2");
    push(writer.write({ type: "message_chunk", content: "Half" }, { turn, block: 0, rendered }));
    expect(find("retry")).toBeNull();
  });

  it("counts on from where it is after a reload", async () => {
    vi.setSystemTime(3000);
    const { get } = await drawSession("running", (w) => [w.write(retry(1, 8000), { turn, at: 0 })]);
    expect(get("retry").textContent).toContain("in 5 s (1 of 2)");
  });

  it.each<[string, (w: EventWriter) => Shown[]]>([
    ["an error", (w) => [w.write(retry(1, 500), { turn }), w.write(failure("network"), { turn })]],
    ["a block", (w) => [w.write(retry(1, 500), { turn }), w.write(message, { turn, block: 0 })]],
  ])("is over with %s", async (_, write) => {
    const { find } = await drawSession("failed", write);
    expect(find("retry")).toBeNull();
  });
});

describe("a reply that broke off", () => {
  const broken = (code: string) => (w: EventWriter) => [
    w.write(message, { turn, block: 0, rendered }),
    w.write(failure(code), { turn }),
  ];

  it.each<["failed" | "interrupted", string, string]>([
    ["failed", "network", "error-card"],
    ["interrupted", "interrupted", "interrupted-note"],
  ])("is gone on with when it %s", async (status, code, place) => {
    const { host, get } = await drawSession(status, broken(code));
    const button = get("continue");
    expect(get(place).contains(button)).toBe(true);
    await act(async () => void fireEvent.click(button));
    expect(host.askedOf("send")).toEqual([["s", "Go on where you stopped.", []]]);
    await act(expectAccessible);
  });

  it("says why it cannot be gone on with", async () => {
    const { host, get } = await drawSession("failed", broken("network"));
    host.refuse("send", { code: "no_key", message: "There is no key." });
    await act(async () => void fireEvent.click(get("continue")));
    expect(get("notice").textContent).toContain("There is no key.");
  });

  it.each<[string, "running" | "failed", (w: EventWriter) => Shown[]]>([
    ["when nothing arrived", "failed", (w) => [w.write(failure("network"), { turn })]],
    ["while the next turn runs", "running", broken("network")],
    [
      "when another turn came after it",
      "failed",
      (w) => [...broken("network")(w), w.write(prompt, { turn: "u" })],
    ],
  ])("offers nothing %s", async (_, status, write) => {
    const { find } = await drawSession(status, write);
    expect(find("continue")).toBeNull();
  });
});
