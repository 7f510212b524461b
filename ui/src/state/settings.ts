// What becomes of an answer with settings. Each tells all of them as they were when it was made,
// and some wait for a person, so they may come in any order: one that another has overtaken is
// believed only about its own change, and not at all once a newer ask for the same was answered.

import type { Settings, SettingsChange, SourceSettings } from "../host/protocol";

export type SettingsAsk = SettingsChange | { readonly set: "key"; readonly source: string };

/** Makes the settings to hold from those that were told and those that are held by then. */
export type Settle = (told: Settings, held: Settings) => Settings;

export class SettingsAsks {
  #asked = 0;
  #answered = 0;
  /** The newest answered ask, by what it was about. */
  readonly #newest = new Map<string, number>();

  begin(ask: SettingsAsk): Settle {
    this.#asked += 1;
    const number = this.#asked;
    const answeredBefore = this.#answered;
    const subject = subjectOf(ask);
    return (told, held) => {
      const overtaken = this.#answered > answeredBefore;
      this.#answered += 1;
      const newest = this.#newest.get(subject) ?? 0;
      if (newest > number) return held;
      this.#newest.set(subject, number);
      return overtaken ? takeOwn(ask, told, held) : told;
    };
  }
}

function subjectOf(ask: SettingsAsk): string {
  switch (ask.set) {
    case "source":
    case "thinking":
    case "theme":
      return ask.set;
    case "model":
    case "base_url":
    case "key":
      return `${ask.set} ${ask.source}`;
    case "price":
      return `price ${ask.price.model.trim()}`;
    case "forget_price":
      return `price ${ask.model.trim()}`;
    case "add_server":
      return `server ${ask.server.name.trim()}`;
    case "remove_server":
      return `server ${ask.name.trim()}`;
    case "budget":
    case "remove_budget":
      return `budget ${JSON.stringify({ ...ask.budget, limit: 0 })}`;
  }
}

/** What is held, with only that taken from what was told which the ask was to change. */
function takeOwn(ask: SettingsAsk, told: Settings, held: Settings): Settings {
  switch (ask.set) {
    case "source":
      return { ...held, source: told.source };
    case "thinking":
      return { ...held, thinking: told.thinking };
    case "theme":
      return { ...held, theme: told.theme };
    case "model":
      return takeOfSources(told, held, ask.source, ({ model }) => ({ model }));
    case "base_url":
      return takeOfSources(told, held, ask.source, ({ baseUrl }) => ({ baseUrl }));
    case "key":
      // Two sources may share a key.
      return takeOfSources(told, held, undefined, ({ key }) => ({ key }));
    case "price":
      return takePrice(told, held, ask.price.model);
    case "forget_price":
      return takePrice(told, held, ask.model);
    case "add_server":
      return takeServer(told, held, ask.server.name);
    case "remove_server":
      return takeServer(told, held, ask.name);
    case "budget":
    case "remove_budget":
      return { ...held, budgets: told.budgets };
  }
}

/** `only` names one source; without it, all are meant. */
function takeOfSources(
  told: Settings,
  held: Settings,
  only: string | undefined,
  pick: (source: SourceSettings) => Partial<SourceSettings>,
): Settings {
  const sources = held.sources.map((source) => {
    const now = told.sources.find(({ name }) => name === source.name);
    return now && (only ?? source.name) === source.name ? { ...source, ...pick(now) } : source;
  });
  return { ...held, sources };
}

/** Only whether the server of this name is there. */
function takeServer(told: Settings, held: Settings, name: string): Settings {
  const isIt = (source: SourceSettings) => source.own && source.name === name.trim();
  const sources = [...held.sources.filter((it) => !isIt(it)), ...told.sources.filter(isIt)];
  return { ...held, sources };
}

function takePrice(told: Settings, held: Settings, name: string): Settings {
  const isIt = ({ model }: { model: string }) => model === name.trim();
  const prices = [...held.prices.filter((price) => !isIt(price)), ...told.prices.filter(isIt)];
  return { ...held, prices: prices.sort((a, b) => (a.model < b.model ? -1 : 1)) };
}
