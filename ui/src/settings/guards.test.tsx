import { act, fireEvent } from "@testing-library/react";
import { expect, it } from "vitest";
import { FakeHost, fakeProject } from "../host/fake";
import { expectAccessible } from "../testing/accessible";
import { draw } from "../testing/draw";
import { Guards } from "./guards";

async function drawGuards(host = new FakeHost()) {
  const drawn = await draw(host, <Guards />);
  await act(async () => {});
  const press = (testId: string) => act(async () => void fireEvent.click(drawn.get(testId)));
  const change = (element: Element, value: string) =>
    act(async () => void fireEvent.change(element, { target: { value } }));
  return { ...drawn, press, change };
}

it("lists the rules by category, each with what it does", async () => {
  const { get, press, getAllByTestId } = await drawGuards();
  expect(get("guards-secret").textContent).toContain("2 rules");
  await press("guards-personal");
  const [rule] = getAllByTestId("guard-rule");
  expect(rule?.dataset.rule).toBe("email");
  const chosen = [...(rule?.querySelectorAll("select") ?? [])].map(({ value }) => value);
  expect(chosen).toEqual(["redact", "allow"]);
  await expectAccessible();
});

it("changes one rule at one stage", async () => {
  const { host, press, change, getByLabelText, get } = await drawGuards();
  await press("guards-personal");
  await change(getByLabelText("email when sent"), "block");
  expect(host.guardSettings.config.rules).toEqual({ email: { input: "block" } });
  expect(get("guards-personal").textContent).toContain("1 chosen");
  // And back to what the rule does by itself; the keyboard stays in the row.
  await press("guard-back");
  expect(host.guardSettings.config.rules).toEqual({});
  expect(document.activeElement).toBe(getByLabelText("email when sent"));
});

it("loses none of two changes that follow each other at once", async () => {
  const { host, press, getByLabelText } = await drawGuards();
  await press("guards-personal");
  await act(async () => {
    fireEvent.change(getByLabelText("email when sent"), { target: { value: "block" } });
    fireEvent.change(getByLabelText("email when said"), { target: { value: "warn" } });
  });
  expect(host.guardSettings.config.rules).toEqual({ email: { input: "block", output: "warn" } });
});

it("chooses for a whole category, and leaves a rule its own choice", async () => {
  const { host, press, change, getByLabelText } = await drawGuards();
  await press("guards-secret");
  await change(getByLabelText("github-token when sent"), "ask");
  await change(getByLabelText("All secrets when sent"), "block");
  expect(host.guardSettings.config.rules).toEqual({
    "github-token": { input: "ask" },
    secret: { input: "block" },
  });
  const value = (label: string) => (getByLabelText(label) as HTMLSelectElement).value;
  expect(value("anthropic-key when sent")).toBe("block");
  expect(value("github-token when sent")).toBe("ask");
  expect(value("All secrets when said")).toBe("");
  await change(getByLabelText("All secrets when sent"), "");
  expect(host.guardSettings.config.rules).toEqual({ "github-token": { input: "ask" } });
});

it("offers for each stage only what can be done there", async () => {
  const { press, getByLabelText } = await drawGuards();
  await press("guards-secret");
  await press("guards-custom");
  const offered = (label: string) =>
    [...getByLabelText(label).querySelectorAll("option")].map(({ value }) => value);
  const output = ["off", "allow", "redact", "warn", "block"];
  const input = ["off", "allow", "redact", "warn", "ask", "block"];
  expect(offered("github-token when sent")).toEqual(input);
  expect(offered("github-token when said")).toEqual(output);
  expect(offered("All secrets when sent")).toEqual(["", ...input]);
  expect(offered("All secrets when said")).toEqual(["", ...output]);
  // Nothing in a text that is too long can be redacted.
  const without = (actions: string[]) => actions.filter((action) => action !== "redact");
  expect(offered("size when sent")).toEqual(without(input));
  expect(offered("size when said")).toEqual(without(output));
});

it("shows what an older file chose and is not offered any more", async () => {
  const host = new FakeHost();
  host.guardSettings.config.rules.size = { input: "redact" };
  host.guardSettings.notices = ["guards.json: something is read as something else."];
  const { press, get, getByLabelText } = await drawGuards(host);
  await press("guards-custom");
  expect((getByLabelText("size when sent") as HTMLSelectElement).value).toBe("redact");
  expect(get("guards-notice").textContent).toContain("is read as");
});

