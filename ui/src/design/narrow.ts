// What a list to choose from shows for what was typed.

export type Entry = { readonly value: string; readonly label: string };
export type Narrowed = {
  readonly entries: readonly Entry[];
  /** How many more there would be. */
  readonly more: number;
};

type Choice = {
  readonly options: readonly string[];
  /** What is chosen now. */
  readonly value: string;
  /** What no name at all stands for, when that is a choice. */
  readonly empty?: string;
};

/** More than anyone reads through, and few enough to be drawn between two letters. */
export const MOST_ENTRIES = 60;

function matches(option: string, typed: string): boolean {
  const name = option.toLowerCase();
  return typed
    .toLowerCase()
    .split(/\s+/)
    .every((word) => name.includes(word));
}

/**
 * The entries for `typed`, which is null as long as nothing was: the options that have all of
 * its words, and last the words themselves, since a name need not be in the list.
 */
export function narrow({ options, value, empty }: Choice, typed: string | null): Narrowed {
  const name = typed?.trim() ?? "";
  const fitting = [...new Set(options)].filter((option) => option !== "" && matches(option, name));
  const shown = fitting.slice(0, MOST_ENTRIES);
  // What is chosen is in sight, however far down it is.
  if (name === "" && !shown.includes(value) && fitting.includes(value)) {
    shown.splice(-1);
    shown.unshift(value);
  }
  const entries = shown.map((option) => ({ value: option, label: option }));
  if (name === "" && empty !== undefined) entries.unshift({ value: "", label: empty });
  if (name !== "" && options.length > 0 && !options.includes(name)) {
    entries.push({ value: name, label: `Use “${name}”` });
  }
  return { entries, more: fitting.length - shown.length };
}

/** The entry that is marked by typing alone: the very name, else the only one there is. */
export function markFor({ entries, more }: Narrowed, typed: string): number {
  const name = typed.trim();
  if (name === "") return -1;
  const listed = entries.filter(({ value, label }) => value === label);
  if (listed.length === 1 && more === 0) return 0;
  return entries.findIndex(({ label }) => label === name);
}

/** Whether what was typed is a name by itself, not the beginning of a search. */
export function isWhole(options: readonly string[], typed: string): boolean {
  const name = typed.trim();
  return name === "" || options.includes(name) || !options.some((option) => matches(option, name));
}
