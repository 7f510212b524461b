// The open session's turns. It scrolls, keeps the reader's place, fetches earlier pages when the
// reader comes near the top, and answers clicks inside the reply's HTML.

import { type MouseEvent, useCallback, useEffect, useRef, useState } from "react";
import { copyText } from "../design/clipboard";
import { Icon } from "../design/icons";
import type { Citation } from "../host/protocol";
import { citationsOf } from "../state/reply";
import { useOrder, useStore } from "../state/use";
import { CitationPopover } from "./citation";
import { flash, readClick, revealOriginal, toggleWrap } from "./clicks";
import { TurnView } from "./turn";
import { usePlace } from "./use_place";

type Cited = { citation: Citation; number: number; mark: HTMLElement };

export function Timeline() {
  const store = useStore();
  const order = useOrder();
  const { scroller, content, following, jump } = usePlace(order);
  const top = useEarlierPages(order);
  const [cited, setCited] = useState<Cited | null>(null);
  const closeCitation = useCallback(() => setCited(null), []);

  function onClick(event: MouseEvent) {
    const click = readClick(event.target);
    if (!click) return;
    event.preventDefault();
    switch (click.act) {
      case "link":
        void store.openLink(click.url);
        break;
      case "wrap":
        toggleWrap(click.figure, click.button);
        break;
      case "copy":
        void copyText(click.text).then((copied) =>
          flash(click.button, copied ? "Copied" : "Could not copy"),
        );
        break;
      case "original":
        void revealOriginal(click.button, () => store.showOriginal(click.placeholder));
        break;
      case "cite": {
        const turn = store.turn(click.turn);
        const citation = turn && citationsOf(turn)[click.number - 1];
        if (citation) setCited({ citation, number: click.number, mark: click.mark });
        break;
      }
    }
  }

  return (
    <div className="relative min-h-0 flex-1">
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: what is clicked inside are buttons and links, which the keyboard clicks too. */}
      <section
        ref={scroller}
        data-testid="timeline"
        aria-label="Timeline"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard.
        tabIndex={0}
        className="timeline"
        onClick={onClick}
        onAuxClick={(event) => {
          if (readClick(event.target)) event.preventDefault();
        }}
      >
        <div ref={content} className="column">
          <div ref={top} className="absolute top-0" />
          {order.map((id) => (
            <TurnView key={id} id={id} />
          ))}
        </div>
      </section>
      {following ? null : (
        <button type="button" data-testid="jump-latest" className="jump" onClick={jump}>
          <Icon name="down" /> Jump to latest
        </button>
      )}
      {cited ? (
        <CitationPopover
          {...cited}
          onOpen={(url) => void store.openLink(url)}
          onClose={closeCitation}
        />
      ) : null}
    </div>
  );
}

/** Gives the element to put on top; coming near it fetches the page before. */
function useEarlierPages(order: readonly string[]) {
  const store = useStore();
  const top = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: after a page arrives, the top is looked at anew.
  useEffect(() => {
    const element = top.current;
    if (!element) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some((entry) => entry.isIntersecting)) void store.loadEarlier();
      },
      { root: element.closest("section"), rootMargin: "800px 0px 0px 0px" },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [store, order]);
  return top;
}
