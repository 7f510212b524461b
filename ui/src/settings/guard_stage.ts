// The two ways a text goes, and choices for them in a configuration.

import type { GuardConfig, RuleAction } from "../host/protocol";

export type Stage = "input" | "output";

export const stages: readonly Stage[] = ["input", "output"];

export const stageWords: Record<Stage, string> = { input: "when sent", output: "when said" };

/** The same with another action for a rule or a category at one stage; without one, with none. */
export function withAction(
  config: GuardConfig,
  name: string,
  stage: Stage,
  action: RuleAction | undefined,
): GuardConfig {
  const { [stage]: _, ...others } = config.rules[name] ?? {};
  const actions = action === undefined ? others : { ...others, [stage]: action };
  if (Object.keys(actions).length === 0) return without(config, name);
  return { ...config, rules: { ...config.rules, [name]: actions } };
}

/** The same without any choice for a rule or a category. */
export function without(config: GuardConfig, name: string): GuardConfig {
  const { [name]: _, ...rules } = config.rules;
  return { ...config, rules };
}
