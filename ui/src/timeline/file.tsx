// Something the model made: a picture is shown, anything else is named. Nothing is loaded from
// elsewhere; an address is asked about first, like any link.

import { Button } from "../design/button";
import { isPicture } from "../design/picture";
import type { FileBlock } from "../state/block";
import { useStore } from "../state/use";
import { Picture } from "./picture";

export function File({ block }: { block: FileBlock }) {
  const store = useStore();
  if (isPicture(block.url)) {
    return (
      <div className="file-picture">
        <Picture url={block.url} name="Made by the model" testId="file" />
      </div>
    );
  }
  const elsewhere = !block.url.startsWith("data:");
  return (
    <div data-testid="file" className="card flex items-center gap-3 px-3 py-2">
      <span className="mono">{block.mediaType}</span>
      <span className="min-w-0 truncate text-ink3">{elsewhere ? block.url : "made here"}</span>
      {elsewhere ? (
        <Button className="ml-auto" onClick={() => void store.openLink(block.url)}>
          Open
        </Button>
      ) : null}
    </div>
  );
}
