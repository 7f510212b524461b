import { act, fireEvent } from "@testing-library/react";
import { expect, it } from "vitest";
import { FakeHost, fakeMemory, fakeProject } from "../host/fake";
import type { Memory } from "../host/protocol";
import { expectAccessible } from "../testing/accessible";
import { draw } from "../testing/draw";

const birds = fakeProject("birds");

async function open(...remembered: Memory[]) {
  const host = new FakeHost();
  host.trusted = [birds];
  host.remembered = remembered;
  host.remembering.add(birds.path);
  const drawn = await draw(host);
  await act(async () => void fireEvent.click(drawn.get("open-settings")));
  const choose = (path: string) =>
    act(async () => {
      fireEvent.change(drawn.get("settings-memory-project"), { target: { value: path } });
    });
  const click = (testId: string) => act(async () => drawn.get(testId).click());
  const search = (typed: string) =>
    act(async () => {
      fireEvent.change(drawn.get("settings-memory-search"), { target: { value: typed } });
    });
  const switched = () =>
    drawn.get("settings-memory-switch").querySelector<HTMLInputElement>("input:checked")?.value;
  const lines = () => drawn.queryAllByTestId("memory-content").map((row) => row.textContent);
  return { ...drawn, choose, click, search, switched, lines };
}

const tea = fakeMemory("tea", "I prefer tea.");
const heron = fakeMemory("heron", "The database is called Heron.", { project: birds.path });
const owls = fakeMemory("owls", "Owls sleep by day.", { project: birds.path });

it("is off outside of projects until it is switched on, and each project has its own", async () => {
  const { host, choose, switched, lines, getByLabelText } = await open(tea, heron);
  expect([switched(), lines()]).toEqual(["off", ["I prefer tea."]]);
  await choose(birds.path);
  expect([switched(), lines()]).toEqual(["on", ["The database is called Heron."]]);
  await act(async () => getByLabelText("Off", { selector: "[name=memory]" }).click());
  expect(host.askedOf("switchMemory")).toEqual([[birds.path, "off"]]);
  expect(switched()).toBe("off");
  await choose("");
  await act(async () => getByLabelText("On", { selector: "[name=memory]" }).click());
  expect(host.askedOf("switchMemory")).toEqual([
    [birds.path, "off"],
    [null, "on"],
  ]);
});

it("stays as it was when Rust refuses, and says why", async () => {
  const { host, switched, get, getByLabelText } = await open();
  host.refuse("switchMemory", { code: "untrusted", message: "It is not trusted." });
  await act(async () => getByLabelText("On", { selector: "[name=memory]" }).click());
  expect(switched()).toBe("off");
  expect(get("settings-memory").textContent).toContain("It is not trusted.");
});

it("finds by words in letters of either case", async () => {
  const { choose, search, lines, get } = await open(heron, owls);
  await choose(birds.path);
  await search("heron DATA");
  expect(lines()).toEqual(["The database is called Heron."]);
  await search("cat");
  expect(lines()).toEqual([]);
  expect(get("settings-memory").textContent).toContain("None says that.");
});

it("shows the first of many, and says so", async () => {
  const many = Array.from({ length: 60 }, (_, n) => fakeMemory(`m${n}`, `Fact ${n}.`));
  const { lines, get } = await open(...many);
  expect(lines()).toHaveLength(50);
  expect(get("settings-memory").textContent).toContain("50 of 60 are shown.");
});

it("forgets all of a project; Rust asks first", async () => {
  const { host, choose, click, lines, get } = await open(tea, heron, owls);
  await choose(birds.path);
  host.refuse("forget", { code: "declined", message: "Nothing was changed." });
  await click("settings-memory-forget-all");
  expect(lines()).toHaveLength(2);
  expect(get("settings-memory").querySelector("[role=alert]")).toBeNull();
  await click("settings-memory-forget-all");
  expect(host.askedOf("forget").at(-1)).toEqual([{ forget: "project", project: birds.path }]);
  expect(lines()).toEqual([]);
  expect(get("settings-memory").textContent).toContain("Nothing is remembered here.");
  expect(host.remembered).toEqual([tea]);
});

it("forgets all from the session of a memory; Rust asks first", async () => {
  const [one, two] = ["s1", "s2"].map((sessionId) => ({ project: birds.path, sessionId }));
  const { host, choose, lines, getAllByTestId, click } = await open(
    fakeMemory("a", "Herons wade.", one),
    fakeMemory("b", "Owls sleep by day.", two),
    fakeMemory("c", "Auks dive.", one),
  );
  await choose(birds.path);
  await act(async () => getAllByTestId("memory-forget")[0]?.click());
  await act(expectAccessible);
  await click("memory-forget-session");
  expect(host.askedOf("forget")).toEqual([[{ forget: "session", session: "s1" }]]);
  expect(lines()).toEqual(["Owls sleep by day."]);
});

it("says where a memory was said", async () => {
  const { get, getAllByTestId } = await open(fakeMemory("a", "Auks dive.", { sessionId: "gone" }));
  expect(getAllByTestId("memory")[0]?.textContent).toBe("Auks dive.session gone");
  expect(get("settings-memory").querySelector(".memory-place")?.getAttribute("title")).toBe(
    "Said in a session that is gone",
  );
});

it("is read well", async () => {
  await open(tea);
  await act(expectAccessible);
});
