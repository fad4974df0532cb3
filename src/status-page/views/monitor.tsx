import { Icon } from "../../ui/status-icons.tsx";
import type { BarRun, PublicMonitorView } from "../monitor-view.ts";
import { Time } from "./frame.tsx";

const BAR_HEIGHT = 32;
/** Trouble stands out by height as well as by colour. */
const HEIGHTS: Record<BarRun["state"], number> = { up: 25, degraded: 28, down: BAR_HEIGHT, none: 6 };

export function MonitorCard({ monitor }: { monitor: PublicMonitorView }) {
  return (
    <li class="monitor">
      <div class="row">
        <h3 dir="auto">{monitor.name}</h3>
        <p class={`status is-${monitor.status}`}>
          <Icon of={monitor.status} />
          <span>
            {monitor.label}
            {monitor.since ? (
              <span class="since">
                {" "}
                since <Time moment={monitor.since} />
              </span>
            ) : null}
          </span>
        </p>
      </div>
      <div class="bar">
        <Bars monitor={monitor} />
      </div>
      <p class="row small">
        <span>{monitor.days} days ago</span>
        <span class="uptime">{monitor.uptime}</span>
        <span>Today</span>
      </p>
      {monitor.troubled.length > 0 ? (
        <details>
          <summary>{monitor.troubled.length === 1 ? "1 day" : `${monitor.troubled.length} days`} with problems</summary>
          <ul class="days">
            {monitor.troubled.map((day) => (
              <li>
                <Time moment={day.date} />: {day.text}
              </li>
            ))}
          </ul>
        </details>
      ) : null}
    </li>
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
