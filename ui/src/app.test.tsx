import { act, fireEvent } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { EventWriter, FakeHost, fakeSession } from "./host/fake";
import type { EventBody, SessionSummary } from "./host/protocol";
import { expectAccessible } from "./testing/accessible";
import { draw } from "./testing/draw";

const turn = "t";
const prompt: EventBody = { type: "user_message", content: "Why?", source: "demo", model: "demo" };
const cited =
  '<p>So<button type="button" class="cite" data-cite="1">1</button>, see <a href="https://a.example/x">this</a>.</p>';
const code =
  '<figure class="code"><figcaption><span>rust</span><button type="button" data-act="wrap">Wrap</button><button type="button" data-act="copy">Copy</button></figcaption><pre><code>let a = 1;</code></pre></figure>';

function replying(end: EventBody, change: Partial<SessionSummary> = {}): FakeHost {
  const host = new FakeHost();
  const w = new EventWriter("s");
  const session = fakeSession("s", { title: "Why", ...change });
  host.startup.sessions = [session, fakeSession("other", { updatedAt: "2025-01-01T00:00:00Z" })];
  const events = [
    w.write(prompt, { turn }),
    w.write({ type: "thinking", content: "x", durationMs: 900 }, { turn, block: 0 }),
    w.write(
      {
        type: "tool_use",
        toolCallId: "c",
        toolName: "read",
        input: { path: "a" },
        executedBy: "source",
      },
      { turn, block: 1 },
    ),
    w.write(
      {
        type: "tool_result",
        toolCallId: "c",
        toolName: "read",
        result: "x\n".repeat(30),
        isError: false,
        durationMs: 4,
      },
      { turn },
    ),
    w.write(
      {
        type: "message",
        content: "So.",
        citations: [{ url: "https://a.example/x", title: "A page", citedText: "quoted", raw: {} }],
      },
      { turn, block: 2, rendered: { run: 2, from: 0, pieces: [cited, code], tail: "" } },
    ),
    w.write(end, { turn }),
  ];
  host.snapshots.set("s", { session, watch: 1, events, growing: [], hasEarlier: false });
  return host;
}

async function drawReply(end: EventBody = { type: "complete", stopReason: "end_turn" }) {
  const drawn = await draw(replying(end));
  await act(() => drawn.store.open("s"));
  return drawn;
}

const press = (target: Element | Window, key: string, more = {}) =>
  act(async () => void fireEvent.keyDown(target, { key, ...more }));

describe("the states of the window", () => {
  it("says why it could not start", async () => {
    const host = new FakeHost();
    host.startError = { code: "newer_database", message: "Install the newest Weir." };
    const { get } = await draw(host);
    expect(get("startup-error").textContent).toContain("Install the newest Weir.");
  });

  it("welcomes, and tries the demo", async () => {
    const { host, get } = await draw();
    await act(async () => get("try-demo").click());
    expect(host.askedOf("send")).toEqual([[null, "Show me everything", []]]);
  });

  it.each<[string, EventBody, string]>([
    ["stopped-note", { type: "complete", stopReason: "cancelled" }, "Stopped"],
    ["stop-note", { type: "complete", stopReason: "max_tokens" }, "length limit"],
    [
      "interrupted-note",
      { type: "error", error: { code: "interrupted", message: "Weir closed. All is kept." } },
      "All is kept.",
    ],
    [
      "error-card",
      { type: "error", error: { code: "network", message: "It broke." } },
      "It broke.",
    ],
  ])("shows a %s", async (testId, end, words) => {
    const { get } = await drawReply(end);
    expect(get(testId).textContent).toContain(words);
  });

  it("leads from a missing key to the settings", async () => {
    const { get } = await drawReply({
      type: "error",
      error: { code: "no_key", message: "No key." },
    });
    await act(async () => get("error-card").querySelector("button")?.click());
    expect(get("settings")).toBeTruthy();
  });

  it("offers a copy of a database that was lost", async () => {
    const { host, get, getAllByTestId } = await draw();
    const message = "The database was deleted while Weir was using it.";
    act(() => host.push({ notices: [{ code: "database_lost", message }] }));
    await act(async () => get("save-copy").click());
    expect(host.asked.some(({ command }) => command === "saveCopy")).toBe(true);
    const notices = getAllByTestId("notice").map(({ textContent }) => textContent);
    expect(notices).toHaveLength(2);
    expect(notices[1]).toContain("saved in a copy");
  });

  it("shows notices until they are dismissed", async () => {
    const { host, get, find } = await draw();
    act(() => host.push({ notices: [{ code: "storage", message: "Moved aside." }] }));
    await act(async () => get("notice").querySelector("button")?.click());
    expect(find("notice")).toBeNull();
  });
});

