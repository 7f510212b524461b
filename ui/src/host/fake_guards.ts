// The guards that the fake host begins with, and what holds of what was said about them.

import type {
  ActionOrigin,
  GuardConfig,
  GuardRule,
  GuardSettings,
  HeldAction,
  RuleAction,
} from "./protocol";

/** A few rules, at least one a category. */
export function fakeGuards(): GuardSettings {
  const rule = (name: string, category: GuardRule["category"], about: string): GuardRule => ({
    name,
    category,
    label: name.toUpperCase().replaceAll("-", "_"),
    about,
    input: "redact",
    output: category === "personal" ? "allow" : "redact",
  });
  return withHeld({
    rules: [
      rule("anthropic-key", "secret", "A key of Anthropic's."),
      rule("github-token", "secret", "A token of GitHub's."),
      rule("email", "personal", "An email address."),
      {
        ...rule("hidden-text", "injection", "Letters that nobody sees."),
        input: "warn",
        output: "off",
      },
      {
        ...rule("size", "custom", "A text that is longer than its limit."),
        input: "block",
        output: "block",
      },
    ],
    config: { rules: {}, words: [], patterns: [], limits: {} },
    held: {},
    limits: { input: 1_048_576 },
  });
}

const strengths: Record<RuleAction, number> = {
  off: 0,
  allow: 1,
  warn: 2,
  ask: 3,
  redact: 4,
  block: 5,
};

type Stage = "input" | "output";

/** The same with what holds, as Rust settles it. */
export function withHeld(settings: GuardSettings): GuardSettings {
  const { rules, config, everywhere, file } = settings;
  const said = (config: GuardConfig | undefined, rule: GuardRule, stage: Stage) =>
    config?.rules[rule.name]?.[stage] ?? config?.rules[rule.category]?.[stage];
  function held(rule: GuardRule, stage: Stage): HeldAction {
    const own = said(config, rule, stage);
    const elsewhere = said(everywhere, rule, stage);
    const mine: ActionOrigin = everywhere ? "project" : "everywhere";
    const action = own ?? elsewhere ?? rule[stage];
    const origin = own ? mine : elsewhere ? "everywhere" : "usual";
    const asked = said(file, rule, stage);
    if (asked && strengths[asked] > strengths[action]) return { action: asked, origin: "file" };
    return { action, origin };
  }
  const both = (rule: GuardRule) => ({
    input: held(rule, "input"),
    output: held(rule, "output"),
  });
  return { ...settings, held: Object.fromEntries(rules.map((rule) => [rule.name, both(rule)])) };
}
