import { SLA_PERIODS, type SlaFigures, type SlaSummary } from "../../contract/sla.ts";
import { formatDuration } from "../../lib/duration-format.ts";
import { Table } from "../components/pieces.tsx";
import type { Page } from "./views.tsx";

const PERIOD_WORDS: Record<string, string> = {
  "7d": "7 days",
  "30d": "30 days",
  "90d": "90 days",
  month: "This month",
  quarter: "This quarter",
  year: "This year",
};

/** Uptime against its target, for a period, with the files of the API to download. */
export function Reports({ page, sla, period }: { page: Page; sla: SlaSummary; period: string }) {
  const file = `/api/uptime/v1/status-pages/${page.id}/sla/export?period=${period}&format=`;
  return (
    <>
      <ul class="tabs" aria-label="Period">
        {SLA_PERIODS.map((each) => (
          <li>
            <a href={`?period=${each}`} {...(each === period ? { "aria-current": "true" } : {})}>
              {PERIOD_WORDS[each] ?? each}
            </a>
          </li>
        ))}
      </ul>
      <Table caption="Service levels" head={["Service", "Uptime", "Target", "Downtime", "Outages", "Budget left"]}>
        <tr>
          <th scope="row">The page as a whole</th>
          <Figures figures={{ ...sla.overall, target_percentage: sla.target_percentage }} />
        </tr>
        {sla.monitors.map((monitor) => (
          <tr>
            <th scope="row">
              <a href={`/app/monitors/${monitor.monitor_id}`} dir="auto">
                {monitor.name}
              </a>
            </th>
            <Figures figures={monitor} />
          </tr>
        ))}
      </Table>
      <p class="actions">
        {["pdf", "csv", "json"].map((format) => (
          <a class="button second" href={file + format} download>
            Download {format.toUpperCase()}
          </a>
        ))}
      </p>
    </>
  );
}

function Figures({ figures }: { figures: SlaFigures }) {
  const { uptime_percentage, meets_target, error_budget_remaining_seconds: left } = figures;
  return (
    <>
      <td class="num">
        {uptime_percentage === null ? "–" : `${uptime_percentage.toFixed(3)} %`}
        {meets_target === false ? <span class="tag">Missed</span> : null}
      </td>
      <td class="num">{figures.target_percentage} %</td>
      <td class="num">{formatDuration(figures.downtime_seconds)}</td>
      <td class="num">{figures.outages}</td>
      <td class="num">{left < 0 ? `-${formatDuration(-left)}` : formatDuration(left)}</td>
    </>
  );
}
