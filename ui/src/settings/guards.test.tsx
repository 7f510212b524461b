import { act, fireEvent } from "@testing-library/react";
import { expect, it } from "vitest";
import { FakeHost } from "../host/fake";
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
  expect(get("guards-personal").textContent).toContain("1 changed");
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
  expect(get("guards-error").textContent).toContain("cannot be used");
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
  expect(host.askedOf("tryGuards")).toEqual([["input", "to a@b.c"]]);
  expect(get("guard-trial").textContent).toContain("to [EMAIL_1]");
  expect(get("guard-trial").textContent).toContain("email · personal · bytes 3 to 8");
});

it("says so when the file cannot be used", async () => {
  const host = new FakeHost();
  host.guardSettings = { ...host.guardSettings, trouble: "guards.json cannot be used." };
  const { get } = await drawGuards(host);
  expect(get("settings-guards").textContent).toContain("Until it is mended, nothing is sent.");
});
