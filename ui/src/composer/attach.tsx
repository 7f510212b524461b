// The pictures that go with a prompt: a button to choose some, and those that were chosen.

import { memo, useRef } from "react";
import { IconButton } from "../design/button";
import { Icon } from "../design/icons";
import { pictureKinds, pictureName, pictureUrl } from "../design/picture";
import type { Image } from "../host/protocol";

export function AttachButton({ onFiles }: { onFiles: (files: readonly File[]) => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <IconButton
        icon="image"
        label="Attach pictures"
        data-testid="attach"
        onClick={() => input.current?.click()}
      />
      <input
        ref={input}
        type="file"
        multiple
        hidden
        accept={pictureKinds.join(",")}
        aria-label="Pictures"
        data-testid="attach-input"
        onChange={(event) => {
          const files = [...(event.target.files ?? [])];
          // The same file may be chosen again after it was removed.
          event.target.value = "";
          onFiles(files);
        }}
      />
    </>
  );
}

type PicturesProps = { images: readonly Image[]; onRemove: (at: number) => void };

/** Takes no part in the typing below it: comparing pictures letter by letter is slow. */
export const Pictures = memo(function Pictures({ images, onRemove }: PicturesProps) {
  const list = useRef<HTMLUListElement>(null);
  if (images.length === 0) return null;

  function remove(at: number) {
    // The button with the focus is the next picture's after this; the last one's goes away.
    const buttons = list.current?.querySelectorAll("button") ?? [];
    if (at === images.length - 1) buttons[at - 1]?.focus();
    onRemove(at);
  }

  return (
    <ul ref={list} aria-label="Pictures" data-testid="pictures" className="pictures">
      {images.map((image, at) => {
        const name = pictureName(at, images.length);
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a picture has no other name and holds no state.
          <li key={at} data-testid="picture">
            <img src={pictureUrl(image)} alt={name} />
            <button
              type="button"
              data-testid="picture-remove"
              aria-label={`Remove ${name.toLowerCase()}`}
              title="Remove"
              onClick={() => remove(at)}
            >
              <Icon name="cross" />
            </button>
          </li>
        );
      })}
    </ul>
  );
});
