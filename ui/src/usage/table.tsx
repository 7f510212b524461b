// What some steps used, a line for each day, model, project or source.

import { formatCount } from "../design/format";
import type { UsageRow } from "../host/protocol";
import { type Measure, measured, shown } from "./measure";

type Props = {
  title: string;
  rows: readonly UsageRow[];
  name: (key: string) => string;
  /** What is told when the pointer rests on it, where that is more. */
  full?: (key: string) => string;
  /** What the bars stand for, where the rows have bars. */
  bars?: Measure;
};

export function UsageTable({ title, rows, name, full = name, bars }: Props) {
  const most = bars ? Math.max(...rows.map((row) => measured(row, bars))) : 0;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must scroll from the keyboard too.
    <section aria-label={title} className="usage-table" tabIndex={0}>
      <table data-testid={`usage-${title.toLowerCase()}`}>
        <thead>
          <tr>
            <th scope="col" className="font-medium text-ink">
              {title}
            </th>
            <th scope="col">In</th>
            <th scope="col">Out</th>
            <th scope="col">Cached</th>
            <th scope="col">Cost</th>
            <th scope="col">Saved</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.key} data-testid="usage-row">
              <th scope="row" title={full(row.key)}>
                {name(row.key)}
                {bars && most > 0 ? <Bar share={measured(row, bars) / most} /> : null}
              </th>
              <td>{formatCount(row.inputTokens + row.cacheWriteTokens)}</td>
              <td>{formatCount(row.outputTokens)}</td>
              <td>{formatCount(row.cacheReadTokens)}</td>
              <td>
                {row.cost !== null && row.estimatedSteps > 0 ? "≈" : ""}
                {shown(row.cost)}
                {row.cost !== null && row.unpricedSteps > 0 ? "+" : ""}
              </td>
              <td>{shown(row.saved)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** The row's part of the longest; the numbers beside it say the same. */
function Bar({ share }: { share: number }) {
  return (
    <svg aria-hidden="true" viewBox="0 0 100 1" preserveAspectRatio="none" className="usage-bar">
      <rect width={share * 100} height={1} />
    </svg>
  );
}
