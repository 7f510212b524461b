// The state of a session as a dot: the same one in the list and in the header.

import type { SessionStatus } from "../host/protocol";

export type DotState = SessionStatus | "unread";

const looks: Record<DotState, string> = {
  idle: "",
  running: "bg-acc shadow-[0_0_0_3px_var(--acc-bg)]",
  waiting: "bg-warn",
  unread: "bg-ink",
  interrupted: "border-[1.5px] border-ink3 border-dashed",
  failed: "bg-bad",
};

const words: Record<DotState, string> = {
  idle: "",
  running: "Answering",
  waiting: "Waits for you",
  unread: "Unread",
  interrupted: "Interrupted",
  failed: "Failed",
};

export function Dot({ state }: { state: DotState }) {
  if (state === "idle") return <span className="size-[7px]" />;
  return (
    <span
      role="img"
      aria-label={words[state]}
      title={words[state]}
      className={`size-[7px] shrink-0 rounded-full ${looks[state]}`}
    />
  );
}

export function dotWord(state: DotState): string {
  return words[state];
}
