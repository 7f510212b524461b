import { describe, expect, it } from "vitest";
import { EventWriter, FakeHost, fakeSession } from "../host/fake";
import type { EventBody, FoundSource } from "../host/protocol";
import { later } from "../testing/later";
import { until } from "../testing/setup";
import { Store } from "./store";

const prompt: EventBody = { type: "user_message", content: "hi", source: "demo", model: "demo" };
const complete: EventBody = { type: "complete", stopReason: "end_turn" };
const turn = "t";

async function opened() {
  const host = new FakeHost();
  const writer = new EventWriter("s");
  const first = writer.write(prompt, { turn });
  host.startup.sessions = [fakeSession("s", { status: "running" })];
  host.snapshots.set("s", {
    session: fakeSession("s"),
    watch: 1,
    events: [first],
    growing: [],
    hasEarlier: false,
  });
  const store = new Store(host);
  await store.start();
  await store.open("s");
  return { host, writer, store, first };
}

it("asks for what a gap is missing", async () => {
  const { host, writer, store, first } = await opened();
  const missing = writer.write({ type: "message", content: "a" }, { turn, block: 0 });
  const last = writer.write(complete, { turn });
  host.log = [first, missing, last];
  host.push({ watch: 1, events: [last] });
  await until(() => expect(store.app.view?.lastSequence).toBe(3));
  expect(host.asked.filter(({ command }) => command === "eventsSince")).toEqual([
    { command: "eventsSince", with: ["s", 1] },
  ]);
});

it("opens the session anew when a change does not fit, and tells the user when that never helps", async () => {
  const { host, writer, store } = await opened();
  const rendered = { run: 0, from: 3, pieces: [], tail: "x" };
  host.push({
    watch: 1,
    events: [writer.write({ type: "message_chunk", content: "a" }, { turn, block: 0, rendered })],
  });
  await until(() => expect(store.app.open.stage).toBe("open"));
  expect(host.asked.filter(({ command }) => command === "openSession")).toHaveLength(2);
  expect(store.app.view?.missed).toBe(false);

  for (let time = 0; time < 4; time += 1) {
    const chunk = writer.write(
      { type: "message_chunk", content: "a" },
      { turn, block: 0, rendered },
    );
    host.push({ watch: 1, events: [chunk] });
    await until(() => expect(store.app.open.stage).toBe("open"));
  }
  expect(store.app.notices.map(({ code }) => code)).toEqual(["missed"]);
});

it("shows what a command refused as a notice", async () => {
  const { host, store } = await opened();
  host.refuse("rename", { code: "storage", message: "The disk is full." });
  await store.rename("s", "x");
  expect(store.app.notices).toEqual([{ code: "storage", message: "The disk is full." }]);
});

it("keeps frames that overtake the answer of start", async () => {
  const host = new FakeHost();
  host.start = async (onFrame) => {
    const empty = { watch: 0, events: [], deleted: [], notices: [], looks: [] };
    onFrame({ ...empty, sessions: [fakeSession("early")] });
    return host.startup;
  };
  const store = new Store(host);
  await store.start();
  expect(store.app.sessions.map(({ id }) => id)).toEqual(["early"]);
});

it("wakes only the block that a chunk grew", async () => {
  const { host, writer, store } = await opened();
  const chunk = (block: number) =>
    writer.write({ type: "processing_chunk", content: "a" }, { turn, block });
  host.push({ watch: 1, events: [chunk(0), chunk(1)] });
  const woken: string[] = [];
  for (const topic of [
    "order",
    "sessions",
    `turn:${turn}`,
    `block:${turn}/processing-0`,
    `block:${turn}/processing-1`,
  ] as const) {
    store.subscribe(topic, () => woken.push(topic));
  }
  host.push({ watch: 1, events: [chunk(1)] });
  expect(woken).toEqual([`block:${turn}/processing-1`]);
});

