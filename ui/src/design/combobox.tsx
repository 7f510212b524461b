// A text field with a list to choose from. Typing narrows the list, arrows and the pointer mark in
// it, Escape closes it. Enter takes what is marked, and what was typed where nothing is: a name
// that only contains what was typed is never taken unseen. The focus stays in the field, as screen
// readers expect.

import {
  type KeyboardEvent,
  type MouseEvent,
  memo,
  type PointerEvent,
  type ReactNode,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
} from "react";
import { Icon } from "./icons";
import { type Entry, isWhole, markFor, narrow } from "./narrow";

type Props = {
  label: string;
  testId: string;
  value: string;
  options: readonly string[];
  /** What no name at all stands for, when that is a choice. */
  empty?: string;
  note: ReactNode;
  onCommit: (value: string) => Promise<void>;
};

const steps: Readonly<Record<string, number>> = {
  ArrowDown: 1,
  ArrowUp: -1,
  PageDown: 8,
  PageUp: -8,
};

export function Combobox({ label, testId, value, options, empty, note, onCommit }: Props) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const committing = useRef<string>(null);
  const [typed, setTyped] = useState<string | null>(null);
  const [open, setOpen] = useState(false);
  /** What was marked by hand, as arrows and the pointer do; kept by name, since lists change. */
  const [byHand, setByHand] = useState<string | null>(null);
  const pointed = useRef(false);
  const pointer = useRef<{ x: number; y: number }>(null);
  /** Whether the field was left with something typed that nobody has taken. */
  const [left, setLeft] = useState(false);
  const choice = useMemo(() => ({ options, value, empty }), [options, value, empty]);
  const narrowed = useMemo(() => narrow(choice, typed), [choice, typed]);
  const { entries, more } = narrowed;
  const shown = open && entries.length > 0;
  const active = useMemo(() => {
    if (byHand === null && typed !== null) return markFor(narrowed, typed);
    return narrowed.entries.findIndex((entry) => entry.value === (byHand ?? value));
  }, [narrowed, byHand, typed, value]);

  useEffect(() => {
    // What the pointer is on is in sight, and moving it away would point at another.
    if (!shown || pointed.current) return;
    const marked = list.current?.children[active] ?? list.current;
    marked?.scrollIntoView({ block: "nearest" });
  }, [shown, active]);

  async function commit(next: string) {
    setOpen(false);
    if (committing.current !== null) return;
    if (next === value) return setTyped(null);
    committing.current = next;
    setTyped(next);
    await onCommit(next);
    committing.current = null;
    // What was typed meanwhile stays.
    setTyped((now) => (now === next ? null : now));
  }

  function mark(entry: Entry | undefined, by: "pointer" | "keyboard" = "keyboard") {
    pointed.current = by === "pointer";
    setByHand(entry?.value ?? null);
  }

  function show() {
    setOpen(true);
    mark(undefined);
  }

  function type(text: string) {
    setTyped(text);
    show();
  }

  function walk(step: number) {
    if (!shown) return show();
    const next = active + step;
    const last = entries.length - 1;
    const within = Math.min(Math.max(next, 0), last);
    // A single step past an end goes round; a page stops there.
    const round = next !== within && Math.abs(step) === 1;
    mark(entries[round ? last - within : within]);
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.nativeEvent.isComposing) return;
    const step = steps[event.key];
    if (step !== undefined) walk(step);
    else if (event.key === "Enter") {
      const marked = shown ? entries[active] : undefined;
      void commit(marked ? marked.value : (typed ?? value).trim());
    } else if (event.key === "Escape" && (shown || typed !== null)) {
      // First the list goes, then what was typed, and only then the dialog around them.
      if (shown) setOpen(false);
      else setTyped(null);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  function onBlur() {
    setOpen(false);
    if (typed === null || typed === committing.current) return;
    // Who leaves in the middle of a search has chosen nothing, and is told so.
    const chosen = typed.trim() === value || isWhole(options, typed);
    if (chosen && committing.current === null) void commit(typed.trim());
    else setLeft(true);
  }

  function placeOf(target: EventTarget): number {
    const option = (target as Element).closest("[role=option]");
    return [...(list.current?.children ?? [])].indexOf(option as Element);
  }

  function pick(event: MouseEvent) {
    const entry = entries[placeOf(event.target)];
    if (entry) void commit(entry.value);
  }

  function point(event: PointerEvent) {
    const { clientX: x, clientY: y } = event;
    const last = pointer.current;
    pointer.current = { x, y };
    // A list that moves under a pointer at rest is not pointed at.
    if (!last || (last.x === x && last.y === y)) return;
    const entry = entries[placeOf(event.target)];
    if (entry) mark(entry, "pointer");
  }

  return (
    <div>
      <label className="mb-1.5 block font-medium" htmlFor={id}>
        {label}
      </label>
      <div className="relative">
        <input
          ref={input}
          id={id}
          data-testid={testId}
          role="combobox"
          aria-expanded={shown}
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={shown && active >= 0 ? `${id}-${active}` : undefined}
          aria-describedby={`${id}-note`}
          className="field mono combo"
          value={typed ?? value}
          placeholder={empty}
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => type(event.target.value)}
          onClick={() => {
            if (typed === null) input.current?.select();
            show();
          }}
          onKeyDown={onKeyDown}
          onFocus={() => setLeft(false)}
          onBlur={onBlur}
        />
        <button
          type="button"
          // The arrow keys do the same from the field.
          tabIndex={-1}
          aria-label={`${label}: show the list`}
          className="combo-button"
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => {
            input.current?.focus();
            if (shown) setOpen(false);
            else show();
          }}
        >
          <Icon name="chevron" className="chevron rotate-90" />
        </button>
        {/* Pressing here leaves the focus in the field. */}
        <div
          className="combo-list"
          hidden={!shown}
          onPointerDown={(event) => event.preventDefault()}
        >
          {/* biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keyboard. */}
          <div
            ref={list}
            id={`${id}-list`}
            role="listbox"
            aria-label={label}
            data-testid={`${testId}-list`}
            onClick={pick}
            onPointerMove={point}
            onPointerLeave={() => {
              if (pointed.current) mark(undefined);
            }}
          >
            {shown
              ? entries.map((entry, at) => (
                  <Option
                    key={entry.value}
                    id={`${id}-${at}`}
                    entry={entry}
                    active={at === active}
                    chosen={entry.value === value}
                  />
                ))
              : null}
          </div>
          {more > 0 ? <p className="combo-more">{more} more. Type to find them.</p> : null}
        </div>
      </div>
      <div id={`${id}-note`} aria-live="polite" className="mt-1.5 text-[12px] text-ink3">
        {left && typed !== null ? (
          <p data-testid={`${testId}-left`} className="break-words text-warn">
            “{typed.trim()}” is not chosen yet: Enter takes it, Escape goes back.
          </p>
        ) : null}
        {note}
      </div>
    </div>
  );
}

type OptionProps = { id: string; entry: Entry; active: boolean; chosen: boolean };

/** Kept while the mark walks past it: a list may have hundreds. */
const Option = memo(
  function Option({ id, entry, active, chosen }: OptionProps) {
    return (
      <div
        id={id}
        role="option"
        tabIndex={-1}
        aria-selected={chosen}
        data-active={active}
        className="combo-option"
      >
        <span className="min-w-0 truncate">{entry.label}</span>
        {chosen ? <Icon name="check" className="ml-auto text-acc" /> : null}
      </div>
    );
  },
  (before, after) =>
    before.id === after.id &&
    before.entry.label === after.entry.label &&
    before.active === after.active &&
    before.chosen === after.chosen,
);
