// Reads AI SDK UI message streams with the real `ai` package, strictly, and prints one line
// of JSON for each: what the message came to, and every problem on the way.
//
//   verify.mjs FILE…    each file is one stream
//   verify.mjs -        standard input is one stream
//   verify.mjs          each line of standard input is one stream, as a JSON string
//
// Ends with 1 when any stream has a problem.

import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import {
  convertToModelMessages,
  getToolName,
  isToolUIPart,
  parseJsonEventStream,
  readUIMessageStream,
  safeValidateUIMessages,
  UIMessageStreamError,
  uiMessageChunkSchema,
} from "ai";

// The field by which a chunk names a part for the first and only time.
const NAMES = {
  "text-start": "id",
  "reasoning-start": "id",
  "source-url": "sourceId",
  "source-document": "sourceId",
};

async function verify(stream) {
  const problems = [];
  if (!endsInDone(stream)) problems.push("the stream does not end in one [DONE]");
  const chunks = await parse(stream, problems);
  checkOrder(chunks, problems);
  const errors = [];
  const message = await read(chunks, errors, problems);
  if (message) await checkMessage(message, problems);
  return { ...sumUp(message), errors, finished: chunks.at(-1)?.type === "finish", problems };
}

function endsInDone(stream) {
  const end = "\n\ndata: [DONE]\n\n";
  return stream.endsWith(end) && stream.indexOf(end) === stream.length - end.length;
}

async function parse(stream, problems) {
  const bytes = new Response(stream).body;
  const chunks = [];
  for await (const result of parseJsonEventStream({
    stream: bytes,
    schema: uiMessageChunkSchema,
  })) {
    if (result.success) chunks.push(result.value);
    else problems.push(`refused by the schema: ${result.error.message}`);
  }
  return chunks;
}

// What the reader lets pass and a front end would stumble over.
function checkOrder(chunks, problems) {
  const count = (type) => chunks.filter((chunk) => chunk.type === type).length;
  if (count("start") !== 1) problems.push(`${count("start")} starts`);
  if (count("finish") + count("abort") !== 1) problems.push("no end, or several");
  if (!["finish", "abort"].includes(chunks.at(-1)?.type)) problems.push("the end is not last");
  const ids = new Set();
  let inStep = false;
  for (const chunk of chunks) {
    const id = chunk[NAMES[chunk.type]];
    if (id !== undefined) {
      if (ids.has(id)) problems.push(`${chunk.type} uses the id ${id} again`);
      ids.add(id);
    }
    if (chunk.type === "start-step" || chunk.type === "finish-step") {
      const begins = chunk.type === "start-step";
      if (begins === inStep) problems.push(`${chunk.type} out of place`);
      inStep = begins;
    }
  }
  if (inStep) problems.push("a step is left open");
}

async function read(chunks, errors, problems) {
  const told = chunks.filter((chunk) => chunk.type === "error").length;
  let message;
  const onError = (error) => {
    if (UIMessageStreamError.isInstance(error) || errors.length === told)
      problems.push(String(error));
    else errors.push(error.message);
  };
  for await (message of readUIMessageStream({ stream: ReadableStream.from(chunks), onError }));
  return message;
}

async function checkMessage(message, problems) {
  const valid = await safeValidateUIMessages({ messages: [message] });
  if (!valid.success) problems.push(`no valid message: ${valid.error.message}`);
  await convertToModelMessages([message]).catch((error) =>
    problems.push(`cannot be sent on: ${error}`),
  );
  const calls = new Map();
  for (const part of message.parts) {
    const open = part.state === "streaming" || part.state === "input-streaming";
    if (open) problems.push(`left open: ${JSON.stringify(part)}`);
    if (!isToolUIPart(part)) continue;
    // A call that was given up may be asked again in another step.
    const before = calls.get(part.toolCallId) ?? "output-error";
    if (before !== "output-error") problems.push(`told twice: ${part.toolCallId}`);
    calls.set(part.toolCallId, part.state);
  }
}

function sumUp(message) {
  const parts = message?.parts ?? [];
  const of = (...types) => parts.filter((part) => types.includes(part.type));
  return {
    messageId: message?.id ?? null,
    metadata: message?.metadata ?? null,
    text: of("text")
      .map((part) => part.text)
      .join(""),
    reasoning: of("reasoning").map(({ text, providerMetadata }) => ({
      text,
      ...providerMetadata?.weir,
    })),
    tools: parts.filter(isToolUIPart).map((part) => ({
      toolCallId: part.toolCallId,
      toolName: getToolName(part),
      state: part.state,
      providerExecuted: part.providerExecuted ?? false,
      input: part.input ?? null,
      output: part.output ?? null,
      errorText: part.errorText ?? null,
    })),
    sources: of("source-url", "source-document"),
    files: of("file"),
    data: parts.filter((part) => part.type.startsWith("data-")),
    steps: of("step-start").length,
  };
}

async function streams(names) {
  if (names.length > 0) {
    return Promise.all(
      names.map((name) => (name === "-" ? text(process.stdin) : readFile(name, "utf8"))),
    );
  }
  const lines = (await text(process.stdin)).split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line));
}

for (const stream of await streams(process.argv.slice(2))) {
  const verdict = await verify(stream);
  if (verdict.problems.length > 0) process.exitCode = 1;
  process.stdout.write(`${JSON.stringify(verdict)}\n`);
}
