import { act, fireEvent } from "@testing-library/react";
import { expect, it } from "vitest";
import { FakeHost, fakeSession } from "../host/fake";
import { draw } from "../testing/draw";
import { later } from "../testing/later";

async function drawOpen(status: "idle" | "running" = "idle") {
  const host = new FakeHost();
  const session = fakeSession("s", { status });
  host.startup.sessions = [session];
  host.snapshots.set("s", { session, watch: 1, events: [], growing: [], hasEarlier: false });
  const drawn = await draw(host);
  await act(() => drawn.store.open("s"));
  const area = () => drawn.get("composer") as HTMLTextAreaElement;
  const write = (value: string) => fireEvent.change(area(), { target: { value } });
  const press = (key: string, shiftKey = false) =>
    act(async () => void fireEvent.keyDown(area(), { key, shiftKey }));
  const sent = () => host.askedOf("send");
  return { ...drawn, area, write, press, sent };
}

it("sends with Enter, and with Shift+Enter does not", async () => {
  const { area, write, press, sent } = await drawOpen();
  write("hello");
  await press("Enter", true);
  expect(sent()).toEqual([]);
  await press("Enter");
  expect(sent()).toEqual([["s", "hello", []]]);
  expect(area().value).toBe("");
});

it("does not send while a word is being composed", async () => {
  const { area, write, sent } = await drawOpen();
  write("こん");
  fireEvent.keyDown(area(), { key: "Enter", isComposing: true });
  expect(sent()).toEqual([]);
});

it("does not send nothing", async () => {
  const { get, write, press, sent } = await drawOpen();
  write("  \n ");
  expect((get("send") as HTMLButtonElement).disabled).toBe(true);
  await press("Enter");
  expect(sent()).toEqual([]);
});

it("keeps a refused prompt and says why", async () => {
  const { host, get, find, area, write, press } = await drawOpen();
  host.refuse("send", { code: "bad_input", message: "Too long." });
  write("hello");
  await press("Enter");
  expect(area().value).toBe("hello");
  expect(get("composer-error").textContent).toContain("Too long.");
  await press("Enter");
  expect(find("composer-error")).toBeNull();
  expect(area().value).toBe("");
});

it("lets one write but not send while a turn runs; the button and Escape stop it", async () => {
  const { host, get, find, write, press, sent } = await drawOpen("running");
  write("next");
  await press("Enter");
  expect(sent()).toEqual([]);
  expect(find("send")).toBeNull();
  fireEvent.click(get("stop"));
  await press("Escape");
  expect(host.asked.filter(({ command }) => command === "stop")).toHaveLength(2);
});

it("keeps a draft per session", async () => {
  const { store, area, write } = await drawOpen();
  write("half a tho");
  await act(() => store.open(null));
  expect(area().value).toBe("");
  await act(() => store.open("s"));
  expect(area().value).toBe("half a tho");
});

it("opens the new session once its prompt is saved", async () => {
  const { host, store, write, press } = await drawOpen();
  await act(() => store.open(null));
  const session = fakeSession("new");
  host.snapshots.set("new", { session, watch: 2, events: [], growing: [], hasEarlier: false });
  write("hello");
  await press("Enter");
  expect(store.app.open).toEqual({ id: "new", stage: "open" });
});

it.each([
  ["a session", "s"],
  ["a new session", null],
])("says that a hook looks at a prompt for %s, and lets one stop it", async (_, session) => {
  const { host, store, get, find, area, write, press, sent } = await drawOpen();
  if (session === null) await act(() => store.open(null));
  const answer = later<{ code: string; message: string }>();
  host.onSend = () => answer.promise.then((refusal) => Promise.reject(refusal));
  write("hello");
  await press("Enter");
  await act(async () => host.push({ looks: [{ session, hooks: ["./check.sh"] }] }));
  expect(get("composer-looking").textContent).toContain("./check.sh");
  // Neither the key nor the button sends a second time.
  await press("Enter");
  expect(find("send")).toBeNull();
  expect(sent()).toHaveLength(1);
  await act(async () => fireEvent.click(get("stop")));
  await press("Escape");
  expect(host.askedOf("stop")).toEqual([[session], [session]]);
  await act(async () => {
    host.push({ looks: [{ session, hooks: [] }] });
    answer.settle({ code: "stopped", message: "It was stopped before it was sent." });
  });
  expect(find("composer-looking")).toBeNull();
  expect(area().value).toBe("hello");
  expect(get("composer-error").textContent).toContain("stopped before it was sent");
  expect(get("send")).toBeTruthy();
});

it("stops nothing when hooks look at a prompt of another session", async () => {
  const { host, find, press } = await drawOpen();
  await act(async () => host.push({ looks: [{ session: "t", hooks: ["./check.sh"] }] }));
  expect(find("composer-looking")).toBeNull();
  await press("Escape");
  expect(host.askedOf("stop")).toEqual([]);
});

it("leads from a prompt that a guard held back to its rule", async () => {
  const host = new FakeHost();
  const { get, getByText } = await draw(host);
  host.refuse("send", { code: "blocked", message: "A guard holds this back." });
  fireEvent.change(get("composer"), { target: { value: "a key" } });
  await act(async () => void fireEvent.keyDown(get("composer"), { key: "Enter" }));
  expect((get("composer") as HTMLTextAreaElement).value).toBe("a key");
  await act(async () => getByText("Open Settings").click());
  expect(get("settings-guards")).toBeTruthy();
});
