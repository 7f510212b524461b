// The settings that the fake host begins with: every source, most of them without a key.

import type { CustomServer, KeyState, Settings, SourceSettings } from "./protocol";

type Row = readonly [name: string, label: string, baseUrl: string, ...models: string[]];

const OPENAI = "https://api.openai.com/v1";

const providers: readonly Row[] = [
  ["demo", "Demo", "", "demo"],
  ["anthropic", "Anthropic", "https://api.anthropic.com", "claude-sonnet-4-5", "claude-haiku-4-5"],
  ["openai", "OpenAI", OPENAI, "gpt-5", "gpt-5-mini"],
  ["openai-chat", "OpenAI, chat completions", OPENAI, "gpt-5", "gpt-5-mini"],
  ["gemini", "Gemini", "https://generativelanguage.googleapis.com", "gemini-4-argon"],
  ["openrouter", "OpenRouter", "https://openrouter.ai/api/v1", "openai/gpt-5"],
  ["deepseek", "DeepSeek", "https://api.deepseek.com/v1", "deepseek-flash"],
  ["groq", "Groq", "https://api.groq.com/openai/v1", "openai/gpt-oss-120b"],
  ["mistral", "Mistral", "https://api.mistral.ai/v1", "mistral-medium-latest"],
  ["xai", "xAI", "https://api.x.ai/v1", "grok-4.7"],
];

const here: readonly Row[] = [
  ["ollama", "Ollama", "http://127.0.0.1:11434"],
  ["lmstudio", "LM Studio", "http://127.0.0.1:1234/v1"],
  ["llamacpp", "llama.cpp", "http://127.0.0.1:8080/v1"],
  ["vllm", "vLLM", "http://127.0.0.1:8000/v1"],
];

const another: Row = ["openai-compatible", "Another server", "http://127.0.0.1:4000/v1"];

/** The sources whose key is not missing. */
const keys: Readonly<Record<string, KeyState>> = {
  demo: { state: "not_needed" },
  openai: { state: "stored" },
};

function source(row: Row, local: boolean, key: KeyState): SourceSettings {
  const [name, label, baseUrl, ...models] = row;
  return {
    name,
    label,
    model: models[0] ?? "",
    models,
    baseUrl,
    local,
    own: false,
    providerTools: name === "openai" ? ["web_search", "code_execution", "file_search"] : [],
    takesSchema: name !== "demo",
    key,
  };
}

export function fakeServer({ name, baseUrl }: CustomServer): SourceSettings {
  return { ...source([name, name, baseUrl], false, { state: "optional" }), own: true };
}

export function fakeSettings(): Settings {
  return {
    source: "demo",
    thinking: "medium",
    theme: "system",
    sources: [
      ...providers.map((row) => source(row, false, keys[row[0]] ?? { state: "missing" })),
      ...here.map((row) => source(row, true, { state: "optional" })),
      source(another, false, { state: "optional" }),
    ],
    pricesAsOf: "2026-11-06",
    prices: [],
    budgets: [],
  };
}
