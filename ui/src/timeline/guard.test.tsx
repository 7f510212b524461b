import { act, fireEvent } from "@testing-library/react";
import { expect, it } from "vitest";
import { EventWriter, FakeHost, fakeSession } from "../host/fake";
import type { Detection, EventBody, Restored, Shown } from "../host/protocol";
import { expectAccessible } from "../testing/accessible";
import { draw } from "../testing/draw";

const email: Detection = {
  rule: "email",
  category: "personal",
  start: 3,
  end: 9,
  placeholder: "[EMAIL_1]",
};
const key: Detection = {
  rule: "anthropic-key",
  category: "secret",
  start: 12,
  end: 20,
  placeholder: "[ANTHROPIC_KEY_1]",
};
const hidden: Detection = { rule: "hidden-text", category: "injection", start: 0, end: 4 };

type Written = readonly [body: EventBody, block?: number, restored?: Restored[]];

const prompt: Written = [
  { type: "user_message", content: "to [EMAIL_1] and [EMAIL_2]", source: "demo", model: "m" },
  undefined,
  [{ placeholder: "[EMAIL_1]", original: "<b>a@b.c</b>" }, { placeholder: "[EMAIL_2]" }],
];

const inPrompt: Written = [
  {
    type: "guardrails_triggered",
    verdict: "redact",
    plugins: ["personal", "secret"],
    detections: [email, key],
    count: 2,
  },
];

async function open(written: readonly Written[]) {
  const host = new FakeHost();
  const writer = new EventWriter("s");
  const session = fakeSession("s");
  const events = written.map(
    ([body, block, restored]): Shown => ({
      ...writer.write(body, { turn: "t", block }),
      ...(restored ? { restored } : {}),
    }),
  );
  host.startup.sessions = [session];
  host.snapshots.set("s", { session, watch: 1, events, growing: [], hasEarlier: false });
  const drawn = await draw(host);
  await act(() => drawn.store.open("s"));
  return drawn;
}

it("says in one quiet line what was replaced, and which rule it was when asked", async () => {
  const { get } = await open([prompt, inPrompt]);
  const line = get("guard");
  expect(line.textContent).toContain("2 items were replaced before sending: email, anthropic key");
  expect(line.textContent).not.toContain("[EMAIL_1]");
  const toggle = line.querySelector("button");
  if (toggle) fireEvent.click(toggle);
  expect(line.textContent).toContain("anthropic-key · secret · [ANTHROPIC_KEY_1]");
  await expectAccessible();
});

it("shows the user's own words, marked with what the provider saw", async () => {
  const { get } = await open([prompt, inPrompt]);
  const message = get("user-message");
  expect(message.textContent).toBe("to <b>a@b.c</b> and [EMAIL_2]");
  const mark = message.querySelector("mark");
  expect(mark?.title).toBe("The provider saw [EMAIL_1]");
  expect(message.querySelector("b")).toBeNull();
});

it("shows what a model said when it is asked for, and takes it back", async () => {
  const { get, host } = await open([prompt]);
  host.originals.set("[EMAIL_2]", "x@y.z");
  const taken = get("user-message").querySelector<HTMLElement>("button.taken");
  if (!taken) throw new Error("no placeholder to press");
  await act(async () => void fireEvent.click(taken));
  expect(host.askedOf("showOriginal")).toEqual([["s", "[EMAIL_2]"]]);
  expect(taken.textContent).toBe("x@y.z");
  await act(async () => void fireEvent.click(taken));
  expect(taken.textContent).toBe("[EMAIL_2]");
});

it("tells of results and replies beside what they were found in", async () => {
  const call: EventBody = {
    type: "tool_use",
    toolCallId: "c",
    toolName: "read_file",
    input: { path: "a" },
    executedBy: "weir",
  };
  const rows: (readonly [Written[], string])[] = [
    [
      [
        [call, 0],
        [
          {
            type: "guardrails_triggered",
            verdict: "warn",
            plugins: ["injection"],
            detections: [hidden],
            count: 1,
            toolCallId: "c",
          },
        ],
      ],
      "A tool's result looks like instructions to the model. What changes things asks first.",
    ],
    [
      [
        [
          {
            type: "output_guardrails_triggered",
            verdict: "redact",
            plugins: ["secret"],
            detections: [key],
            count: 1,
          },
          0,
        ],
      ],
      "1 item was replaced in the reply: anthropic key",
    ],
    [
      [
        [
          {
            type: "output_guardrails_triggered",
            verdict: "block",
            plugins: ["custom"],
            detections: [{ ...hidden, rule: "word", category: "custom" }],
            count: 1,
          },
          0,
        ],
      ],
      "A guard ended the reply: word",
    ],
  ];
  for (const [written, words] of rows) {
    const { get } = await open([prompt, ...written]);
    expect(get("guard").textContent).toBe(words);
  }
});
