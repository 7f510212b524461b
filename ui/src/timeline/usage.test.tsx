import { act } from "@testing-library/react";
import { expect, it } from "vitest";
import { EventWriter, FakeHost, fakeSession } from "../host/fake";
import { expectAccessible } from "../testing/accessible";
import { draw } from "../testing/draw";

const turn = "t";
const usage = {
  inputTokens: 1000,
  outputTokens: 100,
  reasoningTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  cacheWrite5mTokens: 0,
  cacheWrite1hTokens: 0,
};

async function line(isEstimate?: boolean) {
  const host = new FakeHost();
  const session = fakeSession("s");
  host.startup.sessions = [session];
  const writer = new EventWriter("s");
  const step = { usage, cost: 0.0045, model: "m", durationMs: 900, isEstimate };
  const events = [
    writer.write({ type: "user_message", content: "Why?", source: "demo", model: "m" }, { turn }),
    writer.write({ type: "usage", ...step }, { turn }),
    writer.write({ type: "complete", stopReason: "cancelled", usage, cost: 0.0045 }, { turn }),
  ];
  host.snapshots.set("s", { session, watch: 1, events, growing: [], hasEarlier: false });
  const drawn = await draw(host);
  await act(() => drawn.store.open("s"));
  return drawn.get("usage").textContent;
}

it("marks what its source did not count to the end", async () => {
  expect(await line(true)).toBe("≈1,000 in100 out$0.0045 ");
  await expectAccessible();
});

it("leaves what was counted unmarked", async () => {
  expect(await line()).toBe("1,000 in100 out$0.0045 ");
});
