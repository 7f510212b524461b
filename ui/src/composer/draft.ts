// A prompt that is not sent yet.

import type { Image } from "../host/protocol";

export type Draft = { readonly text: string; readonly images: readonly Image[] };

export const emptyDraft: Draft = { text: "", images: [] };

/** What is left of `draft` once `sent` is saved: what was added meanwhile is the next prompt. */
export function afterSending(draft: Draft, sent: Draft): Draft {
  return {
    text: draft.text === sent.text ? "" : draft.text,
    images: draft.images.filter((image) => !sent.images.includes(image)),
  };
}
