// Long lists mount their beginning and their end; what stands between is mounted when the reader
// asks for it. So the cost of a reply is bounded, however many parts it has.

import { useState } from "react";

/** How much of a long list is mounted, and how much more with each click. */
export type Mounted = { readonly head: number; readonly tail: number; readonly step: number };

export const MOUNTED_BLOCKS: Mounted = { head: 20, tail: 140, step: 200 };
export const MOUNTED_PIECES: Mounted = { head: 1000, tail: 3000, step: 2000 };

export type Hidden = {
  /** The first that is not mounted. */
  readonly from: number;
  /** The first after those. */
  readonly to: number;
  readonly count: number;
  readonly show: () => void;
};

/** The end moves on in strides, so that a list that grows does not change with every item. */
const STRIDE = 20;

export function useHidden(length: number, { head, tail, step }: Mounted): Hidden {
  const [shown, setShown] = useState(0);
  const from = Math.min(head + shown, length);
  const to = Math.max(from, Math.floor((length - tail) / STRIDE) * STRIDE);
  return { from, to, count: to - from, show: () => setShown(shown + step) };
}

export function ShowMore({ hidden, noun }: { hidden: Hidden; noun: string }) {
  const { count, show } = hidden;
  return (
    <button
      type="button"
      data-testid="show-more"
      className="card w-full px-3 py-2 text-left text-[12px] text-acc"
      onClick={show}
    >
      {count} more {count === 1 ? noun : `${noun}s`} of this reply. Show more
    </button>
  );
}
