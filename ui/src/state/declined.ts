// A confirmation that the user cancelled: they know, so nothing is shown of it.

import type { ErrorBody } from "../host/protocol";

/** The error, unless the user declined what they were asked. */
export function shown(error: ErrorBody | undefined): ErrorBody | undefined {
  return error?.code === "declined" ? undefined : error;
}
