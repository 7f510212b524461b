// Where the reader is. The timeline follows the end only while the reader is there; everywhere
// else the line under the reader's eyes stays where it is, whatever grows, folds or is put before.

/** How far from the end still counts as being there, in pixels. */
export const END_REACH = 40;

export type Metrics = {
  readonly scrollTop: number;
  readonly scrollHeight: number;
  readonly clientHeight: number;
};

export function isAtEnd({ scrollTop, scrollHeight, clientHeight }: Metrics): boolean {
  return scrollHeight - clientHeight - scrollTop <= END_REACH;
}

/**
 * Whether to follow the end after a scroll. Content that grew since the last look also puts the
 * end out of reach; only a move upwards is the reader's own wish to leave it.
 */
export function follows(following: boolean, lastTop: number, metrics: Metrics): boolean {
  if (isAtEnd(metrics)) return true;
  return following && metrics.scrollTop >= lastTop;
}

/** Where to scroll once the content changed; `shift` is how far the line being read has moved. */
export function settledTop(following: boolean, shift: number, metrics: Metrics): number {
  if (following) return Math.max(0, metrics.scrollHeight - metrics.clientHeight);
  return Math.max(0, metrics.scrollTop + shift);
}
