// When a press counts. It must begin after the window could be read: on the screen and in front
// for a while, with nothing pressed meanwhile. Rust keeps the same time, and its word is final.

import { useCallback, useEffect, useRef, useState } from "react";

/** Together a little more than Rust waits, so that what is pressed here is not refused there. */
const STEP_MS = 50;
const STEPS = 11;
/** A page that was held up for longer begins anew: what was pressed meanwhile comes first. */
const HELD_UP_MS = 250;

export type Readable = {
  readable: boolean;
  /** Whether what is pressed now was begun after the window could be read. */
  isMeant: () => boolean;
  restart: () => void;
};

/** `onTooSoon` is told of every press that does not count. */
export function useReadable(onTooSoon: () => void): Readable {
  const [readable, setReadable] = useState(false);
  const [beginning, setBeginning] = useState(0);
  const pressedTooSoon = useRef(false);
  const restart = useCallback(() => {
    setReadable(false);
    setBeginning((number) => number + 1);
  }, []);

  // biome-ignore lint/correctness/useExhaustiveDependencies: each beginning counts from the first step.
  useEffect(() => {
    let steps = 0;
    let last = 0;
    let timer: number | undefined;
    const step = () => {
      const now = performance.now();
      steps = now - last > HELD_UP_MS ? 0 : steps + 1;
      last = now;
      if (steps < STEPS) return;
      window.clearInterval(timer);
      setReadable(true);
    };
    // Not before it was drawn.
    const frame = requestAnimationFrame(() => {
      last = performance.now();
      timer = window.setInterval(step, STEP_MS);
    });
    return () => {
      cancelAnimationFrame(frame);
      window.clearInterval(timer);
    };
  }, [beginning]);

  useEffect(() => {
    const press = () => {
      pressedTooSoon.current = !readable;
      if (readable) return;
      restart();
      onTooSoon();
    };
    // The click of a key that is let go comes before this.
    const release = () => window.setTimeout(() => (pressedTooSoon.current = false));
    const heard: [string, () => void][] = [
      ["pointerdown", press],
      ["keydown", press],
      ["pointerup", release],
      ["keyup", release],
    ];
    // Before any element hears of it.
    const options = { capture: true };
    for (const [name, listener] of heard) window.addEventListener(name, listener, options);
    return () => {
      for (const [name, listener] of heard) window.removeEventListener(name, listener, options);
    };
  }, [readable, restart, onTooSoon]);

  // Of the window alone: an element that gains the focus does not count.
  useEffect(() => {
    window.addEventListener("focus", restart);
    return () => window.removeEventListener("focus", restart);
  }, [restart]);

  const isMeant = () => readable && !pressedTooSoon.current;
  return { readable, isMeant, restart };
}