describe("inside the reply", () => {
  it("opens no link by itself but asks Rust", async () => {
    const { host, get } = await drawReply();
    const link = get("text-run").querySelector("a");
    const went = link && fireEvent.click(link);
    expect(went).toBe(false);
    expect(host.asked.at(-1)).toEqual({ command: "openLink", with: ["https://a.example/x"] });
  });

  it("shows where a statement comes from, and gives focus back", async () => {
    const { host, get, find } = await drawReply();
    const mark = get("text-run").querySelector<HTMLElement>(".cite");
    await act(async () => mark?.click());
    const popover = get("citation-popover");
    expect(popover.textContent).toContain("A page");
    expect(popover.textContent).toContain("a.example");
    expect(popover.textContent).toContain("quoted");
    await press(popover, "Escape");
    expect(find("citation-popover")).toBeNull();
    expect(document.activeElement).toBe(mark);
    expect(host.asked.some(({ command }) => command === "stop")).toBe(false);
  });

  it("wraps code and shows the rest of a long result", async () => {
    const { get } = await drawReply();
    get("text-run").querySelector<HTMLElement>("[data-act=wrap]")?.click();
    expect(get("text-run").querySelector("figure")?.hasAttribute("data-wrap")).toBe(true);
    fireEvent.click(get("tool-toggle"));
    expect(get("tool").textContent).toContain("Show 19 more lines");
  });
});

describe("the keyboard", () => {
  it("opens settings and begins a session from anywhere", async () => {
    const { store, get } = await drawReply();
    await press(window, "n", { ctrlKey: true });
    expect(store.app.open.id).toBeNull();
    await press(window, ",", { metaKey: true });
    expect(get("settings")).toBeTruthy();
  });

  it("walks, renames and deletes in the list", async () => {
    const { host, get, getAllByTestId } = await drawReply();
    const lines = () =>
      getAllByTestId("session-item").map((item) =>
        item.querySelector<HTMLElement>(".session-open"),
      );
    const [first, second] = lines();
    first?.focus();
    await press(first as Element, "ArrowDown");
    expect(document.activeElement).toBe(second);
    await press(second as Element, "ArrowUp");
    await press(first as Element, "F2");
    const input = get("rename-input") as HTMLInputElement;
    input.value = "Because";
    await press(input, "Enter");
    expect(host.asked.at(-1)).toEqual({ command: "rename", with: ["s", "Because"] });
    expect(lines()[0]?.textContent).toContain("Because");
    await press(lines()[0] as Element, "Delete");
    expect(host.asked.at(-1)).toEqual({ command: "remove", with: ["s"] });
    expect(lines()).toHaveLength(1);
    expect(get("welcome")).toBeTruthy();
  });
});

describe("accessibility", () => {
  it.each(["welcome", "reply", "settings", "models", "delete", "citation", "error"])(
    "finds nothing on %s",
    async (state) => {
      const end: EventBody =
        state === "error"
          ? { type: "error", error: { code: "network", message: "It broke." } }
          : { type: "complete", stopReason: "end_turn" };
      const { get, getAllByTestId } = state === "welcome" ? await draw() : await drawReply(end);
      if (state === "settings") fireEvent.click(get("open-settings"));
      if (state === "models") {
        fireEvent.click(get("open-settings"));
        fireEvent.keyDown(get("settings-model"), { key: "ArrowDown" });
      }
      if (state === "delete") fireEvent.click(getAllByTestId("session-delete")[0] as Element);
      if (state === "citation") get("text-run").querySelector<HTMLElement>(".cite")?.click();
      if (state === "reply") fireEvent.click(get("thinking-toggle"));
      await act(expectAccessible);
    },
  );

  it("tells a screen reader how the reply ended, once", async () => {
    const { host, container } = await drawReply();
    const live = () => container.querySelector("[aria-live=polite]")?.textContent;
    act(() => host.push({ sessions: [fakeSession("s", { status: "running" })] }));
    expect(live()).toBe("Answering.");
    act(() => host.push({ sessions: [fakeSession("s")] }));
    expect(live()).toBe("The reply is finished.");
  });
});
