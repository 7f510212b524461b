import { expect, it, vi } from "vitest";
import type { ErrorBody, Image } from "../host/protocol";
import { later } from "../testing/later";
import { pictureData, pictureFile } from "../testing/picture";
import { DraftKeeper } from "./draft";
import { readPictures, type Taken } from "./pictures";

vi.mock("./pictures", async (original) => {
  const pictures = await original<typeof import("./pictures")>();
  return { ...pictures, readPictures: vi.fn(pictures.readPictures) };
});

const png: Image = { mediaType: "image/png", data: pictureData("image/png") };
const gif: Image = { mediaType: "image/gif", data: pictureData("image/gif") };

/** The next pictures are read when the test says so. */
function readLater() {
  const { promise, settle } = later<Taken>();
  vi.mocked(readPictures).mockReturnValueOnce(promise);
  return settle;
}

const deliver = () => vi.fn(async (): Promise<ErrorBody | undefined> => undefined);

it("sends with the pictures that are still being read, and waits for no others", async () => {
  const draft = new DraftKeeper();
  draft.write("what?");
  const first = readLater();
  const second = readLater();
  const third = readLater();
  void draft.attach([]);
  void draft.attach([]);
  const delivered = deliver();
  const sent = draft.send(delivered);
  expect(draft.now.sending).toBe(true);
  const next = draft.attach([]);
  draft.write("what? And");
  // They come in their order, whichever is read first.
  second({ images: [gif] });
  await new Promise((resolve) => setTimeout(resolve));
  expect(draft.now.images).toEqual([]);
  expect(delivered).not.toHaveBeenCalled();
  first({ images: [png] });
  await sent;
  expect(delivered.mock.calls).toEqual([["what?", [png, gif]]]);
  expect(draft.now).toMatchObject({ text: "what? And", images: [], sending: false });
  third({ images: [png] });
  await next;
  expect(draft.now.images).toEqual([png]);
});

it("does not send when a picture it waited for cannot go, and sends when asked again", async () => {
  const draft = new DraftKeeper();
  draft.write("what?");
  const [first, second] = [readLater(), readLater()];
  void draft.attach([]);
  void draft.attach([]);
  const delivered = deliver();
  const sent = draft.send(delivered);
  first({ images: [], trouble: "“a” is empty." });
  second({ images: [png] });
  await sent;
  expect(delivered).not.toHaveBeenCalled();
  expect(draft.now).toMatchObject({
    text: "what?",
    images: [png],
    trouble: "“a” is empty.",
    sending: false,
  });
  await draft.send(delivered);
  expect(delivered.mock.calls).toEqual([["what?", [png]]]);
  expect(draft.now).toEqual({ text: "", images: [], sending: false });
});

it("does not send twice", async () => {
  const draft = new DraftKeeper();
  draft.write("what?");
  const answer = later<ErrorBody | undefined>();
  const delivered = vi.fn(() => answer.promise);
  const both = [draft.send(delivered), draft.send(delivered)];
  answer.settle(undefined);
  await Promise.all(both);
  expect(delivered).toHaveBeenCalledOnce();
});

it("keeps what was refused, with the reason, until it is sent again", async () => {
  const draft = new DraftKeeper();
  draft.write("what?");
  await draft.attach([pictureFile("a.png")]);
  const error = { code: "bad_input", message: "Too long." };
  await draft.send(async () => error);
  expect(draft.now).toEqual({
    text: "what?",
    images: [png],
    trouble: undefined,
    refusal: error,
    sending: false,
  });
  const delivered = deliver();
  const sent = draft.send(delivered);
  expect(draft.now.refusal).toBeUndefined();
  await sent;
  expect(delivered.mock.calls).toEqual([["what?", [png]]]);
});

it("tells who listens, until they no longer do", () => {
  const draft = new DraftKeeper();
  const listener = vi.fn();
  const leave = draft.subscribe(listener);
  draft.write("a");
  leave();
  draft.write("b");
  expect(listener).toHaveBeenCalledOnce();
  expect(draft.now.text).toBe("b");
});

it("lets go of the reason once nothing is left of what was refused", async () => {
  const draft = new DraftKeeper();
  draft.write("a key");
  await draft.send(async () => ({ code: "blocked", message: "A guard holds this back." }));
  draft.write("a ke");
  expect(draft.now.refusal?.code).toBe("blocked");
  draft.write(" ");
  expect(draft.now.refusal).toBeUndefined();
});
