import { describe, expect, it } from "vitest";
import {
  dayGroup,
  formatAgo,
  formatCost,
  formatCount,
  formatDay,
  formatDuration,
  formatPrice,
  formatSeconds,
} from "./format";

describe("figures", () => {
  it.each([
    [formatCount(0), "0"],
    [formatCount(1204), "1,204"],
    [formatCount(9999), "9,999"],
    [formatCount(18_102), "18.1k"],
    [formatCount(100_000), "100k"],
    [formatCount(999_600), "1M"],
    [formatCost(0), "$0"],
    [formatCost(0.00001), "<$0.0001"],
    [formatCost(0.0123), "$0.0123"],
    [formatCost(3.1), "$3.10"],
    [formatPrice(3), "3"],
    [formatPrice(0.125), "0.125"],
    [formatDay("2026-11-06"), "6 November 2026"],
    [formatDay("some day"), "some day"],
    [formatDuration(38), "38 ms"],
    [formatDuration(620), "0.6 s"],
    [formatDuration(9_960), "10 s"],
    [formatDuration(125_000), "2 m 5 s"],
    [formatSeconds(120), "1s"],
    [formatSeconds(5200), "5s"],
  ])("%s is %s", (written, expected) => expect(written).toBe(expected));
});

describe("times", () => {
  const now = new Date(2026, 0, 14, 12).getTime();
  const before = (minutes: number) => new Date(now - minutes * 60_000).toISOString();
  it.each([
    [0, "now", "Today"],
    [4, "4 m", "Today"],
    [150, "2 h", "Today"],
    [23 * 60, "23 h", "Yesterday"],
    [3 * 24 * 60, "Sun", "This week"],
    [30 * 24 * 60, "15 Dec", "Earlier"],
  ])("%i minutes ago is %s", (minutes, ago, group) => {
    expect(formatAgo(before(minutes), now)).toBe(ago);
    expect(dayGroup(before(minutes), now)).toBe(group);
  });
});
