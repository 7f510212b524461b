import { render } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import type { Citation } from "../host/protocol";
import { CitationPopover } from "./citation";

function said(scores: Partial<Citation>): string {
  const mark = document.createElement("a");
  document.body.append(mark);
  const citation: Citation = {
    url: "https://example.org/a",
    title: "A weir",
    raw: null,
    ...scores,
  };
  const drawn = render(
    <CitationPopover
      citation={citation}
      number={1}
      mark={mark}
      onOpen={() => {}}
      onClose={() => {}}
    />,
  );
  const text = drawn.getByTestId("citation-popover").textContent ?? "";
  drawn.unmount();
  mark.remove();
  return text;
}

describe("the popover of a citation", () => {
  it.each<[Partial<Citation>, string]>([
    [{ relevance: 0.875 }, "Relevance 0.88"],
    [{ confidence: 0 }, "Confidence 0.00"],
    [{ relevance: 0.5, confidence: 1 }, "Relevance 0.50 · Confidence 1.00"],
  ])("says how well the source fits: %o", (scores, expected) => {
    expect(said(scores)).toContain(expected);
  });

  it("says nothing of scores that the provider does not give", () => {
    expect(said({})).not.toMatch(/Relevance|Confidence/);
  });
});
