// The usage page: what the last days used and cost, as a chart and as tables.

import { useEffect, useState } from "react";
import { Choice } from "../design/choice";
import { Dialog } from "../design/dialog";
import { formatCost, formatCount } from "../design/format";
import { toErrorBody } from "../host/host";
import type { UsageReport } from "../host/protocol";
import { useApp, useStore } from "../state/use";
import { Chart } from "./chart";
import { type Measure, shown } from "./measure";
import { UsageTable } from "./table";

const ranges = [
  { value: "7", label: "7 days" },
  { value: "30", label: "30 days" },
  { value: "90", label: "90 days" },
] as const;
type Range = (typeof ranges)[number]["value"];

const measures: readonly { value: Measure; label: string }[] = [
  { value: "cost", label: "Cost" },
  { value: "tokens", label: "Tokens" },
];

export function UsageDialog({ onClose }: { onClose: () => void }) {
  const store = useStore();
  const [range, setRange] = useState<Range>("30");
  const [chosen, setChosen] = useState<Measure>();
  const [report, setReport] = useState<UsageReport>();
  const [trouble, setTrouble] = useState<string>();
  useEffect(() => {
    let wanted = true;
    store.usage(Number(range)).then(
      (read) => {
        if (!wanted) return;
        setReport(read);
        setTrouble(undefined);
      },
      (thrown) => {
        if (wanted) setTrouble(toErrorBody(thrown).message);
      },
    );
    return () => {
      wanted = false;
    };
  }, [store, range]);

  // Where no price is known, a chart of costs would be empty.
  const measure = chosen ?? (report && report.total.cost === null ? "tokens" : "cost");

  return (
    <Dialog
      title="Usage"
      testId="usage-page"
      closeTestId="usage-close"
      width="w-[840px]"
      onClose={onClose}
    >
      <div className="usage-page">
        <div className="usage-choices">
          <Choice
            legend="Range"
            name="range"
            testId="usage-range"
            value={range}
            options={ranges}
            onChange={setRange}
          />
          <Choice
            legend="Chart"
            name="measure"
            testId="usage-measure"
            value={measure}
            options={measures}
            onChange={setChosen}
          />
          {report ? <Total report={report} /> : null}
        </div>
        {trouble ? (
          <p role="alert" className="composer-error">
            {trouble}
          </p>
        ) : null}
        {report ? <Report report={report} measure={measure} /> : null}
      </div>
    </Dialog>
  );
}

/** The end of a path, which tells more than its beginning. */
function shortPath(path: string): string {
  const parts = path.split(/[\\/]/);
  return parts.length > 3 ? `…/${parts.slice(-2).join("/")}` : path;
}

function Total({ report: { total } }: { report: UsageReport }) {
  return (
    <dl className="usage-total" data-testid="usage-total">
      <Figure label="Cost" value={shown(total.cost)} />
      <Figure label="Tokens" value={formatCount(total.totalTokens)} />
      <Figure label="Steps" value={formatCount(total.steps)} />
      <Figure label="Saved by caches" value={shown(total.saved)} />
    </dl>
  );
}

function Figure({ label, value }: { label: string; value: string }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function Report({ report, measure }: { report: UsageReport; measure: Measure }) {
  const { sources } = useApp("settings");
  if (report.total.steps === 0) {
    return (
      <p data-testid="usage-empty" className="py-8 text-center text-ink3">
        Nothing was used in these days. What a step uses is counted here.
      </p>
    );
  }
  const label = (name: string) => sources.find((source) => source.name === name)?.label ?? name;
  const { unpricedSteps: unpriced, estimatedSteps: estimated } = report.total;
  return (
    <>
      <Chart days={report.days} measure={measure} />
      {unpriced > 0 ? (
        <p className="text-[12px] text-ink3">
          {formatCount(unpriced)} of {formatCount(report.total.steps)} steps have no known price:
          their tokens are counted, their cost is not.
        </p>
      ) : null}
      {estimated > 0 ? (
        <p className="text-[12px] text-ink3">
          {formatCount(estimated)} of {formatCount(report.total.steps)} steps ended before their
          source had counted them: what they must have used is estimated (≈).
        </p>
      ) : null}
      <div className="usage-tables">
        <UsageTable
          title="Days"
          rows={report.days.filter((day) => day.steps > 0).toReversed()}
          name={(key) => key}
        />
        <UsageTable title="Models" rows={report.models} name={(key) => key} bars={measure} />
        <UsageTable
          title="Projects"
          rows={report.projects}
          name={(key) => shortPath(key) || "No project"}
          full={(key) => key}
          bars={measure}
        />
        <UsageTable title="Sources" rows={report.sources} name={label} bars={measure} />
      </div>
      <p className="sr-only" aria-live="polite">
        {`${formatCount(report.total.steps)} steps, ${formatCost(report.total.cost ?? 0)}`}
      </p>
    </>
  );
}
