import { act, cleanup, fireEvent } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { EventWriter, FakeHost, fakeSession } from "../host/fake";
import type { EventBody, Shown } from "../host/protocol";
import { draw } from "../testing/draw";
import { MOUNTED_BLOCKS } from "./hidden";
import { shortInput } from "./tool_text";

// Counts how often a card is drawn.
vi.mock("./tool_text", async (original) => {
  const real = await original<typeof import("./tool_text")>();
  return { ...real, shortInput: vi.fn(real.shortInput) };
});

const turn = "t";
const MOST = MOUNTED_BLOCKS.head + MOUNTED_BLOCKS.tail + 20;

const call = (n: number): EventBody => ({
  type: "tool_use",
  toolCallId: `c${n}`,
  toolName: "look",
  input: { at: n },
  executedBy: "weir",
});
const asks = (n: number): EventBody => ({
  type: "permission_request",
  toolCallId: `c${n}`,
  toolName: "look",
  input: { at: n },
  reason: "A rule asks.",
});

async function drawCalls(count: number, more: (writer: EventWriter) => Shown[] = () => []) {
  const host = new FakeHost();
  const session = fakeSession("s", { status: "running" });
  host.startup.sessions = [session];
  const writer = new EventWriter("s");
  const prompt: EventBody = { type: "user_message", content: "Go", source: "demo", model: "demo" };
  const asked = writer.write(prompt, { turn });
  const calls = Array.from({ length: count }, (_, n) => writer.write(call(n), { turn, block: n }));
  const events = [asked, ...calls, ...more(writer)];
  host.snapshots.set("s", { session, watch: 1, events, growing: [], hasEarlier: false });
  const drawn = await draw(host);
  await act(() => drawn.store.open("s"));
  const cards = () => [...drawn.container.querySelectorAll("[data-testid=tool]")];
  const push = (event: Shown) => act(() => host.push({ watch: 1, events: [event] }));
  return { ...drawn, writer, cards, push };
}

afterEach(cleanup);

it("mounts the beginning and the end of a reply with thousands of calls", async () => {
  const { cards, get, store } = await drawCalls(2000);
  expect(cards().length).toBeLessThanOrEqual(MOST);
  expect(cards().at(0)?.textContent).toContain("look0");
  expect(cards().at(-1)?.textContent).toContain("look1999");
  expect(store.turn(turn)?.blocks.length).toBe(2000);
  const before = cards().length;
  act(() => void fireEvent.click(get("show-more")));
  expect(cards().length).toBe(before + MOUNTED_BLOCKS.step);
});

it("mounts all of an ordinary reply", async () => {
  const { cards, find } = await drawCalls(100);
  expect(cards().length).toBe(100);
  expect(find("show-more")).toBeNull();
});

it("shows a call that waits for the user, wherever it stands", async () => {
  const waiting = 500;
  const { cards } = await drawCalls(2000, (writer) => [writer.write(asks(waiting), { turn })]);
  const card = cards().find((it) => it.textContent?.includes(`look${waiting}`));
  expect(card?.getAttribute("data-progress")).toBe("waiting");
});

it("draws one card when one call comes, not all of them", async () => {
  const { writer, push, cards } = await drawCalls(120);
  vi.mocked(shortInput).mockClear();
  push(writer.write(call(120), { turn, block: 120 }));
  expect(cards().length).toBe(121);
  expect(vi.mocked(shortInput).mock.calls.length).toBeLessThanOrEqual(2);
});
