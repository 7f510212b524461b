// The user's own words and regular expressions. What cannot be used is refused by Rust, with the
// reason beside it, and stays in its field.

import { type FormEvent, useState } from "react";
import { Button, IconButton } from "../design/button";
import { Choice } from "../design/choice";
import type { ErrorBody, GuardConfig, RuleAction } from "../host/protocol";
import { ActionChoice } from "./guard_category";

type Props = {
  config: GuardConfig;
  onChange: (config: GuardConfig) => Promise<ErrorBody | undefined>;
};

type Kind = "word" | "pattern";

const kinds: readonly { value: Kind; label: string }[] = [
  { value: "word", label: "Word" },
  { value: "pattern", label: "Regular expression" },
];

export function OwnRules({ config, onChange }: Props) {
  const [kind, setKind] = useState<Kind>("word");
  const [text, setText] = useState("");
  const [action, setAction] = useState<RuleAction>("redact");
  const [refusal, setRefusal] = useState<ErrorBody>();

  async function add(event: FormEvent) {
    event.preventDefault();
    const own = text.trim();
    if (own === "") return;
    const both = { input: action, output: action };
    const next =
      kind === "word"
        ? { ...config, words: [...config.words, { word: own, ...both }] }
        : { ...config, patterns: [...config.patterns, { name: own, pattern: own, ...both }] };
    const refused = await onChange(next);
    setRefusal(refused);
    if (!refused) setText("");
  }

  return (
    <form className="mt-3" data-testid="guards-own" onSubmit={(event) => void add(event)}>
      <Choice
        legend="Your own"
        name="guard-own"
        testId="guard-own-kind"
        value={kind}
        options={kinds}
        onChange={setKind}
      />
      <div className="mt-1.5 flex gap-2">
        <input
          aria-label={kind === "word" ? "A word or a phrase" : "A regular expression"}
          data-testid="guard-own-text"
          className="field mono"
          value={text}
          spellCheck={false}
          autoComplete="off"
          aria-invalid={refusal !== undefined}
          onChange={(event) => setText(event.target.value)}
        />
        <ActionChoice label="What it does" value={action} onChange={setAction} />
        <Button type="submit" data-testid="guard-own-add" disabled={text.trim() === ""}>
          Add
        </Button>
      </div>
      <ul className="mt-1.5">
        {config.words.map(({ word, input }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the same word may stand there twice.
          <Own key={at} text={word} action={input ?? "redact"}>
            <IconButton
              icon="trash"
              label={`Remove ${word}`}
              onClick={() => void onChange({ ...config, words: config.words.toSpliced(at, 1) })}
            />
          </Own>
        ))}
        {config.patterns.map(({ name, pattern, input }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the same pattern may stand there twice.
          <Own key={at} text={pattern} action={input ?? "redact"}>
            <IconButton
              icon="trash"
              label={`Remove ${name}`}
              onClick={() =>
                void onChange({ ...config, patterns: config.patterns.toSpliced(at, 1) })
              }
            />
          </Own>
        ))}
      </ul>
    </form>
  );
}

type OwnProps = { text: string; action: RuleAction; children: React.ReactNode };

function Own({ text, action, children }: OwnProps) {
  return (
    <li data-testid="guard-own" className="flex items-center gap-2">
      <span className="mono min-w-0 flex-1 truncate">{text}</span>
      <span className="text-[12px] text-ink3">{action}</span>
      {children}
    </li>
  );
}
