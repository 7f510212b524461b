import { describe, expect, it } from "vitest";
import { bytesOf, pictureData, pictureFile, transfer } from "../testing/picture";
import {
  addPictures,
  filesOf,
  LARGEST_PICTURE,
  MOST_DATA,
  MOST_PICTURES,
  readPictures,
} from "./pictures";

const image = (mediaType: string, data = pictureData(mediaType)) => ({ mediaType, data });

/** The bytes of a picture that is `size` bytes long. */
function bytes(size: number, type = "image/png") {
  const all = new Uint8Array(size);
  all.set(bytesOf(pictureData(type)));
  return all;
}

describe("files that are to be sent", () => {
  it.each(["image/png", "image/jpeg", "image/gif", "image/webp"])("are read: %s", async (type) => {
    expect(await readPictures([pictureFile("a", type)])).toEqual({
      images: [image(type)],
      trouble: undefined,
    });
  });

  it.each<[string, string, string]>([
    ["the name that providers know", "image/jpg", "image/jpeg"],
    ["what they hold, not what they are called", "image/png", "image/webp"],
    ["what they hold when they are called nothing", "", "image/gif"],
    ["what they hold when they are called something else", "text/plain", "image/png"],
  ])("are read as %s", async (_, said, held) => {
    const file = pictureFile("a", said, bytesOf(pictureData(held)));
    expect(await readPictures([file])).toEqual({ images: [image(held)], trouble: undefined });
  });

  it("are read as the older kind of GIF too", async () => {
    const { images } = await readPictures([pictureFile("a", "image/gif", "GIF87a and more")]);
    expect(images[0]?.mediaType).toBe("image/gif");
  });

  const large = bytes(LARGEST_PICTURE + 1);
  it.each<[File, string]>([
    [
      pictureFile("a.svg", "image/svg+xml"),
      "“a.svg” cannot be sent: Weir sends PNG, JPEG, GIF and WebP pictures.",
    ],
    [
      pictureFile("notes", ""),
      "“notes” cannot be sent: Weir sends PNG, JPEG, GIF and WebP pictures.",
    ],
    [
      pictureFile("a.png", "image/png", "<svg>"),
      "“a.png” cannot be sent: Weir sends PNG, JPEG, GIF and WebP pictures.",
    ],
    [
      pictureFile("a.webp", "image/webp", "RIFF\0\0\0\0WAVEfmt "),
      "“a.webp” cannot be sent: Weir sends PNG, JPEG, GIF and WebP pictures.",
    ],
    [
      pictureFile("film", "video/mp4", large),
      "“film” cannot be sent: Weir sends PNG, JPEG, GIF and WebP pictures.",
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
    const whole = pictureFile("a", "image/png", bytes(LARGEST_PICTURE));
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

  const third = MOST_DATA / 3;
  it.each<[string, number[], number[], number[], string | undefined]>([
    ["all there is room for", [third], [third, third], [third, third, third], undefined],
    [
      "no more",
      [third, third],
      [third, 4],
      [third, third, third],
      "Together the pictures of one prompt may be 11.2 MB. One was left out.",
    ],
    [
      "smaller ones that still fit",
      [third, third],
      [third + 4, 8, third, third],
      [third, third, 8],
      "Together the pictures of one prompt may be 11.2 MB. 3 were left out.",
    ],
  ])("are together %s", (_, held, more, kept, trouble) => {
    const some = (sizes: number[]) => sizes.map((size) => image("image/png", "a".repeat(size)));
    const added = addPictures(some(held), { images: some(more) });
    expect(added.images.map(({ data }) => data.length)).toEqual(kept);
    expect(added.trouble).toBe(trouble);
  });

  it("say all that is wrong with them", () => {
    const some = Array.from({ length: 21 }, () => image("image/png"));
    const { trouble } = addPictures([], { images: some, trouble: "“a.png” is empty." });
    expect(trouble).toBe(
      "“a.png” is empty. At most 20 pictures go with one prompt. One was left out.",
    );
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
