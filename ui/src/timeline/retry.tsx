// A step that failed and is asked again: why, when, and how often. One quiet line that is gone
// with the next thing that comes; the log keeps it.

import { useNow } from "../design/clock";
import { Icon } from "../design/icons";
import type { Retry } from "../state/block";

export function RetryLine({ retry }: { retry: Retry }) {
  const now = useNow(250);
  const left = Math.ceil((retry.at - now) / 1000);
  const when = left > 0 ? `Trying again in ${left} s` : "Trying again…";
  return (
    // A screen reader is told once, by the announcer, and not with every second.
    <p
      data-testid="retry"
      aria-hidden="true"
      className="flex items-center gap-2 text-[13px] text-ink2"
    >
      <Icon name="info" className="text-warn" />
      <span className="truncate" title={retry.error.message}>
        {retry.error.message}
      </span>
      <span className="shrink-0 text-ink3 tabular-nums">
        {when} ({retry.attempt} of {retry.mostAttempts})
      </span>
    </p>
  );
}

/** The same, said once. */
export function retryWords({ error, delayMs, attempt, mostAttempts }: Retry): string {
  const seconds = Math.ceil(delayMs / 1000);
  return `${error.message} Trying again in ${seconds} s, ${attempt} of ${mostAttempts}.`;
}
