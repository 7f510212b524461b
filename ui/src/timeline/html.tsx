// HTML that Rust made and sanitized. A finished piece is set once and never again; while a run
// grows, only its tail is set anew.

import { memo, useLayoutEffect, useRef } from "react";
import type { Html } from "../state/block";

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
  return (
    <>
      {html.pieces.map((piece, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a piece keeps its place for good.
        <Piece key={index} html={piece} />
      ))}
      {growing || html.tail !== "" ? <Piece key="tail" html={html.tail} tail /> : null}
    </>
  );
}
