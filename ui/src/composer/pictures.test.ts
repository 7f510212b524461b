import { describe, expect, it } from "vitest";
import { HI, pictureFile, transfer } from "../testing/picture";
import { afterSending } from "./draft";
import { addPictures, filesOf, LARGEST_PICTURE, MOST_PICTURES, readPictures } from "./pictures";

const image = (mediaType: string, data = HI) => ({ mediaType, data });

describe("files that are to be sent", () => {
  it.each(["image/png", "image/jpeg", "image/gif", "image/webp"])("are read: %s", async (type) => {
    expect(await readPictures([pictureFile("a", type)])).toEqual({
      images: [image(type)],
      trouble: undefined,
    });
  });

  it("are read under the name that providers know", async () => {
    const { images } = await readPictures([pictureFile("a.jpg", "image/jpg")]);
    expect(images).toEqual([image("image/jpeg")]);
  });

  const large = new Uint8Array(LARGEST_PICTURE + 1);
  it.each<[File, string]>([
    [
      pictureFile("a.svg", "image/svg+xml"),
      "“a.svg” cannot be sent: Weir sends PNG, JPEG, GIF and WebP pictures.",
    ],
    [
      pictureFile("notes", ""),
      "“notes” cannot be sent: Weir sends PNG, JPEG, GIF and WebP pictures.",
    ],
    [pictureFile("a.png", "image/png", ""), "“a.png” is empty."],
    [
      pictureFile("b.png", "image/png", large),
      "“b.png” is larger than 3.7 MB, more than providers take. Make it smaller.",
    ],
    [
      pictureFile("", "image/tiff"),
      "The picture cannot be sent: Weir sends PNG, JPEG, GIF and WebP pictures.",
    ],
  ])("are refused in words", async (file, trouble) => {
    expect(await readPictures([file])).toEqual({ images: [], trouble });
  });

  it("may be as large as providers take", async () => {
    const whole = pictureFile("a", "image/png", new Uint8Array(LARGEST_PICTURE));
    const { images } = await readPictures([whole]);
    expect(images[0]?.data).toHaveLength(5 * 1024 * 1024);
  });

  it("go in their order, without the ones that cannot", async () => {
    const { images, trouble } = await readPictures([
      pictureFile("a", "image/webp"),
      pictureFile("b.pdf", "application/pdf"),
      pictureFile("c", "image/gif"),
    ]);
    expect(images.map(({ mediaType }) => mediaType)).toEqual(["image/webp", "image/gif"]);
    expect(trouble).toContain("b.pdf");
  });

  it.each<[number, number, number, string | undefined]>([
    [0, 2, 2, undefined],
    [19, 1, 20, undefined],
    [19, 2, 20, "At most 20 pictures go with one prompt. One was left out."],
    [20, 3, 20, "At most 20 pictures go with one prompt. 3 were left out."],
  ])("%i and %i more are %i", (held, more, kept, trouble) => {
    const some = (count: number) => Array.from({ length: count }, () => image("image/png"));
    const added = addPictures(some(held), { images: some(more) });
    expect(added.images).toHaveLength(kept);
    expect(added.trouble).toBe(trouble);
    expect(MOST_PICTURES).toBe(20);
  });

  it.each<[string, string[], number]>([
    ["a picture", ["Files"], 1],
    ["a picture from a page", ["text/html", "Files"], 1],
    ["a file with its name", ["text/plain", "Files"], 1],
    ["text that an office program made a picture of", ["text/plain", "text/html", "Files"], 0],
  ])("are taken from a clipboard with %s: %j", (_, types, count) => {
    expect(filesOf(transfer([pictureFile("a")], types))).toHaveLength(count);
  });
});

it("what was added while a prompt was on its way is the next one", () => {
  const [first, second] = [image("image/png"), image("image/png")];
  const sent = { text: "a", images: [first] };
  expect(afterSending(sent, sent)).toEqual({ text: "", images: [] });
  expect(afterSending({ text: "ab", images: [first, second] }, sent)).toEqual({
    text: "ab",
    images: [second],
  });
});
