import { act, fireEvent } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { FakeHost } from "../host/fake";
import { usageRow } from "../host/fake_usage";
import { expectAccessible } from "../testing/accessible";
import { draw } from "../testing/draw";

async function drawPage(host = new FakeHost()) {
  const drawn = await draw(host);
  await act(async () => fireEvent.click(drawn.get("open-usage")));
  const bars = () => [...drawn.get("usage-chart").querySelectorAll("rect")];
  const cells = (testId: string) =>
    [...drawn.get(testId).querySelectorAll("tbody tr")].map((row) =>
      [...row.children].map((cell) => cell.textContent),
    );
  const choose = (testId: string, value: string) =>
    act(async () => {
      const label = drawn.get(testId).querySelector(`[data-value="${value}"] input`);
      if (label) fireEvent.click(label);
    });
  return { ...drawn, bars, cells, choose };
}

describe("the usage page", () => {
  it("shows the same numbers as bars and as tables", async () => {
    const host = new FakeHost();
    host.onUsage = () => ({
      total: usageRow("", {
        steps: 3,
        totalTokens: 4200,
        cost: 0.03,
        saved: 0.01,
        unpricedSteps: 1,
        estimatedSteps: 1,
      }),
      days: [
        usageRow("2026-11-15", {
          steps: 1,
          inputTokens: 900,
          totalTokens: 1000,
          cost: 0.01,
          saved: -0.002,
          estimatedSteps: 1,
        }),
        usageRow("2026-11-16"),
        usageRow("2026-11-17", {
          steps: 2,
          inputTokens: 100,
          outputTokens: 20,
          cacheReadTokens: 3080,
          totalTokens: 3200,
          cost: 0.02,
          saved: 0.01,
          unpricedSteps: 1,
        }),
      ],
      projects: [usageRow("", { steps: 3, cost: 0.03 })],
      models: [
        usageRow("m", { steps: 2, cost: 0.03, totalTokens: 1400 }),
        usageRow("free", { steps: 1, totalTokens: 2800 }),
      ],
      sources: [usageRow("anthropic", { steps: 3, cost: 0.03 })],
    });
    const { bars, cells, choose, get } = await drawPage(host);
    const heights = () => bars().map((bar) => Number(bar.getAttribute("height")));
    expect(heights()).toEqual([50, 0, 100]);
    expect(bars()[2]?.textContent).toBe("2026-11-17: $0.0200");
    const lengths = (testId: string) =>
      [...get(testId).querySelectorAll("rect")].map((bar) => Number(bar.getAttribute("width")));
    expect(lengths("usage-models")).toEqual([100, 0]);
    expect(lengths("usage-days")).toEqual([]);
    await choose("usage-measure", "tokens");
    expect(lengths("usage-models")).toEqual([50, 100]);
    expect(heights()).toEqual([31.25, 0, 100]);
    expect(bars()[2]?.textContent).toBe("2026-11-17: 3,200 tokens");
    expect(cells("usage-days")).toEqual([
      ["2026-11-17", "100", "20", "3,080", "$0.0200+", "$0.0100"],
      ["2026-11-15", "900", "0", "0", "≈$0.0100", "-$0.0020"],
    ]);
    expect(cells("usage-projects")[0]?.[0]).toBe("No project");
    expect(cells("usage-sources")[0]?.[0]).toBe("Anthropic");
    expect(cells("usage-models")[1]).toEqual(["free", "0", "0", "0", "–", "–"]);
    expect(get("usage-total").textContent).toBe(
      "Cost$0.0300Tokens4,200Steps3Saved by caches$0.0100",
    );
    expect(get("usage-page").textContent).toContain("1 of 3 steps have no known price");
    expect(get("usage-page").textContent).toContain("1 of 3 steps ended before their source");
    await expectAccessible();
  });

  it("draws tokens where no price is known, and says which project by the end of its path", async () => {
    const host = new FakeHost();
    const used = { steps: 1, totalTokens: 1000 };
    host.onUsage = () => ({
      total: usageRow("", used),
      days: [usageRow("2026-11-17", used)],
      projects: [usageRow("/projects/ada/birds/herons", used)],
      models: [usageRow("m", used)],
      sources: [usageRow("ollama", used)],
    });
    const { bars, cells, choose, get } = await drawPage(host);
    expect(bars()[0]?.textContent).toBe("2026-11-17: 1,000 tokens");
    expect(cells("usage-projects")[0]?.[0]).toBe("…/birds/herons");
    expect(get("usage-projects").querySelector("tbody th")?.getAttribute("title")).toBe(
      "/projects/ada/birds/herons",
    );
    await choose("usage-measure", "cost");
    expect(get("usage-chart").textContent).toContain("No known price");
  });

  it("asks for the range that is chosen, and opens from the keyboard", async () => {
    const { host, get, choose, bars, find } = await drawPage();
    expect(host.askedOf("usage")).toEqual([[30]]);
    expect(bars()).toHaveLength(30);
    await choose("usage-range", "90");
    expect(host.askedOf("usage")).toEqual([[30], [90]]);
    expect(bars()).toHaveLength(90);
    fireEvent.click(get("usage-close"));
    expect(find("usage-page")).toBeNull();
    await act(async () => fireEvent.keyDown(window, { key: "u", ctrlKey: true }));
    expect(find("usage-page")).not.toBeNull();
  });

  it("says when nothing was used, and when it could not be read", async () => {
    const host = new FakeHost();
    host.onUsage = () => ({
      total: usageRow(""),
      days: [usageRow("2026-11-17")],
      projects: [],
      models: [],
      sources: [],
    });
    const { get, find } = await drawPage(host);
    expect(get("usage-empty").textContent).toContain("Nothing was used");
    expect(find("usage-chart")).toBeNull();
    const broken = new FakeHost();
    broken.refuse("usage", { code: "storage", message: "The disk failed." });
    expect((await drawPage(broken)).get("usage-page").textContent).toContain("The disk failed.");
  });
});
