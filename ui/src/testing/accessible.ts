// Whether a screen reader can make sense of what is drawn.

import axe from "axe-core";
import { expect } from "vitest";

/** Colours need a real engine; everything else about the tree is checked here. */
export async function expectAccessible() {
  const { violations } = await axe.run(document.body, {
    rules: { "color-contrast": { enabled: false } },
  });
  expect(
    violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" ")}`),
  ).toEqual([]);
}