describe("asking for models", () => {
  async function begun() {
    const host = new FakeHost();
    const store = new Store(host);
    await store.start();
    const asked = () => host.askedOf("listModels").map(([source]) => source);
    const choose = (source: string) => store.changeSettings({ set: "source", source });
    return { host, store, asked, choose };
  }

  it("looks around once after the start, and asks nobody", async () => {
    const { host, store } = await begun();
    await until(() => expect(store.app.found.sources).toEqual([]));
    expect(host.asked).toEqual([
      { command: "findSources", with: [] },
      { command: "projects", with: [] },
    ]);
  });

  it("does not wait for what it looks for", async () => {
    const host = new FakeHost();
    host.onFindSources = () => new Promise(() => {});
    const store = new Store(host);
    await store.start();
    expect(store.app.phase.name).toBe("ready");
    void store.look();
    expect(host.askedOf("findSources")).toHaveLength(1);
  });

  it.each<[string, string[]]>([
    ["demo", []],
    ["anthropic", []],
    ["openai", ["openai"]],
    ["ollama", ["ollama"]],
    ["openai-compatible", ["openai-compatible"]],
  ])("of %s when it is chosen: %j", async (source, expected) => {
    const { asked, choose } = await begun();
    await choose(source);
    expect(asked()).toEqual(expected);
  });

  it("asks again for another key or address, and after a failure, but not for what it knows", async () => {
    const { host, store, asked, choose } = await begun();
    await choose("openai");
    await until(() => expect(store.app.asked.openai?.state).toBe("known"));
    await choose("demo");
    await choose("openai");
    expect(asked()).toEqual(["openai"]);
    await store.setKey("openai", "another");
    expect(asked()).toHaveLength(2);
    await store.setKey("anthropic", "not chosen");
    expect(asked()).toHaveLength(2);
    host.refuse("listModels", { code: "network", message: "It is gone." });
    await store.changeSettings({ set: "base_url", source: "openai", baseUrl: "https://b" });
    expect(asked()).toHaveLength(3);
    await until(() =>
      expect(store.app.asked.openai).toMatchObject({ error: { message: "It is gone." } }),
    );
    store.askModels();
    expect(asked()).toHaveLength(4);
    await store.deleteKey("openai");
    expect(store.app.asked).toEqual({});
    expect(asked()).toHaveLength(4);
  });

  it("looks again where a server is now, and heeds no look at the old place", async () => {
    const { host, store } = await begun();
    await until(() => expect(store.app.found.sources).toEqual([]));
    const [old, now] = [later<FoundSource[]>(), later<FoundSource[]>()];
    const at = (model: string) => [{ name: "ollama", models: [model] }];
    host.onFindSources = () => old.promise;
    void store.look();
    host.onFindSources = () => now.promise;
    await store.changeSettings({ set: "base_url", source: "ollama", baseUrl: "http://b" });
    expect(host.askedOf("findSources")).toHaveLength(3);
    expect(store.app.found).toEqual({ looking: true });
    now.settle(at("new"));
    await until(() => expect(store.app.found.sources).toEqual(at("new")));
    old.settle(at("old"));
    await new Promise((resolve) => setTimeout(resolve));
    expect(store.app.found.sources).toEqual(at("new"));
    await store.changeSettings({ set: "base_url", source: "openai", baseUrl: "http://b" });
    expect(host.askedOf("findSources")).toHaveLength(3);
  });

  it("does not ask after a change that was refused", async () => {
    const { host, asked, choose } = await begun();
    host.refuse("changeSettings", { code: "storage", message: "The disk is full." });
    await choose("openai");
    expect(asked()).toEqual([]);
  });
});

it("hops to a model of another source, and not at all when its name is refused", async () => {
  const host = new FakeHost();
  const store = new Store(host);
  await store.start();
  host.refuse("changeSettings", { code: "bad_input", message: "No such name." });
  expect(await store.chooseModel("openai", "gpt-5-mini")).toMatchObject({ code: "bad_input" });
  expect(store.app.settings.source).toBe("demo");
  await store.chooseModel("openai", "gpt-5-mini");
  await store.chooseModel("openai", "gpt-5-mini");
  expect(host.askedOf("changeSettings").slice(1)).toEqual([
    [{ set: "model", source: "openai", model: "gpt-5-mini" }],
    [{ set: "source", source: "openai" }],
  ]);
});
