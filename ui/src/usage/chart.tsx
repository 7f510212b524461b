// Bars, a day each. The tables below say the same in numbers, so the drawing has one name.

import type { UsageRow } from "../host/protocol";
import { type Measure, measured, written } from "./measure";

const HEIGHT = 100;
/** Of a day's place, how much the bar takes. */
const SHARE = 0.72;

export function Chart({ days, measure }: { days: readonly UsageRow[]; measure: Measure }) {
  const most = Math.max(...days.map((day) => measured(day, measure)));
  const [first, last] = [days[0], days.at(-1)];
  if (!first || !last) return null;
  const label = `${measure === "cost" ? "Cost" : "Tokens"} by day, ${first.key} to ${last.key}; at most ${written(most, measure)} a day`;
  return (
    <figure className="usage-chart" data-testid="usage-chart">
      <p className="usage-axis">{most > 0 ? written(most, measure) : "No known price"}</p>
      <svg
        role="img"
        aria-label={label}
        viewBox={`0 0 ${days.length} ${HEIGHT}`}
        preserveAspectRatio="none"
      >
        {days.map((day, at) => {
          const amount = measured(day, measure);
          const height = most > 0 ? (amount / most) * HEIGHT : 0;
          return (
            <rect
              key={day.key}
              x={at + (1 - SHARE) / 2}
              y={HEIGHT - height}
              width={SHARE}
              height={height}
            >
              <title>{`${day.key}: ${written(amount, measure)}`}</title>
            </rect>
          );
        })}
      </svg>
      <figcaption className="usage-axis flex justify-between">
        <span>{first.key}</span>
        <span>{last.key}</span>
      </figcaption>
    </figure>
  );
}
