// The pictures that went with a prompt. All are of one height, so that none moves the page when
// it is drawn.

import { memo } from "react";
import { isPicture, pictureName, pictureUrl } from "../design/picture";
import type { Image } from "../host/protocol";
import { Picture } from "./picture";

/** Kept while its turn grows: comparing pictures letter by letter is slow. */
export const UserPictures = memo(function UserPictures({ images }: { images: readonly Image[] }) {
  const urls = images.map(pictureUrl).filter(isPicture);
  if (urls.length === 0) return null;
  return (
    <ul data-testid="user-pictures" aria-label="Pictures" className="user-pictures">
      {urls.map((url, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a stored prompt never changes.
        <li key={at}>
          <Picture url={url} name={pictureName(at, urls.length)} />
        </li>
      ))}
    </ul>
  );
});
