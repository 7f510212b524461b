// Pictures on their way into a prompt: which files can go, and why the others cannot, in words.
// Rust checks again; here a person learns it before anything is sent.

import { type PictureKind, pictureKinds } from "../design/picture";
import type { Image } from "../host/protocol";

export const MOST_PICTURES = 20;
/** What becomes 5 MiB of base64. */
export const LARGEST_PICTURE = (5 * 1024 * 1024 * 3) / 4;
/** What all pictures of one prompt may have together, in base64. */
export const MOST_DATA = 15 * 1024 * 1024;

export type Taken = { readonly images: readonly Image[]; readonly trouble?: string };

/** Reads what can be sent, in order, and says what of the rest was wrong. */
export async function readPictures(files: readonly File[]): Promise<Taken> {
  const read = await Promise.all(files.map(readPicture));
  const images = read.filter((result) => typeof result !== "string");
  return { images, trouble: inOne(read.filter((result) => typeof result === "string")) };
}

/** Adds pictures to those held, as far as there is room. */
export function addPictures(held: readonly Image[], { images, trouble }: Taken): Taken {
  const kept = [...held];
  let data = held.reduce((all, image) => all + image.data.length, 0);
  const left = { many: 0, large: 0 };
  for (const image of images) {
    if (kept.length >= MOST_PICTURES) left.many += 1;
    else if (data + image.data.length > MOST_DATA) left.large += 1;
    else {
      kept.push(image);
      data += image.data.length;
    }
  }
  const troubles = [
    trouble,
    leftOut(`At most ${MOST_PICTURES} pictures go with one prompt.`, left.many),
    leftOut("Together the pictures of one prompt may be 11.2 MB.", left.large),
  ];
  return { images: kept, trouble: inOne(troubles) };
}

function leftOut(why: string, count: number): string | undefined {
  if (count === 0) return undefined;
  return `${why} ${count === 1 ? "One was left out." : `${count} were left out.`}`;
}

/** What was wrong, one sentence after the other, or nothing. */
export function inOne(troubles: readonly (string | undefined)[]): string | undefined {
  const words = troubles.filter((trouble) => trouble !== undefined);
  return words.length > 0 ? words.join(" ") : undefined;
}

/** The picture, or why the file cannot be sent. */
async function readPicture(file: File): Promise<Image | string> {
  const name = file.name === "" ? "The picture" : `“${file.name}”`;
  const none = `${name} cannot be sent: Weir sends PNG, JPEG, GIF and WebP pictures.`;
  if (file.size === 0) return `${name} is empty.`;
  if (file.size > LARGEST_PICTURE) {
    if (!mayBePicture(file)) return none;
    return `${name} is larger than 3.7 MB, more than providers take. Make it smaller.`;
  }
  const data = await readData(file);
  if (data === undefined) return `${name} could not be read.`;
  const mediaType = kindOf(data);
  return mediaType ? { mediaType, data } : none;
}

/** As far as the system says, which knows a file by its name only. */
function mayBePicture({ type }: File): boolean {
  return type === "" || type === "image/jpg" || pictureKinds.some((kind) => kind === type);
}

/** How each kind begins, a character for a byte. */
const beginnings: Readonly<Record<PictureKind, (start: string) => boolean>> = {
  "image/png": (start) => start.startsWith("\x89PNG\r\n\x1a\n"),
  "image/jpeg": (start) => start.startsWith("\xff\xd8\xff"),
  "image/gif": (start) => start.startsWith("GIF87a") || start.startsWith("GIF89a"),
  "image/webp": (start) => start.startsWith("RIFF") && start.startsWith("WEBP", 8),
};

/** The kind of a picture by what it holds, as Rust sees it too, whatever its file is called. */
function kindOf(data: string): PictureKind | undefined {
  const start = atob(data.slice(0, 16));
  return pictureKinds.find((kind) => beginnings[kind](start));
}

/** Base64, or nothing when the file cannot be read, for instance since it is gone. */
function readData(file: File): Promise<string | undefined> {
  return new Promise((resolve) => {
    const reader = new FileReader();
    reader.onerror = () => resolve(undefined);
    reader.onload = () => {
      const [, data] = String(reader.result).split(",", 2);
      resolve(data);
    };
    reader.readAsDataURL(file);
  });
}

/**
 * The files that were copied or dragged. Office programs add a picture of the text one copies;
 * who copied formatted text wants the text.
 */
export function filesOf(transfer: DataTransfer): readonly File[] {
  const { types, files } = transfer;
  const formatted = types.includes("text/html") || types.includes("text/rtf");
  return formatted && types.includes("text/plain") ? [] : [...files];
}
