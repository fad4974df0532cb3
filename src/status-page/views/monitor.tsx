import type { PageLayout } from "../../contract/status-page.ts";
import type { PageTexts } from "../../language/texts.ts";
import { Icon } from "../../ui/status-icons.tsx";
import type { BarRun, PublicMonitorView } from "../monitor-view.ts";
import { BAR_HEIGHT } from "./day-mask.tsx";
import { LastingText, Time } from "./frame.tsx";

/** Days without data are a hairline along the foot. */
const HAIRLINE = 1;
/** How many of ninety days windows of a tablet and of a phone show; the stylesheet has the widths. */
export const DAYS_BY_WIDTH = [
  ["wide", 90],
  ["middle", 45],
  ["narrow", 30],
] as const;

interface MonitorCardProps {
  monitor: PublicMonitorView;
  base: string;
  layout: PageLayout;
  texts: PageTexts;
}

export function MonitorCard({ monitor, base, layout, texts }: MonitorCardProps) {
  return (
    <li class="monitor">
      <div class="row">
        <h3 dir="auto">
          <a href={`${base}/services/${monitor.id}`}>{monitor.name}</a>
        </h3>
        <StatusText monitor={monitor} texts={texts} />
      </div>
      {monitor.trouble === null ? null : <p class="small">{monitor.trouble}</p>}
      {layout === "compact" ? null : (
        <>
          <Strip monitor={monitor} texts={texts} />
          <noscript>
            <TroubledDays monitor={monitor} texts={texts} />
          </noscript>
        </>
      )}
    </li>
  );
}

export function StatusText({ monitor, texts }: { monitor: PublicMonitorView; texts: PageTexts }) {
  return (
    <p class={`status is-${monitor.status}`}>
      <Icon of={monitor.status} />
      <span>
        {monitor.label}
        {monitor.since ? (
          <span class="since">
            {" "}
            <LastingText lasting={monitor.since} texts={texts} />
          </span>
        ) : null}
      </span>
    </p>
  );
}

/** The bar of days, and the troubled ones as text. */
export function History({ monitor, texts }: { monitor: PublicMonitorView; texts: PageTexts }) {
  return (
    <>
      <Strip monitor={monitor} texts={texts} />
      <TroubledDays monitor={monitor} texts={texts} />
    </>
  );
}

function Strip({ monitor, texts }: { monitor: PublicMonitorView; texts: PageTexts }) {
  const words = texts.monitor;
  return (
    <>
      <div class="bar">
        <div class="bar-days">
          <Bars monitor={monitor} />
        </div>
      </div>
      <p class="ends">
        {monitor.days === DAYS_BY_WIDTH[0][1] ? (
          DAYS_BY_WIDTH.map(([width, days]) => <span class={`axis for-${width}`}>{words.days_ago({ n: days })}</span>)
        ) : (
          <span class="axis">{words.days_ago({ n: monitor.days })}</span>
        )}
        <span class="uptime">{monitor.status === "pending" ? null : monitor.uptime}</span>
        <span class="axis">{words.today}</span>
      </p>
    </>
  );
}

/** With a script the bar says the same, day by day. */
function TroubledDays({ monitor, texts }: { monitor: PublicMonitorView; texts: PageTexts }) {
  if (monitor.troubled.length === 0) return null;
  return (
    <details id={`days-${monitor.id}`}>
      <summary>{texts.monitor.problem_days({ n: monitor.troubled.length })}</summary>
      <ul class="days">
        {monitor.troubled.map((day) => (
          <li>
            <Time moment={day.date} />: {day.text}
          </li>
        ))}
      </ul>
    </details>
  );
}

/** One rectangle for each run of equal days; a mask of the document cuts all of them into days. Trouble grows from the base. */
function Bars({ monitor }: { monitor: PublicMonitorView }) {
  return (
    <svg
      class={monitor.days === DAYS_BY_WIDTH[0][1] ? "bars is-cut" : "bars"}
      viewBox={`0 0 ${monitor.days} ${BAR_HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={monitor.bars_label}
      data-from={monitor.first_day}
    >
      {monitor.runs
        .filter(({ state }) => state === "none")
        .map((run) => (
          <DayRun run={run} height={HAIRLINE} />
        ))}
      <g class="days">
        {monitor.runs
          .filter(({ state }) => state !== "none")
          .map((run) => (
            <>
              {run.share < 1 ? <rect x={run.first} width={run.length} height={BAR_HEIGHT} /> : null}
              <DayRun run={run} height={run.share * BAR_HEIGHT} />
            </>
          ))}
      </g>
    </svg>
  );
}

function DayRun({ run, height }: { run: BarRun; height: number }) {
  return (
    <rect class={`day-${run.state}`} x={run.first} width={run.length} y={BAR_HEIGHT - height} height={height}>
      {run.hint === null ? null : <title>{run.hint}</title>}
    </rect>
  );
}
