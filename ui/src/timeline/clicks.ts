// The one place that answers clicks inside HTML that Rust made. Nothing there navigates or loads:
// a link asks Rust, which shows the address first.

export type Click =
  | { readonly act: "link"; readonly url: string }
  | {
      readonly act: "cite";
      readonly number: number;
      readonly turn: string;
      readonly mark: HTMLElement;
    }
  | { readonly act: "copy"; readonly button: HTMLElement; readonly text: string }
  | { readonly act: "original"; readonly button: HTMLElement; readonly placeholder: string }
  | { readonly act: "wrap"; readonly button: HTMLElement; readonly figure: HTMLElement };

/** What a click on `target` means, or nothing when it means nothing to us. */
export function readClick(target: EventTarget | null): Click | null {
  if (!(target instanceof Element)) return null;
  const link = target.closest("a");
  if (link) return { act: "link", url: link.getAttribute("href") ?? "" };
  const mark = target.closest<HTMLElement>("button.cite");
  if (mark) {
    const turn = mark.closest<HTMLElement>("[data-turn]")?.dataset.turn ?? "";
    return { act: "cite", number: Number(mark.dataset.cite), turn, mark };
  }
  const taken = target.closest<HTMLElement>("button.taken[data-placeholder]");
  if (taken) {
    return { act: "original", button: taken, placeholder: taken.dataset.placeholder ?? "" };
  }
  const button = target.closest<HTMLElement>("button[data-act]");
  const figure = button?.closest<HTMLElement>("figure.code");
  if (!button || !figure) return null;
  if (button.dataset.act === "wrap") return { act: "wrap", button, figure };
  if (button.dataset.act !== "copy") return null;
  return { act: "copy", button, text: figure.querySelector("code")?.textContent ?? "" };
}

export function toggleWrap(figure: HTMLElement, button: HTMLElement): void {
  const wrapped = figure.toggleAttribute("data-wrap");
  button.setAttribute("aria-pressed", String(wrapped));
}

/** Says on the button itself how copying went, and then takes it back. */
export function flash(button: HTMLElement, word: string): void {
  const before = button.dataset.word ?? button.textContent ?? "";
  button.dataset.word = before;
  button.textContent = word;
  setTimeout(() => {
    button.textContent = before;
  }, 1500);
}

/** Shows what a placeholder stands for in its place, and takes it back with the next press. */
export async function revealOriginal(
  button: HTMLElement,
  ask: () => Promise<string | undefined>,
): Promise<void> {
  const shown = button.getAttribute("aria-expanded") === "true";
  const original = shown ? button.dataset.placeholder : await ask();
  if (original === undefined) return;
  button.textContent = original;
  button.setAttribute("aria-expanded", String(!shown));
}
