import { act, fireEvent } from "@testing-library/react";
import { expect, it } from "vitest";
import { FakeHost, fakeSession } from "../host/fake";
import { draw } from "../testing/draw";

async function drawOptions(host = new FakeHost()) {
  const drawn = await draw(host);
  const click = (id: string) => act(async () => void fireEvent.click(drawn.get(id) as HTMLElement));
  const type = (id: string, value: string) =>
    act(async () => void fireEvent.change(drawn.get(id) as HTMLElement, { target: { value } }));
  return { ...drawn, click, type };
}

it("offers the tools that the source runs, and only those", async () => {
  const host = new FakeHost();
  host.startup.settings.source = "openai";
  const { get, click } = await drawOptions(host);
  await click("composer-options");
  const isOff = (tool: string) => (get(`option-${tool}`) as HTMLInputElement).disabled;
  const tools = ["web_search", "code_execution", "file_search", "image_generation"];
  expect(tools.map(isOff)).toEqual([false, false, false, true]);
});

it("sends what was set with the first prompt of a new session, and once", async () => {
  const host = new FakeHost();
  host.startup.settings.source = "openai";
  const { get, click, type, store } = await drawOptions(host);
  await click("composer-options");
  await click("option-web_search");
  await type("option-maxTokens", "500");
  await click("options-save");
  expect(get("composer-options")?.getAttribute("aria-label")).toBe("Options, 2 set");
  await act(() => store.send(null, "hello"));
  expect(host.askedOf("send")[0]).toContainEqual({
    maxTokens: 500,
    providerTools: ["web_search"],
  });
  expect(store.app.options).toEqual({});
});

it("keeps what was set in the open session", async () => {
  const host = new FakeHost();
  const session = fakeSession("one", { source: "openai", options: { temperature: 0.5 } });
  host.startup.sessions = [session];
  host.snapshots.set("one", { session, watch: 1, events: [], growing: [], hasEarlier: false });
  const { click, type, store, get } = await drawOptions(host);
  await act(() => store.open("one"));
  await click("composer-options");
  expect((get("option-temperature") as HTMLInputElement).value).toBe("0.5");
  await type("option-topP", "0.9");
  await click("options-save");
  const options = { temperature: 0.5, topP: 0.9 };
  expect(host.askedOf("chooseModel")).toEqual([["one", { set: "options", options }]]);
  expect(get("composer-options")?.getAttribute("aria-label")).toBe("Options, 2 set");
});

it("says what is wrong beside the form, and keeps the form", async () => {
  const { get, click, type, store } = await drawOptions();
  await click("composer-options");
  await type("option-schema", "[1]");
  await click("options-save");
  expect(get("options-trouble")?.textContent).toBe("A JSON Schema is one JSON object.");
  expect((get("option-schema") as HTMLTextAreaElement).value).toBe("[1]");
  expect(store.app.options).toEqual({});
});
