// How a turn ended, where that needs saying: what happened, what was kept, what to do.

import type { ReactNode } from "react";
import { Button } from "../design/button";
import { formatDuration } from "../design/format";
import { Icon } from "../design/icons";
import type { ErrorBody, StopReason } from "../host/protocol";
import { useOpenSettings } from "../settings/opener";
import { isUnanswered, type Outline } from "../state/turn";
import { Continue } from "./continue";
import { meaningOf } from "./error_codes";

export function Ending({ outline }: { outline: Outline }) {
  const { id, end } = outline;
  const arrived = !isUnanswered(outline);
  if (!end) return null;
  if (end.type === "complete") {
    return end.stopReason === "budget" ? (
      <div>
        <StopNote reason="budget" />
        <Continue turn={id} pastBudget />
      </div>
    ) : (
      <StopNote reason={end.stopReason} />
    );
  }
  // Where nothing arrived there is nothing to go on with.
  const goOn = arrived ? <Continue turn={id} /> : null;
  if (end.error.code === "interrupted") {
    return (
      <div data-testid="interrupted-note" className="note border border-ink3 border-dashed">
        <p>{end.error.message}</p>
        {goOn}
      </div>
    );
  }
  if (end.error.code === "database_lost") return <NotSaved message={end.error.message} />;
  const kept = arrived ? "What had arrived is kept." : "Your prompt is kept.";
  return end.error.code === "no_key" ? (
    <MissingKey message={end.error.message} />
  ) : (
    <Failure error={end.error} kept={kept}>
      {goOn}
    </Failure>
  );
}

const notes: Record<StopReason, string | null> = {
  end_turn: null,
  stop_sequence: null,
  tool_use: null,
  pause_turn: "The source paused here.",
  max_tokens: "The reply reached its length limit.",
  refusal: "The model declined to go on.",
  content_filter: "The source's content filter ended the reply.",
  error: "The source ended the reply with an error.",
  cancelled: "Stopped",
  max_turns: "The turn had as many steps as it may have. Say “go on” to continue.",
  blocked: "A guard or a hook stopped this turn.",
  budget: "A budget stopped the turn here.",
};

function StopNote({ reason }: { reason: StopReason }) {
  const note = notes[reason];
  if (note === null) return null;
  const testId = reason === "cancelled" ? "stopped-note" : "stop-note";
  return (
    <p data-testid={testId} className="flex items-center gap-2 text-[13px] text-ink3">
      <span
        aria-hidden="true"
        className={`size-[7px] ${reason === "cancelled" ? "rounded-[1px]" : "rounded-full"} border border-ink3`}
      />
      {note}
    </p>
  );
}

function MissingKey({ message }: { message: string }) {
  const openSettings = useOpenSettings();
  return (
    <Card tone="border-warn/45 bg-warn-bg" icon={<Icon name="info" className="mt-0.5 text-warn" />}>
      <p>{message}</p>
      <p className="text-ink2">Your prompt is kept.</p>
      <Button look="primary" className="mt-2" onClick={openSettings}>
        Open Settings
      </Button>
    </Card>
  );
}

function NotSaved({ message }: { message: string }) {
  return (
    <Card tone="border-bad/45 bg-bad-bg" icon={<Icon name="alert" className="mt-0.5 text-bad" />}>
      <p className="font-medium">The reply ended here</p>
      <p className="break-words">{message}</p>
      <p className="text-ink2">Save a copy of what was shown, then start Weir again.</p>
    </Card>
  );
}

type FailureProps = { error: ErrorBody; kept: string; children: ReactNode };

function Failure({ error, kept, children }: FailureProps) {
  const wait =
    error.retryAfter === undefined
      ? ""
      : ` The source asks to wait ${formatDuration(error.retryAfter * 1000)}.`;
  const { title, advice } = meaningOf(error.code);
  const own = error.details?.code;
  const codes = own && own !== error.code ? `${error.code} (${own})` : error.code;
  return (
    <Card tone="border-bad/45 bg-bad-bg" icon={<Icon name="alert" className="mt-0.5 text-bad" />}>
      <p className="font-medium">{title}</p>
      <p className="break-words">{error.message}</p>
      <p className="text-ink2">
        {kept}
        {wait} {advice} <span className="mono break-words text-ink3">{codes}</span>
      </p>
      {children}
    </Card>
  );
}

function Card({ tone, icon, children }: { tone: string; icon: ReactNode; children: ReactNode }) {
  return (
    <div
      data-testid="error-card"
      className={`flex gap-3 rounded-[10px] border px-3.5 py-2.5 ${tone}`}
    >
      {icon}
      <div className="min-w-0">{children}</div>
    </div>
  );
}
