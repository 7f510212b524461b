import { describe, expect, it } from "vitest";
import { meaningOf } from "./error_codes";

describe("an error's code", () => {
  it.each([
    ["rate_limited", "Too many requests", "Wait a little, then send a prompt."],
    [
      "no_credit",
      "The account has no credit",
      "Add credit at the provider, or choose another source.",
    ],
    ["server_error", "The source had an error", "Send a prompt to go on."],
    ["source_failed", "The reply failed", "Send a prompt to go on."],
    ["constructor", "The reply failed", "Send a prompt to go on."],
  ])("%s", (code, title, advice) => expect(meaningOf(code)).toEqual({ title, advice }));
});
