import { expect, it } from "vitest";
import type { RequestOptions } from "../host/protocol";
import { countSet, readForm, toForm } from "./options";

const all: RequestOptions = {
  maxTokens: 9,
  temperature: 0,
  topP: 1,
  stop: ["END", "a b"],
  toolChoice: "required",
  providerTools: ["web_search", "file_search"],
  fileStores: ["vs_1"],
  schema: { type: "object" },
};

it("reads back what it shows", () => {
  expect(readForm(toForm(all), all.providerTools ?? [])).toEqual({ options: all });
  expect(readForm(toForm({}), [])).toEqual({ options: {} });
});

it("counts each tool, and no store", () => {
  expect(countSet({})).toBe(0);
  expect(countSet({ stop: [], providerTools: [] })).toBe(0);
  expect(countSet(all)).toBe(8);
});

it("names the first field that cannot be used", () => {
  const wrong = [
    [{ maxTokens: "0" }, "maxTokens"],
    [{ maxTokens: "1.5" }, "maxTokens"],
    [{ maxTokens: "many" }, "maxTokens"],
    [{ temperature: "2.1" }, "temperature"],
    [{ topP: "-1" }, "topP"],
    [{ schema: "{" }, "schema"],
    [{ schema: "null" }, "schema"],
  ] as const;
  for (const [typed, field] of wrong) {
    expect(readForm({ ...toForm({}), ...typed }, [])).toMatchObject({ field });
  }
  expect(readForm(toForm({}), ["file_search"])).toMatchObject({ field: "fileStores" });
});
