import { describe, expect, it } from "vitest";
import {
  dayGroup,
  formatAgo,
  formatCost,
  formatCount,
  formatDay,
  formatDuration,
  formatExact,
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
    [formatCost(-0.0123), "-$0.0123"],
    [formatCost(-3.1), "-$3.10"],
    [formatCost(-0.00001), ">-$0.0001"],
    [formatPrice(3), "3"],
    [formatPrice(0.125), "0.125"],
    [formatPrice(1234.5), "1,234.5"],
    [formatPrice(1.5e-7), "0.00000015"],
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

it.each([
  [0, "0"],
  [3, "3"],
  [0.1, "0.1"],
  [1234.5, "1234.5"],
  [1e-7, "0.0000001"],
  [1.25e-7, "0.000000125"],
  [5e-324, `0.${"0".repeat(323)}5`],
  [1e21, `1${"0".repeat(21)}`],
  [1.5e21, `15${"0".repeat(20)}`],
])("%d is typed as %s", (value, typed) => {
  expect(formatExact(value)).toBe(typed);
  expect(Number(formatExact(value))).toBe(value);
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
