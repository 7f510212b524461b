// How figures and times are written, in one place.

const grouped = new Intl.NumberFormat("en");

/** 1,204 stays whole; from ten thousand on a figure is short: 12.3k, 1.2M. */
export function formatCount(count: number): string {
  if (count < 10_000) return grouped.format(count);
  if (count < 999_500) return `${short(count / 1000)}k`;
  return `${short(count / 1_000_000)}M`;
}

function short(value: number): string {
  return value < 100 ? value.toFixed(1).replace(/\.0$/, "") : String(Math.round(value));
}

/** Small amounts keep four decimals, since most replies cost less than a cent. */
export function formatCost(dollars: number): string {
  if (dollars === 0) return "$0";
  if (dollars < 0) return dollars > -0.0001 ? ">-$0.0001" : `-${formatCost(-dollars)}`;
  if (dollars < 0.0001) return "<$0.0001";
  return `$${dollars.toFixed(dollars < 0.1 ? 4 : 2)}`;
}

/** An amount as budgets count it. */
export function formatAmount(unit: "dollars" | "tokens", amount: number): string {
  return unit === "dollars" ? formatCost(amount) : `${formatCount(amount)} tokens`;
}

/** 38 ms, 0.6 s, 12 s, 2 m 5 s. */
export function formatDuration(ms: number): string {
  if (ms < 100) return `${Math.round(ms)} ms`;
  if (ms < 9950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} m ${seconds % 60} s`;
}

/** Whole seconds, never none: "5s". */
export function formatSeconds(ms: number): string {
  return `${Math.max(1, Math.round(ms / 1000))}s`;
}

const price = new Intl.NumberFormat("en", { maximumFractionDigits: 20 });

/** Dollars for a million tokens, as short as they are exact. */
export function formatPrice(dollars: number): string {
  return price.format(dollars);
}

/** A number as one would type it: all its digits, and never 1e-7. */
export function formatExact(value: number): string {
  const [digits = "", exponent] = String(value).split("e");
  if (exponent === undefined) return digits;
  const [whole = "", fraction = ""] = digits.split(".");
  const places = Number(exponent);
  return places < 0
    ? `0.${"0".repeat(-places - 1)}${whole}${fraction}`
    : `${whole}${fraction}`.padEnd(whole.length + places, "0");
}

const wholeDay = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" });

/** A day as it is told: 6 November 2026. */
export function formatDay(day: string): string {
  const time = Date.parse(day);
  return Number.isNaN(time) ? day : wholeDay.format(time);
}

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const weekday = new Intl.DateTimeFormat("en", { weekday: "short" });
const dayAndMonth = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });

/** How long ago, short enough for the session list: now, 4 m, 3 h, Tue, 9 Nov. */
export function formatAgo(timestamp: string, now: number): string {
  const then = new Date(timestamp);
  const age = now - then.getTime();
  if (age < MINUTE) return "now";
  if (age < 60 * MINUTE) return `${Math.floor(age / MINUTE)} m`;
  if (age < DAY) return `${Math.floor(age / (60 * MINUTE))} h`;
  return age < 6 * DAY ? weekday.format(then) : dayAndMonth.format(then);
}

/** Under which heading of the session list a time falls. */
export function dayGroup(
  timestamp: string,
  now: number,
): "Today" | "Yesterday" | "This week" | "Earlier" {
  const midnight = new Date(now).setHours(0, 0, 0, 0);
  const then = Date.parse(timestamp);
  if (then >= midnight) return "Today";
  if (then >= midnight - DAY) return "Yesterday";
  return then >= midnight - 6 * DAY ? "This week" : "Earlier";
}
