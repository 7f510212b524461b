// The user's own words and regular expressions. What cannot be used is refused by Rust, with the
// reason beside it, and stays in its field. In a project those for everywhere and those of its
// file are shown, too, and changed elsewhere.

import { type FormEvent, type ReactNode, useState } from "react";
import { Button, IconButton } from "../design/button";
import { Choice } from "../design/choice";
import type { ErrorBody, GuardConfig, GuardSettings, RuleAction } from "../host/protocol";
import { ActionChoice, actionWords } from "./guard_action";
import { type GuardChange, ofOutput, refused } from "./guard_stage";

type Props = { settings: GuardSettings; onChange: GuardChange };

type Kind = "word" | "pattern";

const kinds: readonly { value: Kind; label: string }[] = [
  { value: "word", label: "Word" },
  { value: "pattern", label: "Regular expression" },
];

export function OwnRules({ settings, onChange }: Props) {
  const { config, everywhere, file } = settings;
  const [kind, setKind] = useState<Kind>("word");
  const [text, setText] = useState("");
  const [action, setAction] = useState<RuleAction>("redact");
  const [refusal, setRefusal] = useState<ErrorBody>();

  async function add(event: FormEvent) {
    event.preventDefault();
    const own = text.trim();
    if (own === "") return;
    const both = { input: action, output: ofOutput(action) };
    const refusal = await onChange((config) =>
      kind === "word"
        ? { ...config, words: [...config.words, { word: own, ...both }] }
        : { ...config, patterns: [...config.patterns, { name: own, pattern: own, ...both }] },
    );
    setRefusal(refusal);
    if (!refusal) setText("");
  }

  return (
    <form className="mt-4" data-testid="guards-own" onSubmit={(event) => void add(event)}>
      <Choice
        legend={everywhere ? "Your own, for this project" : "Your own"}
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
        <ActionChoice
          label="What it does"
          stage="input"
          value={action}
          onChange={(next) => setAction(next ?? "redact")}
        />
        <Button type="submit" data-testid="guard-own-add" disabled={text.trim() === ""}>
          Add
        </Button>
      </div>
      {action === "ask" ? (
        <p data-testid="guard-own-ask" className="mt-1 text-[12px] text-ink3">
          Asked about in what you send; redacted in what a model says, where nobody can be asked.
        </p>
      ) : null}
      {refusal ? (
        <p role="alert" data-testid="guard-own-error" className="mt-1 text-[12px] text-bad">
          {refused(refusal)}
        </p>
      ) : null}
      <ul className="mt-1.5" aria-label="Your own words and patterns">
        {ownOf(config).map(({ text, action, remove }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the same word may stand there twice.
          <Own key={at} text={text} action={action}>
            <IconButton
              icon="trash"
              label={`Remove ${text}`}
              onClick={() => void onChange(remove).then(setRefusal)}
            />
          </Own>
        ))}
        {everywhere ? <Others config={everywhere} from="everywhere" /> : null}
        {file ? <Others config={file} from="file" /> : null}
      </ul>
    </form>
  );
}

type OwnRule = {
  text: string;
  action: RuleAction;
  remove: (config: GuardConfig) => GuardConfig;
};

/** Words first. One is removed by what it says: its place may have changed since. */
function ownOf({ words, patterns }: GuardConfig): OwnRule[] {
  const action = (input: RuleAction | undefined) => input ?? "redact";
  return [
    ...words.map(({ word, input }) => ({
      text: word,
      action: action(input),
      remove: (config: GuardConfig) => {
        const at = config.words.findIndex((other) => other.word === word && other.input === input);
        return at < 0 ? config : { ...config, words: config.words.toSpliced(at, 1) };
      },
    })),
    ...patterns.map(({ name, pattern, input }) => ({
      text: pattern,
      action: action(input),
      remove: (config: GuardConfig) => {
        const at = config.patterns.findIndex(
          (other) => other.name === name && other.pattern === pattern && other.input === input,
        );
        return at < 0 ? config : { ...config, patterns: config.patterns.toSpliced(at, 1) };
      },
    })),
  ];
}

function Others({ config, from }: { config: GuardConfig; from: string }) {
  return ownOf(config).map(({ text, action }, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: nothing here changes its place.
    <Own key={at} text={text} action={action}>
      <span className="guard-from">{from}</span>
    </Own>
  ));
}

type OwnProps = { text: string; action: RuleAction; children: ReactNode };

function Own({ text, action, children }: OwnProps) {
  return (
    <li data-testid="guard-own" className="flex min-h-7 items-center gap-2 text-[13px]">
      <span className="mono min-w-0 flex-1 truncate">{text}</span>
      <span className="text-[12px] text-ink3">{actionWords[action]}</span>
      {children}
    </li>
  );
}
