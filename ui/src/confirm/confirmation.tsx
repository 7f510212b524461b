// What would happen, first and whole; Cancel has the focus, the accepting button is last. Nothing
// counts until the window could be read for half a second, here and in Rust.

import { type KeyboardEvent, useCallback, useEffect, useRef, useState } from "react";
import { Button } from "../design/button";
import type {
  Confirmation,
  ConfirmationAnswer,
  ConfirmationSection,
  ConfirmationSubject,
  Fragment,
} from "../host/protocol";
import { useTheme } from "../settings/theme";
import { useReadable } from "./readable";

type Props = {
  request: Confirmation;
  /** Rejects when Rust does not take the answer yet. */
  onAnswer: (answer: ConfirmationAnswer) => Promise<void>;
};

export function ConfirmationView({ request, onAnswer }: Props) {
  useTheme(request.theme);
  const content = useRef<HTMLElement>(null);
  const cancel = useRef<HTMLButtonElement>(null);
  const tellTooSoon = useCallback(() => {
    // Rust takes it for no answer, which is meant.
    void onAnswer("too_soon").catch(() => undefined);
  }, [onAnswer]);
  const { readable, isMeant, restart } = useReadable(tellTooSoon);
  const scrolls = useScrolls(content);
  useEffect(() => cancel.current?.focus(), []);

  function give(answer: ConfirmationAnswer) {
    // A refusal means that Rust is not ready yet, and has begun anew as well.
    if (isMeant()) void onAnswer(answer).catch(restart);
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.key === "Escape") give("cancel");
    else if (!scroll(content.current, event.key)) return;
    event.preventDefault();
  }

  return (
    <div
      role="alertdialog"
      aria-labelledby="title"
      aria-describedby={describedBy(request)}
      className="confirmation"
      onKeyDown={onKeyDown}
    >
      <header>
        <h1 id="title">{request.title}</h1>
        <Subject {...request.subject} />
        <p className="text-ink3">Asked by Weir’s main window, {time()}</p>
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard. */}
      <section ref={content} aria-label="What would happen" tabIndex={0} data-testid="content">
        {request.sections.map((section, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the sections of a request never change.
          <Section key={at} id={sectionId(at)} {...section} />
        ))}
      </section>
      <footer>
        <p className="min-w-0 flex-1 text-[12px] text-ink3">
          Nothing happens until you choose.{scrolls ? " Scroll to read all of it." : ""}
        </p>
        <Button ref={cancel} data-testid="cancel" onClick={() => give("cancel")}>
          Cancel
        </Button>
        <Button
          look="primary"
          data-testid="accept"
          aria-disabled={!readable}
          className="aria-disabled:opacity-50"
          onClick={() => give("accept")}
        >
          {request.accept}
        </Button>
      </footer>
    </div>
  );
}

/** A name from outside is a quotation of its own, so that it passes for none of the words around it. */
function Subject({ label, name }: ConfirmationSubject) {
  return (
    <p id="subject">
      {label}
      {name.length === 0 ? null : (
        <q>
          <Fragments fragments={name} />
        </q>
      )}
    </p>
  );
}

function sectionId(at: number): string {
  return `section-${at}`;
}

/** What a screen reader says first. Long texts of a folder's are left for the user to walk through. */
function describedBy({ sections }: Confirmation): string {
  const said = sections.flatMap(({ kind }, at) => (kind === "prose" ? [] : [sectionId(at)]));
  return ["subject", ...said].join(" ");
}

function Section({ id, kind, heading, text }: ConfirmationSection & { id: string }) {
  const fragments = <Fragments fragments={text} />;
  switch (kind) {
    case "statement":
      return <p id={id}>{fragments}</p>;
    case "warning":
      return (
        <p id={id} className="confirmation-warning">
          {fragments}
        </p>
      );
    case "code":
    case "prose":
      return (
        <figure id={id} data-kind={kind}>
          {heading === "" ? null : <figcaption>{heading}</figcaption>}
          <blockquote>{fragments}</blockquote>
        </figure>
      );
  }
}

function Fragments({ fragments }: { fragments: readonly Fragment[] }) {
  return fragments.map((fragment, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the fragments of a text never change.
    <Piece key={at} {...fragment} />
  ));
}

function Piece(fragment: Fragment) {
  switch (fragment.kind) {
    case "text":
      return fragment.text;
    case "right_to_left":
      return <bdi>{fragment.text}</bdi>;
    case "hidden":
      return <mark className="hidden-character">{fragment.name}</mark>;
    case "line_end":
      return (
        <>
          <span role="img" aria-label="line end" className="text-ink3">
            ↵
          </span>
          {"\n"}
        </>
      );
  }
}

/** Whether there is more than fits. */
function useScrolls(content: { readonly current: HTMLElement | null }): boolean {
  const [scrolls, setScrolls] = useState(false);
  useEffect(() => {
    const element = content.current;
    if (!element) return undefined;
    // The window has no size yet when the page is drawn for the first time.
    const observer = new ResizeObserver(() =>
      setScrolls(element.scrollHeight > element.clientHeight),
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [content]);
  return scrolls;
}

const STEPS: Record<string, (page: number) => number> = {
  ArrowDown: () => 40,
  ArrowUp: () => -40,
  PageDown: (page) => page * 0.9,
  PageUp: (page) => -page * 0.9,
  Home: () => Number.NEGATIVE_INFINITY,
  End: () => Number.POSITIVE_INFINITY,
};

/** Scrolls the content by a key, wherever the focus is. */
function scroll(element: HTMLElement | null, key: string): boolean {
  const step = STEPS[key]?.(element?.clientHeight ?? 0);
  if (!element || step === undefined) return false;
  const top = element.scrollTop + step;
  element.scrollTop = Math.min(Math.max(top, 0), element.scrollHeight);
  return true;
}

function time(): string {
  return new Date().toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
}
