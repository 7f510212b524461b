// The contestants of the wire benchmark that run in Node: the AI SDK's providers, given the
// bytes by a `fetch` that answers them in reads of the asked size. Started by
// tests/bench; talks in lines. A line in: a JSON array; a line out: a JSON object.
//
//   ["stream", dialect, file]           -> {}
//   ["tell", name, dialect, size]       -> { text, thinking, inputs, outputTokens } or {}
//   ["time", name, dialect, size, ms]   -> { nanoseconds }, the mean of the passes of a turn

import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";

const prompt = [{ role: "user", content: [{ type: "text", text: "Hello." }] }];
const streams = new Map();
let reads = [];

/** The bytes in reads, as a body gives them. */
async function fetchReads() {
  let at = 0;
  const body = new ReadableStream({
    pull(controller) {
      if (at < reads.length) controller.enqueue(reads[at++]);
      else controller.close();
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

const options = { apiKey: "none", baseURL: "http://localhost", fetch: fetchReads };
const openai = createOpenAI(options);
const models = [
  ["@ai-sdk/anthropic", "anthropic", createAnthropic(options)("claude-bench")],
  ["@ai-sdk/openai", "openai-chat", openai.chat("gpt-bench")],
  ["@ai-sdk/openai", "openai-responses", openai.responses("gpt-bench")],
  ["@ai-sdk/google", "gemini", createGoogleGenerativeAI(options)("gemini-bench")],
];

function version(name) {
  const manifest = new URL(`node_modules/${name}/package.json`, import.meta.url);
  return JSON.parse(readFileSync(manifest, "utf8")).version;
}

const contestants = models.map(([name, dialect, model]) => ({
  name: `${name} ${version(name)}`,
  role: "peer",
  dialects: [dialect],
  open: async () => (await model.doStream({ prompt })).stream,
}));
// What the reads cost before anybody parses them.
contestants.push({
  name: `Node ${process.versions.node}, reads alone`,
  role: "floor",
  dialects: models.map(([, dialect]) => dialect),
  open: async () => (await fetchReads()).body,
});

/** One pass: every part is handed to `look`, and dropped. */
async function pass(contestant, look) {
  const reader = (await contestant.open()).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    look(value);
  }
}

async function tell(contestant) {
  const told = { text: "", thinking: "", inputs: [], outputTokens: 0 };
  await pass(contestant, (part) => {
    if (part.type === "text-delta") told.text += part.delta;
    if (part.type === "reasoning-delta") told.thinking += part.delta;
    if (part.type === "tool-call") told.inputs.push(JSON.parse(part.input));
    if (part.type === "finish") told.outputTokens = part.usage.outputTokens.total;
    if (part.type === "error") throw part.error;
  });
  return told;
}

/** In processor time of this thread; what the collector does beside it is not counted. */
async function time(contestant, milliseconds) {
  const end = performance.now() + milliseconds;
  const before = process.threadCpuUsage();
  let passes = 0;
  let parts = 0;
  while (passes === 0 || performance.now() < end) {
    await pass(contestant, () => {
      parts += 1;
    });
    passes += 1;
  }
  if (parts === 0) throw new Error("nothing was read");
  const { user, system } = process.threadCpuUsage(before);
  return { nanoseconds: ((user + system) * 1000) / passes };
}

function cut(bytes, size) {
  const count = Math.ceil(bytes.length / size);
  return Array.from({ length: count }, (_, at) => bytes.subarray(at * size, (at + 1) * size));
}

async function answer([verb, name, dialect, size, milliseconds]) {
  if (verb === "stream") {
    streams.set(name, new Uint8Array(readFileSync(dialect)));
    return {};
  }
  const isMeant = (it) => it.name === name && it.dialects.includes(dialect);
  const contestant = contestants.find(isMeant);
  reads = cut(streams.get(dialect), size);
  if (verb === "time") return time(contestant, milliseconds);
  return contestant.role === "floor" ? {} : tell(contestant);
}

const say = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);
say(contestants.map(({ name, role, dialects }) => ({ name, role, dialects })));
for await (const line of createInterface({ input: process.stdin })) {
  try {
    say(await answer(JSON.parse(line)));
  } catch (error) {
    say({ error: String(error) });
  }
}
