// Which models there are to choose from, and where that is known from: a source that was asked
// has the last word, then a server found on this machine, then what Weir ships with.

import type {
  ErrorBody,
  FoundSource,
  SessionSummary,
  Settings,
  SourceSettings,
} from "../host/protocol";

/** How asking a source for its models went. */
export type Answer =
  | { readonly state: "asking" }
  | { readonly state: "known"; readonly models: readonly string[] }
  | { readonly state: "failed"; readonly error: ErrorBody };

/** By source; `ask` numbers the asks, so that a late answer does not take a newer one's place. */
export type Asked = Readonly<Record<string, Answer & { readonly ask: number }>>;

/** The servers on this machine; `sources` is absent until the first look is over. */
export type Found = {
  readonly looking: boolean;
  readonly sources?: readonly FoundSource[];
  readonly error?: ErrorBody;
};

export const nothingFound: Found = { looking: false };

/** What a session is asked of. */
export type Choice = Pick<SessionSummary, "source" | "model" | "thinking">;

/** The settings with a session's own source, model and effort in the place of the defaults. */
export function settingsFor(settings: Settings, choice: Choice | undefined): Settings {
  if (!choice) return settings;
  const sources = settings.sources.map((source) =>
    source.name === choice.source ? { ...source, model: choice.model } : source,
  );
  const thinking = choice.thinking ?? settings.thinking;
  return { ...settings, source: choice.source, sources, thinking };
}

/** The defaults once a session was used, as Rust keeps them: the next one begins with the same. */
export function lastUsed(settings: Settings, choice: Choice): Settings {
  const used = settings.sources.find(({ name }) => name === choice.source);
  if (!used) return settings;
  // Who wants whatever is loaded goes on wanting that.
  const model = used.model === "" || choice.model === "" ? used.model : choice.model;
  return settingsFor(settings, { ...choice, model });
}

/** The source that the next turn is asked of. */
export function sourceOf(settings: Settings): SourceSettings | undefined {
  return settings.sources.find(({ name }) => name === settings.source);
}

export function modelLabel(model: string): string {
  return model === "" ? "Whatever is loaded" : model;
}

/** Whether a source may be asked without naming a model: its server has one loaded. */
export function canDoWithout({ models }: SourceSettings): boolean {
  return models.length === 0;
}

/** Whether a source answers nobody without a key; the servers of this machine can do without. */
export function wantsKey({ key, local }: SourceSettings): boolean {
  return key.state === "missing" || (key.state === "unavailable" && !local);
}

/** Whether a source has a server that would answer, as far as its key goes. */
export function canBeAsked(source: SourceSettings): boolean {
  return source.baseUrl !== "" && !wantsKey(source);
}

/** Whether a source's address is on this machine, and not only its kind usually there. */
export function isHere({ baseUrl }: SourceSettings): boolean {
  if (!URL.canParse(baseUrl)) return false;
  const { hostname } = new URL(baseUrl);
  return (
    hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname) || /^(.+\.)?localhost$/.test(hostname)
  );
}

/** The host and port of a source, as a person would name its place. */
export function placeOf({ baseUrl }: SourceSettings): string {
  return URL.canParse(baseUrl) ? new URL(baseUrl).host : baseUrl;
}

/** Whether servers that one looks for are still where they were looked for. */
export function sameLocalAddresses(before: Settings, after: Settings): boolean {
  const addresses = ({ sources }: Settings) =>
    JSON.stringify(
      sources.filter(({ local }) => local).map(({ name, baseUrl }) => [name, baseUrl]),
    );
  return addresses(before) === addresses(after);
}

/** Names as a server told them, without what it told twice or left empty. */
export function eachOnce(names: readonly string[]): string[] {
  return [...new Set(names)].filter((name) => name !== "");
}

export function hasKey({ key }: SourceSettings): boolean {
  return key.state === "stored" || key.state === "this_run_only" || key.state === "environment";
}

/** The models of a server that answers, or nothing when none is known to. */
export function answeringModels(
  source: SourceSettings,
  asked: Asked,
  found: Found,
): readonly string[] | undefined {
  const answer = asked[source.name];
  if (answer?.state === "known") return answer.models;
  return found.sources?.find(({ name }) => name === source.name)?.models;
}

/** What the model field offers. */
export function modelsOf(source: SourceSettings, asked: Asked, found: Found): readonly string[] {
  const models = answeringModels(source, asked, found) ?? [];
  return models.length > 0 ? models : source.models;
}

/** What of `asked` is still true once the settings have changed. */
export function keepTrue(asked: Asked, before: Settings, after: Settings): Asked {
  const stands = ([name]: readonly [string, unknown]) => {
    const [old, now] = [before, after].map(({ sources }) =>
      sources.find((source) => source.name === name),
    );
    return old?.baseUrl === now?.baseUrl && old?.key.state === now?.key.state;
  };
  const entries = Object.entries(asked);
  return entries.every(stands) ? asked : Object.fromEntries(entries.filter(stands));
}

/** The models of one source that can be used right now. */
export type Offer = {
  readonly source: string;
  readonly label: string;
  readonly models: readonly string[];
  /** How many there are in all, when these are not all. */
  readonly of?: number;
};

/** More than one finds by looking; the settings have a field to search in. */
export const MOST_OFFERED = 24;

/** For hopping between models: every source that is chosen, has a key or runs here. */
export function offers(
  settings: Settings,
  asked: Asked,
  found: Found,
  most = MOST_OFFERED,
): readonly Offer[] {
  return settings.sources
    .filter((source) => isUsable(source, settings, asked, found))
    .map((source) => offer(source, modelsOf(source, asked, found), most));
}

function isUsable(source: SourceSettings, settings: Settings, asked: Asked, found: Found) {
  return (
    source.name === settings.source ||
    source.key.state === "not_needed" ||
    (hasKey(source) && !source.local) ||
    answeringModels(source, asked, found) !== undefined
  );
}

function offer(source: SourceSettings, models: readonly string[], most: number): Offer {
  const { name, label, model } = source;
  const loaded = canDoWithout(source) ? [""] : [];
  const own = models.includes(model) ? [] : [model];
  const all = [...new Set([...loaded, ...own, ...models])];
  if (all.length <= most) return { source: name, label, models: all };
  const shipped = source.models.filter((known) => models.includes(known));
  const first = [...new Set([...loaded, model, ...shipped, ...models])].slice(0, most);
  return { source: name, label, models: first, of: models.length };
}