it("asks with a word of one's own only where somebody can answer", async () => {
  const { host, press, change, get, find, getByLabelText } = await drawGuards();
  expect(find("guard-own-ask")).toBeNull();
  await change(get("guard-own-text"), "heron");
  await change(getByLabelText("What it does"), "ask");
  expect(get("guard-own-ask").textContent).toContain("redacted in what a model says");
  await press("guard-own-add");
  const own = { word: "heron", input: "ask", output: "redact" };
  expect(host.guardSettings.config.words).toEqual([own]);
});

it("finds rules by what they are called and look for", async () => {
  const { get, change, getAllByTestId, queryAllByTestId } = await drawGuards();
  const names = () => getAllByTestId("guard-rule").map(({ dataset }) => dataset.rule);
  await change(get("guards-search"), "TOKEN github");
  expect(names()).toEqual(["github-token"]);
  expect(get("guard-list").textContent).toContain("1 of 5 rules");
  await change(get("guards-search"), "nobody sees");
  expect(names()).toEqual(["hidden-text"]);
  await change(get("guards-search"), "walrus");
  expect(queryAllByTestId("guard-rule")).toEqual([]);
  expect(get("guard-list").textContent).toContain("No rule says that.");
  // Escape empties it, and closes nothing around it.
  const closes = fireEvent.keyDown(get("guards-search"), { key: "Escape" });
  expect(closes).toBe(false);
  expect((get("guards-search") as HTMLInputElement).value).toBe("");
});

it("takes a limit, and gives it back", async () => {
  const { host, press, get, change } = await drawGuards();
  await press("guards-custom");
  expect((get("guard-limit-input") as HTMLInputElement).placeholder).toBe("1048576");
  const leave = (testId: string) => act(async () => void fireEvent.blur(get(testId)));
  await change(get("guard-limit-input"), "5000");
  await leave("guard-limit-input");
  expect(host.guardSettings.config.limits).toEqual({ input: 5000 });
  await change(get("guard-limit-input"), "");
  await leave("guard-limit-input");
  expect(host.guardSettings.config.limits).toEqual({});
});

const birds = fakeProject("birds");

async function drawProject() {
  const host = new FakeHost();
  host.trusted = [birds];
  host.guardSettings.config.rules.email = { input: "warn" };
  host.guardSettings.config.words = [{ word: "walrus" }];
  const file = { words: [{ word: "auk" }], patterns: [], limits: {} };
  host.guardFile = { ...file, rules: { secret: { output: "block" } } };
  const drawn = await drawGuards(host);
  await drawn.change(drawn.get("guards-project"), birds.path);
  return drawn;
}

it("has a page for each project that shows what holds there, and whose choice it is", async () => {
  const { host, press, change, getByLabelText, getAllByTestId, queryByTestId } =
    await drawProject();
  await press("guards-personal");
  const email = () => getByLabelText("email when sent") as HTMLSelectElement;
  const isOwn = (select: Element) => select.closest<HTMLElement>("[data-own]")?.dataset.own;
  expect([email().value, isOwn(email())]).toEqual(["warn", "false"]);
  expect(queryByTestId("guard-back")).toBeNull();
  await change(email(), "block");
  expect(host.askedOf("changeGuards").at(-1)?.[0]).toBe(birds.path);
  expect(host.projectGuards.get(birds.path)?.rules).toEqual({ email: { input: "block" } });
  expect(host.guardSettings.config.rules).toEqual({ email: { input: "warn" } });
  expect([email().value, isOwn(email())]).toEqual(["block", "true"]);
  await press("guard-back");
  expect([email().value, isOwn(email())]).toEqual(["warn", "false"]);
  // What the project's file makes stricter is told, and not changed here.
  await press("guards-secret");
  const fixed = getAllByTestId("guard-fixed").map(({ textContent }) => textContent);
  expect(fixed).toEqual(["when said: Block · file", "when said: Block · file"]);
  await expectAccessible();
});

