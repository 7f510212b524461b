import { act, fireEvent } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { EventWriter, FakeHost, fakeSession } from "../host/fake";
import type { EventBody } from "../host/protocol";
import { expectAccessible } from "../testing/accessible";
import { draw } from "../testing/draw";
import { budgetWords } from "./budget";

type Said = Extract<EventBody, { type: "budget" }>;

const said = (change: Partial<Said>): Said => ({
  type: "budget",
  level: "warning",
  name: "today",
  limit: 0.01,
  spent: 0.0085,
  unit: "dollars",
  ...change,
});

const turn = "t";

async function drawStopped() {
  const host = new FakeHost();
  const session = fakeSession("s");
  host.startup.sessions = [session];
  const writer = new EventWriter("s");
  const events = [
    writer.write({ type: "user_message", content: "Read.", source: "demo", model: "m" }, { turn }),
    writer.write(said({}), { turn }),
    writer.write(said({ level: "spent", spent: 0.0112 }), { turn }),
    writer.write({ type: "complete", stopReason: "budget" }, { turn }),
  ];
  host.snapshots.set("s", { session, watch: 1, events, growing: [], hasEarlier: false });
  const drawn = await draw(host);
  await act(() => drawn.store.open("s"));
  return drawn;
}

const spent = { code: "budget", message: "The budget for today is spent: $0.0112 of $0.0100." };
const declined = { code: "declined", message: "Nothing was changed." };

describe("a budget", () => {
  it.each<[Said, string]>([
    [said({}), "The budget for today is nearly spent: $0.0085 of $0.0100."],
    [
      said({ level: "spent", unit: "tokens", spent: 12_300, limit: 12_000 }),
      "The budget for today is spent: 12.3k tokens of 12k tokens.",
    ],
    [
      said({ level: "spent", needed: 2.5 }),
      "The next step alone would take about $2.50, and the budget for today is $0.0100.",
    ],
    [
      said({ level: "raised" }),
      "Gone on past the budget for today this once: $0.0085 of $0.0100 were spent.",
    ],
    [
      said({ level: "unpriced", model: "m" }),
      "The price of m is not known, so the budget of $0.0100 for today cannot count what it costs.",
    ],
    [
      said({ level: "uncounted", model: "m" }),
      "The price of m is not known: what it costs does not count towards the budget for today.",
    ],
    [
      said({ level: "unpriced", model: "m", ownTools: true }),
      "The provider of m charges for its own tools beyond the tokens, so the budget of $0.0100 for today cannot count all that it costs.",
    ],
    [
      said({ level: "uncounted", model: "m", ownTools: true }),
      "The provider of m charges for its own tools beyond the tokens: that does not count towards the budget for today.",
    ],
  ])("says %#", (event, words) => expect(budgetWords(event)).toBe(words));

  it("warns and stops in quiet lines, and goes on once with the user's word", async () => {
    const { getAllByTestId, get, host } = await drawStopped();
    const levels = getAllByTestId("budget").map((line) => line.dataset.level);
    expect(levels).toEqual(["warning", "spent"]);
    expect(get("stop-note").textContent).toContain("A budget stopped the turn here");
    await expectAccessible();
    host.refuse("goOverBudget", declined);
    await act(async () => fireEvent.click(get("continue-once")));
    expect(host.askedOf("send")).toEqual([]);
    await act(async () => fireEvent.click(get("continue-once")));
    expect(host.askedOf("goOverBudget")).toEqual([["s"], ["s"]]);
    expect(host.askedOf("send")).toHaveLength(1);
  });

  it("leaves a refused prompt in the composer, one click from going on", async () => {
    const { get, find, host } = await draw();
    const area = get("composer") as HTMLTextAreaElement;
    const press = (testId: string) => act(async () => fireEvent.click(get(testId)));
    fireEvent.change(area, { target: { value: "Why?" } });
    host.refuse("send", spent);
    await press("send");
    expect(get("composer-error").textContent).toContain("Your prompt is still here.");
    expect(area.value).toBe("Why?");
    await expectAccessible();
    host.refuse("goOverBudget", declined);
    await press("go-on-once");
    expect(host.askedOf("send")).toHaveLength(1);
    expect(area.value).toBe("Why?");
    host.snapshots.set("new", {
      session: fakeSession("new"),
      watch: 1,
      events: [],
      growing: [],
      hasEarlier: false,
    });
    await press("go-on-once");
    expect(host.askedOf("goOverBudget")).toEqual([[null], [null]]);
    expect(host.askedOf("send").map(([, prompt]) => prompt)).toEqual(["Why?", "Why?"]);
    expect(find("go-on-once")).toBeNull();
  });
});
