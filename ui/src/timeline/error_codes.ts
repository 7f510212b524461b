// What the code of a failed reply means to a reader: a headline, and what to do about it.

type Meaning = { title: string; advice: string };

const unknown: Meaning = { title: "The reply failed", advice: "Send a prompt to go on." };

const meanings: Record<string, Partial<Meaning>> = {
  rate_limited: { title: "Too many requests", advice: "Wait a little, then send a prompt." },
  overloaded: { title: "The source is overloaded", advice: "Wait a little, then send a prompt." },
  invalid_key: {
    title: "The source does not accept the key",
    advice: "Store another one in Settings.",
  },
  no_credit: {
    title: "The account has no credit",
    advice: "Add credit at the provider, or choose another source.",
  },
  context_too_long: {
    title: "The conversation is too long for this model",
    advice: "Send less, start a new session, or choose a model with a larger context.",
  },
  model_not_found: {
    title: "The source does not have this model",
    advice: "Choose another one in Settings.",
  },
  refused: { title: "The source refused this prompt", advice: "Change the prompt to go on." },
  invalid_request: { title: "The source did not accept the request" },
  server_error: { title: "The source had an error" },
  network: { title: "The connection failed" },
  timeout: { title: "The source took too long" },
  reply_too_long: { title: "The reply was too long" },
};

export function meaningOf(code: string): Meaning {
  return { ...unknown, ...(Object.hasOwn(meanings, code) ? meanings[code] : {}) };
}
