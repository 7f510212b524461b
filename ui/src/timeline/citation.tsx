// Where a statement comes from, in a small window beside its number.

import { useEffect, useId, useLayoutEffect, useRef, useState } from "react";
import { Button, IconButton } from "../design/button";
import { Icon } from "../design/icons";
import type { Citation } from "../host/protocol";

type Props = {
  citation: Citation;
  number: number;
  mark: HTMLElement;
  onOpen: (url: string) => void;
  onClose: () => void;
};

const WIDTH = 340;
const EDGE = 12;

export function CitationPopover({ citation, number, mark, onOpen, onClose }: Props) {
  const ref = useRef<HTMLDivElement>(null);
  const titleId = useId();
  const [place, setPlace] = useState({ left: 0, top: 0 });

  // It stays beside its number while the timeline scrolls, and goes when the number does.
  useLayoutEffect(() => {
    const follow = () => {
      const rect = mark.getBoundingClientRect();
      const height = ref.current?.offsetHeight ?? 0;
      const below = rect.bottom + 6;
      const fits = below + height < window.innerHeight - EDGE;
      setPlace({
        left: Math.max(EDGE, Math.min(rect.left - 12, window.innerWidth - WIDTH - EDGE)),
        top: fits ? below : Math.max(EDGE, rect.top - height - 6),
      });
      if (rect.bottom < 0 || rect.top > window.innerHeight) onClose();
    };
    follow();
    document.addEventListener("scroll", follow, { capture: true, passive: true });
    return () => document.removeEventListener("scroll", follow, { capture: true });
  }, [mark, onClose]);

  useEffect(() => {
    ref.current?.focus({ preventScroll: true });
    return () => mark.focus({ preventScroll: true });
  }, [mark]);

  useEffect(() => {
    const leave = (event: Event) => {
      if (event.target instanceof Node && !ref.current?.contains(event.target)) onClose();
    };
    document.addEventListener("pointerdown", leave);
    return () => document.removeEventListener("pointerdown", leave);
  }, [onClose]);

  const { url, citedText } = citation;
  const scores = scoresOf(citation);
  const host = hostOf(url);
  return (
    <div
      ref={ref}
      role="dialog"
      aria-labelledby={titleId}
      tabIndex={-1}
      data-testid="citation-popover"
      className="popover"
      style={{ ...place, width: WIDTH }}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        onClose();
      }}
    >
      <div className="flex items-start gap-2">
        <span className="cite mt-0.5">{number}</span>
        <p id={titleId} className="min-w-0 flex-1 break-words font-medium">
          {citation.title ?? host ?? "Source"}
        </p>
        <IconButton icon="cross" label="Close" className="-mt-1 -mr-1" onClick={onClose} />
      </div>
      {citedText ? <blockquote className="cited">{citedText}</blockquote> : null}
      {scores ? <p className="text-[12px] text-ink3">{scores}</p> : null}
      {url ? (
        <div className="flex items-center justify-between gap-3 pt-2">
          <span className="min-w-0 truncate text-[12px] text-ink3" title={url}>
            {host}
          </span>
          <Button onClick={() => onOpen(url)}>
            Open <Icon name="external" />
          </Button>
        </div>
      ) : null}
    </div>
  );
}

/** How well the source fits, as far as the provider says. */
function scoresOf({ relevance, confidence }: Citation): string {
  const said = [
    relevance === undefined ? [] : [`Relevance ${relevance.toFixed(2)}`],
    confidence === undefined ? [] : [`Confidence ${confidence.toFixed(2)}`],
  ];
  return said.flat().join(" · ");
}

function hostOf(url: string | undefined): string | undefined {
  return url && URL.canParse(url) ? new URL(url).host : url;
}
