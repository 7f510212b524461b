import { act, fireEvent } from "@testing-library/react";
import { expect, it } from "vitest";
import { FakeHost, fakeProject, fakeSession } from "../host/fake";
import { draw } from "../testing/draw";

async function drawProjects(host = new FakeHost()) {
  const drawn = await draw(host);
  const chip = () => drawn.get("composer-project") as HTMLSelectElement;
  const options = () => [...chip().options].map((option) => option.textContent);
  const shown = () => chip().options[chip().selectedIndex]?.textContent;
  const choose = (value: string) =>
    act(async () => void fireEvent.change(chip(), { target: { value } }));
  const send = async (text: string) => {
    await act(
      async () => void fireEvent.change(drawn.get("composer"), { target: { value: text } }),
    );
    await act(async () => void fireEvent.click(drawn.get("send")));
  };
  return { ...drawn, chip, options, shown, choose, send };
}

it("asks about no folder until one is chosen", async () => {
  const host = new FakeHost();
  host.trusted = [fakeProject("weir"), fakeProject("poems")];
  const { options, shown, choose, send } = await drawProjects(host);
  expect(options()).toEqual(["No project", "weir", "poems", "Open folder…"]);
  expect(shown()).toBe("No project");
  await choose("/projects/poems");
  expect(shown()).toBe("poems");
  await choose("");
  expect(shown()).toBe("No project");
  await send("hello");
  expect(host.askedOf("send")).toEqual([[null, "hello", []]]);
});

it("sends the chosen folder with the first prompt", async () => {
  const host = new FakeHost();
  host.trusted = [fakeProject("weir")];
  const { choose, send } = await drawProjects(host);
  await choose("/projects/weir");
  await send("hello");
  expect(host.askedOf("send")).toEqual([[null, "hello", [], "/projects/weir"]]);
});

it("leaves choosing and trusting a folder to the system", async () => {
  const host = new FakeHost();
  host.onOpenProject = () => fakeProject("fresh");
  const { options, shown, choose } = await drawProjects(host);
  await choose(" ");
  expect(host.askedOf("openProject")).toEqual([[]]);
  expect(shown()).toBe("fresh");
  expect(options()).toEqual(["No project", "fresh", "Open folder…"]);
});

it("stays as it is, without a word, when no folder was chosen or trust was declined", async () => {
  const host = new FakeHost();
  const { find, shown, choose } = await drawProjects(host);
  await choose(" ");
  expect(shown()).toBe("No project");
  expect(find("notice")).toBeNull();
  host.refuse("openProject", { code: "declined", message: "Nothing was changed." });
  await choose(" ");
  expect(shown()).toBe("No project");
  expect(find("notice")).toBeNull();
});

it("shows the folder that a session began with, and offers no other", async () => {
  const host = new FakeHost();
  host.startup = { ...host.startup, sessions: [fakeSession("a"), fakeSession("b")] };
  for (const id of ["a", "b"]) {
    host.snapshots.set(id, {
      session: fakeSession(id),
      watch: 1,
      events: [],
      growing: [],
      hasEarlier: false,
    });
  }
  host.projectOf.set("a", fakeProject("weir"));
  const { store, find, get } = await drawProjects(host);
  await act(() => store.open("a"));
  expect(get("session-project").textContent).toContain("weir");
  expect(get("session-project").title).toBe("/projects/weir");
  expect(find("composer-project")).toBeNull();
  await act(() => store.open("b"));
  expect(find("session-project")).toBeNull();
});

it("leads from a refusal to the question of trust", async () => {
  const host = new FakeHost();
  const { send, getByText } = await drawProjects(host);
  host.refuse("send", { code: "untrusted", message: "It is not trusted." });
  await send("hello");
  await act(async () => void fireEvent.click(getByText("Open folder…", { selector: "button" })));
  expect(host.askedOf("openProject")).toHaveLength(1);
});
