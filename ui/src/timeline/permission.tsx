// Whether a tool call may run. While it waits for the user this is the one loud thing in the
// window; once it is decided, one quiet line. It takes no focus: nobody allows by accident.

import { useId, useState } from "react";
import { Button } from "../design/button";
import { Icon } from "../design/icons";
import type { Decision, DecisionScope } from "../host/protocol";
import type { Permission, ToolBlock } from "../state/block";
import { useStore } from "../state/use";
import { RestoredText } from "./restored";
import { pretty } from "./tool_text";

type Props = { block: ToolBlock; permission: Permission; ended: boolean };

export function PermissionView({ block, permission, ended }: Props) {
  const { decision } = permission;
  if (decision) return <Quiet words={decidedWords(decision)} />;
  if (ended || block.outcome) return <Quiet words="Weir closed before you answered." />;
  return <Question block={block} permission={permission} />;
}

type Decided = NonNullable<Permission["decision"]>;

const allowed: Record<DecisionScope, string> = {
  once: "You allowed this once.",
  session: "You allowed this for this session.",
  project: "You always allow this in this project.",
};

function decidedWords({ decision, scope, decidedBy }: Decided): string {
  switch (decidedBy) {
    case "user":
      return decision === "allow" ? allowed[scope] : "You did not allow this.";
    case "rule":
      return decision === "allow" ? "A rule allowed this." : "A rule did not allow this.";
    case "hook":
      return decision === "allow" ? "A hook allowed this." : "A hook did not allow this.";
    case "nobody":
      return "The turn ended before you answered.";
  }
}

function Quiet({ words }: { words: string }) {
  return (
    <p data-testid="permission-note" className="px-3 pb-2 text-[12px] text-ink3">
      {words}
    </p>
  );
}

const choices: readonly [words: string, decision: Decision, scope: DecisionScope][] = [
  ["Allow once", "allow", "once"],
  ["This session", "allow", "session"],
  ["Always in this project", "allow", "project"],
  ["Deny", "deny", "once"],
];

function Question({ block, permission }: { block: ToolBlock; permission: Permission }) {
  const { reason = "", turn = "" } = permission;
  const store = useStore();
  const [asking, setAsking] = useState(false);
  const title = useId();
  async function decide(decision: Decision, scope: DecisionScope) {
    setAsking(true);
    await store.decide(turn, block.toolCallId, decision, scope);
    setAsking(false);
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset brings a border and a legend of its own.
    <div
      role="group"
      aria-labelledby={title}
      data-testid="permission"
      className="border-warn/45 border-t bg-warn-bg px-3 py-2.5"
    >
      <p id={title} className="flex items-center gap-2 font-medium" role="status">
        <Icon name="alert" className="text-warn" />
        <span>
          <span className="mono">{block.toolName}</span> waits for your permission
        </span>
      </p>
      <p className="mt-0.5 text-ink2">{reason}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard. */}
      <pre className="tool-lines mt-2 max-h-48 rounded-md" tabIndex={0}>
        <RestoredText text={pretty(permission.input ?? block.input)} restored={block.restored} />
      </pre>
      <div className="mt-2.5 flex flex-wrap gap-2">
        {choices.map(([words, decision, scope]) => (
          <Button
            key={words}
            data-testid={`permission-${decision}-${scope}`}
            disabled={asking}
            onClick={() => void decide(decision, scope)}
          >
            {words}
          </Button>
        ))}
      </div>
    </div>
  );
}
