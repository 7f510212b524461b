// The options of a session as a form shows them, and what a filled form means.

import type { ProviderTool, RequestOptions, ToolChoice } from "../host/protocol";

export const providerTools: readonly { value: ProviderTool; label: string }[] = [
  { value: "web_search", label: "Web search" },
  { value: "code_execution", label: "Code execution" },
  { value: "file_search", label: "File search" },
  { value: "image_generation", label: "Image generation" },
];

/** Every field as text, as it was typed. */
export type OptionsForm = {
  readonly maxTokens: string;
  readonly temperature: string;
  readonly topP: string;
  readonly stop: string;
  readonly toolChoice: string;
  readonly fileStores: string;
  readonly schema: string;
};

export type OptionsField = keyof OptionsForm;

/** Whether anything is set at all. */
export function isSet(options: RequestOptions): boolean {
  return countSet(options) > 0;
}

/** How many things are set, counting each tool of the provider's. */
export function countSet({ providerTools, fileStores, ...others }: RequestOptions): number {
  const isThere = (value: unknown) =>
    value !== undefined && !(Array.isArray(value) && value.length === 0);
  return Object.values(others).filter(isThere).length + (providerTools ?? []).length;
}

export function toForm(options: RequestOptions): OptionsForm {
  const number = (value: number | undefined) => (value === undefined ? "" : `${value}`);
  return {
    maxTokens: number(options.maxTokens),
    temperature: number(options.temperature),
    topP: number(options.topP),
    stop: (options.stop ?? []).join("\n"),
    toolChoice: typeof options.toolChoice === "string" ? options.toolChoice : "",
    fileStores: (options.fileStores ?? []).join("\n"),
    schema: options.schema ? JSON.stringify(options.schema, null, 2) : "",
  };
}

export type Read =
  | { readonly options: RequestOptions }
  | { readonly field: OptionsField; readonly trouble: string };

/** What a form asks for, or the first field that asks for nothing possible. */
export function readForm(form: OptionsForm, tools: readonly ProviderTool[]): Read {
  const maxTokens = readNumber(form.maxTokens);
  if (maxTokens !== undefined && !(Number.isInteger(maxTokens) && maxTokens >= 1)) {
    return { field: "maxTokens", trouble: "The longest reply is a whole number of tokens." };
  }
  const temperature = readNumber(form.temperature);
  if (temperature !== undefined && !(temperature >= 0 && temperature <= 2)) {
    return { field: "temperature", trouble: "A temperature is a number from 0 to 2." };
  }
  const topP = readNumber(form.topP);
  if (topP !== undefined && !(topP >= 0 && topP <= 1)) {
    return { field: "topP", trouble: "Top-p is a number from 0 to 1." };
  }
  const fileStores = readLines(form.fileStores);
  if (tools.includes("file_search") && fileStores.length === 0) {
    return { field: "fileStores", trouble: "File search needs the name of a store." };
  }
  const schema = readSchema(form.schema);
  if (schema === null) {
    return { field: "schema", trouble: "A JSON Schema is one JSON object." };
  }
  const stop = readLines(form.stop);
  return {
    options: {
      ...(maxTokens === undefined ? {} : { maxTokens }),
      ...(temperature === undefined ? {} : { temperature }),
      ...(topP === undefined ? {} : { topP }),
      ...(stop.length === 0 ? {} : { stop }),
      ...(form.toolChoice === "" ? {} : { toolChoice: form.toolChoice as ToolChoice }),
      ...(tools.length === 0 ? {} : { providerTools: [...tools] }),
      ...(fileStores.length === 0 ? {} : { fileStores }),
      ...(schema === undefined ? {} : { schema }),
    },
  };
}

/** Nothing for an empty field, and no number at all for one that is none. */
function readNumber(text: string): number | undefined {
  return text.trim() === "" ? undefined : Number(text);
}

function readLines(text: string): string[] {
  return text.split("\n").filter((line) => line.trim() !== "");
}

/** Nothing for an empty field, `null` for what is no object. */
function readSchema(text: string): Record<string, unknown> | undefined | null {
  if (text.trim() === "") return undefined;
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
