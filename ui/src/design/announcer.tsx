// Tells a screen reader how a reply goes: once, not with every chunk or second.

import { useEffect, useRef, useState } from "react";
import type { SessionStatus, SessionSummary } from "../host/protocol";

const words: Record<SessionStatus, string> = {
  idle: "The reply is finished.",
  running: "Answering.",
  waiting: "The reply waits for your word.",
  interrupted: "The reply was interrupted.",
  failed: "The reply failed.",
};

type Props = {
  session: SessionSummary | undefined;
  /** What stands in the way for now; empty when nothing does. */
  trouble: string;
};

export function Announcer({ session, trouble }: Props) {
  const before = useRef(session);
  const [said, setSaid] = useState("");
  useEffect(() => {
    const same = before.current?.id === session?.id;
    if (session && same && before.current?.status !== session.status)
      setSaid(words[session.status]);
    before.current = session;
  }, [session]);
  useEffect(() => {
    if (trouble !== "") setSaid(trouble);
  }, [trouble]);
  return (
    <div aria-live="polite" className="sr-only">
      {said}
    </div>
  );
}
