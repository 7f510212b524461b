// A run of the reply's text.

import type { TextBlock } from "../state/block";
import { Pieces } from "./html";

export function Text({ block }: { block: TextBlock }) {
  const { html, parts, growing } = block;
  const plain =
    html.pieces.length === 0 && html.tail === "" ? parts.map((part) => part.content).join("") : "";
  return (
    <div className="prose" data-testid="text-run" data-growing={growing}>
      {plain === "" ? (
        <Pieces html={html} growing={growing} />
      ) : (
        <p className="whitespace-pre-wrap">{plain}</p>
      )}
    </div>
  );
}
