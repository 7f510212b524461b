import { act, fireEvent } from "@testing-library/react";
import { expect, it } from "vitest";
import { EventWriter, FakeHost, fakeSession } from "../host/fake";
import type { EventBody, SessionStatus } from "../host/protocol";
import { expectAccessible } from "../testing/accessible";
import { draw } from "../testing/draw";

const call: EventBody = {
  type: "tool_use",
  toolCallId: "c",
  toolName: "write_file",
  input: { path: "notes.md", content: "<b>hi</b>" },
  executedBy: "weir",
};
const request: EventBody = {
  type: "permission_request",
  toolCallId: "c",
  toolName: "write_file",
  input: { path: "notes.md", content: "<b>hi</b>" },
  reason: "No rule says whether it may.",
};
const decided = (
  change: Partial<Extract<EventBody, { type: "permission_decision" }>>,
): EventBody => ({
  type: "permission_decision",
  toolCallId: "c",
  toolName: "write_file",
  decision: "allow",
  scope: "once",
  decidedBy: "user",
  ...change,
});
const interrupted: EventBody = {
  type: "error",
  error: { code: "interrupted", message: "Weir closed in the middle of this reply." },
};

async function open(bodies: EventBody[], status: SessionStatus = "waiting") {
  const host = new FakeHost();
  const writer = new EventWriter("s");
  const session = fakeSession("s", { status });
  const prompt: EventBody = { type: "user_message", content: "Go.", source: "demo", model: "m" };
  const events = [prompt, ...bodies].map((body) =>
    writer.write(body, { turn: "t", block: body.type === "tool_use" ? 0 : undefined }),
  );
  host.startup.sessions = [session];
  host.snapshots.set("s", { session, watch: 1, events, growing: [], hasEarlier: false });
  const drawn = await draw(host);
  await act(() => drawn.store.open("s"));
  return drawn;
}

it("shows what would run, word by word, and why it asks", async () => {
  const { get, host } = await open([call, request]);
  const card = get("permission");
  expect(card.textContent).toContain("write_file waits for your permission");
  expect(card.textContent).toContain("No rule says whether it may.");
  expect(card.querySelector("pre")?.textContent).toContain("<b>hi</b>");
  expect(card.querySelector("b")).toBeNull();
  expect(card.contains(document.activeElement)).toBe(false);
  expect(host.askedOf("decide")).toEqual([]);
});

it.each([
  ["permission-allow-once", "allow", "once"],
  ["permission-allow-session", "allow", "session"],
  ["permission-allow-project", "allow", "project"],
  ["permission-deny-once", "deny", "once"],
])("says %s to the call that waits", async (button, decision, scope) => {
  const { get, host } = await open([call, request]);
  await act(async () => fireEvent.click(get(button)));
  expect(host.askedOf("decide")).toEqual([["s", "t", "c", decision, scope]]);
});

it("tells when an answer comes too late", async () => {
  const { get, host, findByText } = await open([call, request]);
  host.refuse("decide", { code: "not_waiting", message: "This call no longer waits." });
  await act(async () => fireEvent.click(get("permission-allow-once")));
  await findByText("This call no longer waits.");
});

it.each<[string, EventBody[], string]>([
  ["a yes", [decided({})], "You allowed this once."],
  ["a yes for the session", [decided({ scope: "session" })], "You allowed this for this session."],
  [
    "a yes for the project",
    [decided({ scope: "project" })],
    "You always allow this in this project.",
  ],
  ["a no", [decided({ decision: "deny" })], "You did not allow this."],
  ["a rule", [decided({ decision: "deny", decidedBy: "rule" })], "A rule did not allow this."],
  [
    "nobody",
    [decided({ decision: "deny", decidedBy: "nobody" })],
    "The turn ended before you answered.",
  ],
  ["a restart", [interrupted], "Weir closed before you answered."],
])("is one quiet line after %s", async (_, more, words) => {
  const { get, find } = await open([call, request, ...more], "idle");
  expect(find("permission")).toBeNull();
  expect(get("permission-note").textContent).toBe(words);
});

it("lets the turn be stopped while it waits", async () => {
  const { store, host } = await open([call, request]);
  await act(() => store.stop());
  expect(host.askedOf("stop")).toEqual([["s"]]);
});

it("says that earlier messages were summarized, and opens to the summary", async () => {
  const compaction: EventBody = { type: "compaction", content: "They met.", tokensBefore: 9 };
  const { get, queryByText } = await open([compaction, call], "idle");
  expect(queryByText("They met.")).toBeNull();
  fireEvent.click(get("compaction").querySelector("button") as HTMLElement);
  expect(queryByText("They met.")).not.toBeNull();
  const order = get("compaction").compareDocumentPosition(get("tool"));
  expect(order & Node.DOCUMENT_POSITION_FOLLOWING).not.toBe(0);
});

it("is read well", async () => {
  const summary: EventBody = { type: "compaction", content: "They met.", tokensBefore: 9 };
  await open([summary, call, request]);
  await act(expectAccessible);
});
