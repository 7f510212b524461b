// Pictures as the window shows them: inside their own address, so that nothing is loaded.

import type { Image } from "../host/protocol";

/** The kinds that every provider takes and every web view draws. */
export const pictureKinds = ["image/png", "image/jpeg", "image/gif", "image/webp"] as const;
export type PictureKind = (typeof pictureKinds)[number];

export function pictureUrl({ mediaType, data }: Image): string {
  return `data:${mediaType};base64,${data}`;
}

/** Whether an address holds a picture of one of those kinds. */
export function isPicture(url: string): boolean {
  return pictureKinds.some((kind) => url.startsWith(`data:${kind};base64,`));
}

/** What a picture is called where it cannot be seen. */
export function pictureName(at: number, of: number): string {
  return of === 1 ? "Picture" : `Picture ${at + 1} of ${of}`;
}
