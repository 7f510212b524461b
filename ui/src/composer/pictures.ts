// Pictures on their way into a prompt: which files can go, and why the others cannot, in words.
// Rust checks again; here a person learns it before anything is sent.

import { pictureKinds } from "../design/picture";
import type { Image } from "../host/protocol";

export const MOST_PICTURES = 20;
/** What becomes 5 MiB of base64. */
export const LARGEST_PICTURE = (5 * 1024 * 1024 * 3) / 4;

export type Taken = { readonly images: readonly Image[]; readonly trouble?: string };

/** Reads what can be sent, in order, and says what of the rest was wrong. */
export async function readPictures(files: readonly File[]): Promise<Taken> {
  const read = await Promise.all(
    files.map(async (file) => {
      const wrong = troubleOf(file);
      return wrong ?? ((await readImage(file)) || `${nameOf(file)} could not be read.`);
    }),
  );
  const troubles = read.filter((result) => typeof result === "string");
  const images = read.filter((result) => typeof result !== "string");
  return { images, trouble: troubles.length > 0 ? troubles.join(" ") : undefined };
}

/** Adds pictures to those held, as far as there is room. */
export function addPictures(held: readonly Image[], { images, trouble }: Taken): Taken {
  const room = Math.max(0, MOST_PICTURES - held.length);
  const over = images.length - room;
  if (over <= 0) return { images: [...held, ...images], trouble };
  const left = over === 1 ? "One was left out." : `${over} were left out.`;
  const many = `At most ${MOST_PICTURES} pictures go with one prompt. ${left}`;
  return {
    images: [...held, ...images.slice(0, room)],
    trouble: trouble ? `${trouble} ${many}` : many,
  };
}

function troubleOf(file: File): string | undefined {
  if (!kindOf(file)) {
    return `${nameOf(file)} cannot be sent: Weir sends PNG, JPEG, GIF and WebP pictures.`;
  }
  if (file.size === 0) return `${nameOf(file)} is empty.`;
  if (file.size > LARGEST_PICTURE) {
    return `${nameOf(file)} is larger than 3.7 MB, more than providers take. Make it smaller.`;
  }
  return undefined;
}

function kindOf({ type }: File): string | undefined {
  return pictureKinds.find((kind) => kind === (type === "image/jpg" ? "image/jpeg" : type));
}

function nameOf({ name }: File): string {
  return name === "" ? "The picture" : `“${name}”`;
}

/** Nothing when the file cannot be read, for instance since it is gone. */
function readImage(file: File): Promise<Image | undefined> {
  return new Promise((resolve) => {
    const reader = new FileReader();
    reader.onerror = () => resolve(undefined);
    reader.onload = () => {
      const url = String(reader.result);
      const data = url.slice(url.indexOf(",") + 1);
      resolve({ mediaType: kindOf(file) ?? file.type, data });
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
