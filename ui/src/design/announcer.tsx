// Tells a screen reader how a reply ended: once, not with every chunk.

import { useEffect, useRef, useState } from "react";
import type { SessionStatus, SessionSummary } from "../host/protocol";

const words: Record<SessionStatus, string> = {
  idle: "The reply is finished.",
  running: "Answering.",
  waiting: "The reply waits for your word.",
  interrupted: "The reply was interrupted.",
  failed: "The reply failed.",
};

export function Announcer({ session }: { session: SessionSummary | undefined }) {
  const before = useRef(session);
  const [said, setSaid] = useState("");
  useEffect(() => {
    const same = before.current?.id === session?.id;
    if (session && same && before.current?.status !== session.status)
      setSaid(words[session.status]);
    before.current = session;
  }, [session]);
  return (
    <div aria-live="polite" className="sr-only">
      {said}
    </div>
  );
}
