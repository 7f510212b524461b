import { act, fireEvent } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { FakeHost, fakeProject } from "../host/fake";
import type { BudgetState } from "../host/protocol";
import { expectAccessible } from "../testing/accessible";
import { draw } from "../testing/draw";
import { readLimit } from "./budget";

const day: BudgetState = {
  budget: { scope: { of: "everything" }, period: "day", unit: "dollars", limit: 10 },
  spent: 3.12,
};
const source: BudgetState = {
  budget: {
    scope: { of: "source", source: "anthropic" },
    period: "month",
    unit: "tokens",
    limit: 5e6,
  },
  spent: 1_200_000,
};

async function drawSettings(budgets: BudgetState[] = [], host = new FakeHost()) {
  host.startup.settings = { ...host.startup.settings, budgets };
  host.trusted = [fakeProject("weir")];
  const drawn = await draw(host);
  await act(async () => fireEvent.click(drawn.get("open-settings")));
  const rows = () =>
    drawn
      .queryAllByTestId("settings-budget")
      .map((row) => [...row.children].map((c) => c.textContent));
  const press = (testId: string) => act(async () => fireEvent.click(drawn.get(testId)));
  const type = (name: string, value: string) =>
    fireEvent.change(drawn.get(`settings-budget-${name}`), { target: { value } });
  const asked = () => host.askedOf("changeSettings").map(([change]) => change);
  return { ...drawn, rows, press, type, asked };
}

describe("a limit as it is typed", () => {
  it.each<[string, number | string]>([
    ["5", 5],
    [" $0.01 ", 0.01],
    [".5", 0.5],
    ["0", 0],
    ["", "Say how much. Write it like 5 or 0.01."],
    ["-1", "The limit is no number. Write it like 5 or 0.01."],
    ["1e9", "The limit is no number. Write it like 5 or 0.01."],
    ["much", "The limit is no number. Write it like 5 or 0.01."],
  ])("%s", (typed, expected) => expect(readLimit(typed)).toBe(expected));
});

describe("budgets on the settings page", () => {
  it("are listed with what is spent", async () => {
    const { rows } = await drawSettings([day, source]);
    expect(rows().map((row) => row.slice(0, 3))).toEqual([
      ["Everything", "$10.00 a day", "$3.12"],
      ["Anthropic", "5M tokens a month", "1.2M tokens"],
    ]);
    await expectAccessible();
  });

  it("are added for whoever is meant", async () => {
    const { press, type, asked, rows, get, find } = await drawSettings();
    await press("settings-budget-add");
    await expectAccessible();
    type("scope", JSON.stringify({ of: "project", project: "/projects/weir" }));
    type("period", "month");
    type("unit", "tokens");
    type("limit", "lots");
    await press("settings-budget-save");
    expect(get("settings-budget-error").textContent).toContain("no number");
    expect(asked()).toEqual([]);
    type("limit", "90000");
    await press("settings-budget-save");
    const scope = { of: "project", project: "/projects/weir" };
    const budget = { scope, period: "month", unit: "tokens", limit: 90_000 };
    expect(asked()).toEqual([{ set: "budget", budget }]);
    expect(rows()[0]?.slice(0, 2)).toEqual(["Project /projects/weir", "90k tokens a month"]);
    expect(find("settings-budget-form")).toBeNull();
  });

  it("change how much, and go; a confirmation that was declined changes nothing", async () => {
    const { press, type, asked, rows, find, host } = await drawSettings([day]);
    await press("settings-budget-edit");
    expect(find("settings-budget-scope")).toBeNull();
    type("limit", "4");
    await press("settings-budget-save");
    expect(asked()).toEqual([{ set: "budget", budget: { ...day.budget, limit: 4 } }]);
    expect(rows()[0]?.[1]).toBe("$4.00 a day");
    host.refuse("changeSettings", { code: "declined", message: "Nothing was changed." });
    await press("settings-budget-remove");
    expect(rows()).toHaveLength(1);
    await press("settings-budget-remove");
    expect(rows()).toHaveLength(0);
  });
});