it("adds words for a project to those of everywhere and of its file", async () => {
  const { host, press, change, get, getAllByTestId } = await drawProject();
  await change(get("guard-own-text"), "heron");
  await press("guard-own-add");
  const own = { word: "heron", input: "redact", output: "redact" };
  expect(host.projectGuards.get(birds.path)?.words).toEqual([own]);
  expect(host.guardSettings.config.words).toEqual([{ word: "walrus" }]);
  const shown = getAllByTestId("guard-own").map(({ textContent }) => textContent);
  expect(shown).toEqual(["heronRedact", "walrusRedacteverywhere", "aukRedactfile"]);
});

it("says why a project's guards cannot be shown", async () => {
  const { host, change, get, find } = await drawProject();
  await change(get("guards-project"), "");
  host.refuse("guards", { code: "untrusted", message: "It is not trusted any more." });
  await change(get("guards-project"), birds.path);
  expect(get("guards-error").textContent).toBe("It is not trusted any more.");
  expect(find("guard-list")).toBeNull();
});

it("asks for no project where there is none", async () => {
  const { find } = await drawGuards();
  expect(find("guards-project")).toBeNull();
});

it("keeps what was chosen when a person declines to loosen it", async () => {
  const { host, press, change, getByLabelText, get } = await drawGuards();
  await press("guards-personal");
  host.refuse("changeGuards", { code: "declined", message: "Nothing was changed." });
  await change(getByLabelText("email when sent"), "off");
  expect(get("guards-error").textContent).toContain("declined");
  expect((getByLabelText("email when sent") as HTMLSelectElement).value).toBe("redact");
});

it("takes words and patterns of the user's own, and says which cannot be used", async () => {
  const { host, press, change, get, getAllByTestId, getByLabelText } = await drawGuards();
  await change(get("guard-own-text"), "Project Heron");
  await press("guard-own-add");
  const own = { word: "Project Heron", input: "redact", output: "redact" };
  expect(host.guardSettings.config.words).toEqual([own]);
  await act(async () => void fireEvent.click(getByLabelText("Regular expression")));
  host.refuse("changeGuards", { code: "blocked", message: "The pattern cannot be used: (." });
  await change(get("guard-own-text"), "(");
  await press("guard-own-add");
  expect(get("guard-own-error").textContent).toContain("cannot be used");
  expect((get("guard-own-text") as HTMLInputElement).value).toBe("(");
  expect(getAllByTestId("guard-own")).toHaveLength(1);
  await act(async () => void fireEvent.click(getByLabelText("Remove Project Heron")));
  expect(host.guardSettings.config.words).toEqual([]);
});

it("tries a text and shows the verdict, and what was found", async () => {
  const { host, press, change, get } = await drawGuards();
  host.onTryGuards = () => ({
    verdict: "redact",
    text: "to [EMAIL_1]",
    detections: [{ rule: "email", category: "personal", start: 3, end: 8 }],
  });
  await change(get("guard-try-text"), "to a@b.c");
  await press("guard-try-run");
  expect(host.askedOf("tryGuards")).toEqual([[null, "input", "to a@b.c"]]);
  expect(get("guard-trial").textContent).toContain("to [EMAIL_1]");
  expect(get("guard-trial").textContent).toContain("email · personal · bytes 3 to 8");
});

it("tries the guards of the chosen project, and shows no other's verdict", async () => {
  const { host, press, change, get, find } = await drawProject();
  await change(get("guard-try-text"), "hello");
  await press("guard-try-run");
  expect(host.askedOf("tryGuards")).toEqual([[birds.path, "input", "hello"]]);
  expect(get("guard-trial").textContent).toContain("allow");
  await change(get("guards-project"), "");
  expect(find("guard-trial")).toBeNull();
});

it("says so when the file cannot be used", async () => {
  const host = new FakeHost();
  host.guardSettings = { ...host.guardSettings, trouble: "guards.json cannot be used." };
  const { get } = await drawGuards(host);
  expect(get("settings-guards").textContent).toContain("Until it is mended, nothing is sent.");
});

it("offers a choice for all only where all are shown", async () => {
  const { get, change, queryByLabelText } = await drawGuards();
  expect(queryByLabelText("All secrets when sent")).toBeTruthy();
  await change(get("guards-search"), "github");
  expect(queryByLabelText("All secrets when sent")).toBeNull();
});
