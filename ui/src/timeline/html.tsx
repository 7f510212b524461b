// HTML that Rust made and sanitized. A finished piece is set once and never again; while a run
// grows, only its tail is set anew.

import { memo, useLayoutEffect, useRef } from "react";
import type { Html } from "../state/block";
import { MOUNTED_PIECES, ShowMore, useHidden } from "./hidden";

type PieceProps = { html: string; tail?: boolean };

export const Piece = memo(function Piece({ html, tail }: PieceProps) {
  const ref = useRef<HTMLDivElement>(null);
  // What scrolls sideways must be reachable by keyboard. A piece renders only with new HTML.
  useLayoutEffect(() => {
    for (const wide of ref.current?.querySelectorAll<HTMLElement>("pre, .table") ?? [])
      wide.tabIndex = 0;
  });
  return (
    <div
      ref={ref}
      className={tail ? "piece tail" : "piece"}
      // biome-ignore lint/security/noDangerouslySetInnerHtml: Rust is the one sanitizer; no other text takes this way.
      dangerouslySetInnerHTML={{ __html: html }}
    />
  );
});

export function Pieces({ html, growing }: { html: Html; growing: boolean }) {
  const { pieces, tail } = html;
  const hidden = useHidden(pieces.length, MOUNTED_PIECES);
  // A piece keeps its place for good, so the place is its key.
  const view = (from: number, to: number) =>
    pieces.slice(from, to).map((piece, at) => {
      const place = from + at;
      return <Piece key={place} html={piece} />;
    });
  return [
    ...view(0, hidden.from),
    hidden.count > 0 ? <ShowMore key="more" hidden={hidden} noun="paragraph" /> : null,
    ...view(hidden.to, pieces.length),
    growing || tail !== "" ? <Piece key="tail" html={tail} tail /> : null,
  ];
}
