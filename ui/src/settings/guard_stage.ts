// The two ways a text goes, and choices for them in a configuration.

import type { ErrorBody, GuardConfig, OutputAction, RuleAction } from "../host/protocol";

/** Makes another choice of the one that holds when its turn comes; answers why it was refused. */
export type GuardChange = (
  change: (config: GuardConfig) => GuardConfig,
) => Promise<ErrorBody | undefined>;

/** Why a change does not hold. */
export function refused({ code, message }: ErrorBody): string {
  return code === "declined" ? "Nothing was changed: the confirmation was declined." : message;
}

export type Stage = "input" | "output";

export const stages: readonly Stage[] = ["input", "output"];

export const stageWords: Record<Stage, string> = { input: "when sent", output: "when said" };

/** The same action for a reply, where nobody can be asked. */
export function ofOutput(action: RuleAction): OutputAction {
  return action === "ask" ? "redact" : action;
}

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
