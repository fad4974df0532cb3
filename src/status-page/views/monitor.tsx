import { Icon } from "../../ui/status-icons.tsx";
import type { BarRun, PublicMonitorView } from "../monitor-view.ts";
import type { Texts } from "../texts/texts.ts";
import { Time } from "./frame.tsx";
import { Phrase } from "./phrase.tsx";

const BAR_HEIGHT = 32;
/** Trouble stands out by height as well as by colour. */
const HEIGHTS: Record<BarRun["state"], number> = { up: 25, degraded: 28, down: BAR_HEIGHT, maintenance: 25, none: 6 };

export function MonitorCard({ monitor, base, texts }: { monitor: PublicMonitorView; base: string; texts: Texts }) {
  return (
    <li class="monitor">
      <div class="row">
        <h3 dir="auto">
          <a href={`${base}/services/${monitor.id}`}>{monitor.name}</a>
        </h3>
        <StatusText monitor={monitor} texts={texts} />
      </div>
      <History monitor={monitor} texts={texts} />
    </li>
  );
}

export function StatusText({ monitor, texts }: { monitor: PublicMonitorView; texts: Texts }) {
  return (
    <p class={`status is-${monitor.status}`}>
      <Icon of={monitor.status} />
      <span>
        {monitor.label}
        {monitor.since ? (
          <span class="since">
            {" "}
            <Phrase text={texts.monitor.since} parts={{ time: <Time moment={monitor.since} /> }} />
          </span>
        ) : null}
      </span>
    </p>
  );
}

/** The bar of days, and the troubled ones as text. */
export function History({ monitor, texts }: { monitor: PublicMonitorView; texts: Texts }) {
  const words = texts.monitor;
  return (
    <>
      <div class="bar">
        <Bars monitor={monitor} />
      </div>
      <p class="row small">
        <span>{words.days_ago(monitor.days)}</span>
        <span class="uptime">{monitor.uptime}</span>
        <span>{words.today}</span>
      </p>
      {monitor.troubled.length > 0 ? (
        <details id={`days-${monitor.id}`}>
          <summary>{words.problem_days(monitor.troubled.length)}</summary>
          <ul class="days">
            {monitor.troubled.map((day) => (
              <li>
                <Time moment={day.date} />: {day.text}
              </li>
            ))}
          </ul>
        </details>
      ) : null}
    </>
  );
}

/** One rectangle for each run of equal days; the stylesheet cuts it into days. */
function Bars({ monitor }: { monitor: PublicMonitorView }) {
  return (
    <svg
      class="bars"
      viewBox={`0 0 ${monitor.days} ${BAR_HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={monitor.bars_label}
      data-from={monitor.first_day}
    >
      {monitor.runs.map((run) => (
        <rect
          class={`day-${run.state}`}
          x={run.first}
          width={run.length}
          y={BAR_HEIGHT - HEIGHTS[run.state]}
          height={HEIGHTS[run.state]}
        >
          {run.hint === null ? null : <title>{run.hint}</title>}
        </rect>
      ))}
    </svg>
  );
}
