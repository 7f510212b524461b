import { expect, it } from "vitest";
import { EventWriter } from "../host/fake";
import { emptyTurn, foldEvent } from "./turn";

it("reads what was told before the source was asked before all that it said", () => {
  const writer = new EventWriter("s");
  const place = { turn: "t" };
  const events = [
    writer.write({ type: "processing", content: "CLAUDE.md is new.", durationMs: 0 }, place),
    writer.write({ type: "memories", memories: ["m"] }, place),
    writer.write(
      { type: "processing", content: "Looking.", durationMs: 5 },
      { ...place, block: 0 },
    ),
    writer.write({ type: "message", content: "Hi." }, { ...place, block: 1 }),
  ];
  const turn = events.reduce((held, event) => foldEvent(held, event).turn, emptyTurn("t", 1));
  expect(turn.blocks.map(({ kind, index }) => `${kind} ${index}`)).toEqual([
    "memories -2",
    "processing -1",
    "processing 0",
    "text 1",
  ]);
});

it("shows nothing of what the source said and nobody understands", () => {
  const writer = new EventWriter("s");
  const place = { turn: "t" };
  const said = writer.write({ type: "message", content: "Hi." }, { ...place, block: 0 });
  const raw = [
    writer.write({ type: "raw", value: { type: "new" } }, place),
    writer.write({ type: "raw", value: null, isCut: true }, place),
  ];
  const fold = (events: readonly (typeof said)[]) =>
    events.reduce((held, event) => foldEvent(held, event).turn, emptyTurn("t", 1));
  expect(fold([...raw, said, ...raw])).toEqual(fold([said]));
});
