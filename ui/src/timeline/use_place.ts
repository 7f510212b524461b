// Keeps the reader's place in a scrolling element. Engines differ in scroll anchoring, so it is
// switched off in the styles and done here, the same way everywhere.

import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import { follows, settledTop } from "./place";

type Anchor = { element: Element; top: number };

type Place = {
  scroller: RefObject<HTMLDivElement | null>;
  content: RefObject<HTMLDivElement | null>;
  following: boolean;
  jump: () => void;
};

/** `changes` is any value that is replaced when turns are added. */
export function usePlace(changes: unknown): Place {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const held = useRef<{ following: boolean; lastTop: number; anchor: Anchor | null }>({
    following: true,
    lastTop: 0,
    anchor: null,
  });
  const [following, setFollowing] = useState(true);

  const settle = useCallback(() => {
    const element = scroller.current;
    if (!element) return;
    const { anchor } = held.current;
    const shift = anchor?.element.isConnected
      ? anchor.element.getBoundingClientRect().top -
        element.getBoundingClientRect().top -
        anchor.top
      : 0;
    const top = settledTop(held.current.following, shift, element);
    if (Math.abs(top - element.scrollTop) >= 1) element.scrollTop = top;
    held.current.lastTop = element.scrollTop;
  }, []);

  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const onScroll = () => {
      const state = held.current;
      state.following = follows(state.following, state.lastTop, element);
      state.lastTop = element.scrollTop;
      state.anchor = state.following ? null : anchorOf(element, content.current);
      setFollowing(state.following);
    };
    element.addEventListener("scroll", onScroll, { passive: true });
    const observer = new ResizeObserver(settle);
    observer.observe(element);
    if (content.current) observer.observe(content.current);
    return () => {
      element.removeEventListener("scroll", onScroll);
      observer.disconnect();
    };
  }, [settle]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: it is due when turns were added, before they are painted.
  useLayoutEffect(settle, [settle, changes]);

  const jump = useCallback(() => {
    held.current.following = true;
    setFollowing(true);
    settle();
  }, [settle]);

  return { scroller, content, following, jump };
}

/** The first block at the top edge: its turn is found by halving, its block by looking. */
function anchorOf(scroller: Element, content: Element | null): Anchor | null {
  const edge = scroller.getBoundingClientRect().top;
  const turns = content?.querySelectorAll(":scope > [data-turn]") ?? [];
  let low = 0;
  let high = turns.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((turns[middle]?.getBoundingClientRect().bottom ?? 0) <= edge) low = middle + 1;
    else high = middle;
  }
  const turn = turns[low];
  if (!turn) return null;
  const element =
    [...turn.children].find((child) => child.getBoundingClientRect().bottom > edge) ?? turn;
  return { element, top: element.getBoundingClientRect().top - edge };
}
