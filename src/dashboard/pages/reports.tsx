import { SLA_PERIODS, type SlaFigures, type SlaHistory, type SlaSummary, type SlaTargets } from "../../contract/sla.ts";
import { ChartFigure } from "../components/chart.tsx";
import { ListPages, Table } from "../components/pieces.tsx";
import type { FormField, FormValues, Problems } from "../form-fields.ts";
import { formatDuration } from "../formats.ts";
import { addressWith, partOf } from "../lists.ts";
import { words } from "../words.ts";
import { FormCard, type Page } from "./views.tsx";

/** Uptime against its target, for a period, with the files of the API to download. */
interface ReportsProps {
  page: Page;
  sla: SlaSummary;
  history: SlaHistory;
  period: string;
  /** Of the services that are shown. */
  offset: number;
  /** What is promised, by field. */
  values: FormValues;
  problems: Problems;
  /** What the targets were made from. */
  seen?: string | undefined;
  may_change: boolean;
}

export function Reports({ page, sla, history, period, offset, values, problems, seen, may_change }: ReportsProps) {
  const text = words("dashboard-pages").reports;
  const { shown, place } = partOf(sla.monitors, offset);
  const address = `/app/pages/${page.id}/reports`;
  const file = `/api/uptime/v1/status-pages/${page.id}/sla/export?period=${period}&format=`;
  return (
    <>
      <ul class="tabs" aria-label={text.period}>
        {SLA_PERIODS.map((each) => (
          <li>
            <a href={`?period=${each}`} {...(each === period ? { "aria-current": "true" } : {})}>
              {text.periods[each]}
            </a>
          </li>
        ))}
      </ul>
      <Course history={history} />
      <UptimeBars sla={sla} shown={shown} />
      <Table
        caption={text.levels}
        head={[text.service, text.uptime, text.target, text.downtime, text.outages, text.budget]}
        figuresFrom={1}
      >
        <tr>
          <th scope="row">{text.whole}</th>
          <Figures figures={{ ...sla.overall, target_percentage: sla.target_percentage }} />
        </tr>
        {shown.map((monitor) => (
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
      <ListPages {...place} href={(from) => addressWith(address, { period, offset: from })} />
      <p class="actions">
        {["pdf", "csv", "json"].map((format) => (
          <a class="button second" href={file + format} download>
            {text.download({ format: format.toUpperCase() })}
          </a>
        ))}
      </p>
      <FormCard
        title={text.targets}
        values={values}
        problems={problems}
        seen={seen}
        may_change={may_change}
        fields={targetFields(sla)}
        action={`/app/pages/${page.id}/targets`}
      />
    </>
  );
}

/** Fewer steps make no line. */
const STEPS_MIN = 2;

/** The uptime of the page as a whole over the period, beside the target. */
function Course({ history: { steps, target_percentage } }: { history: SlaHistory }) {
  const text = words("dashboard-pages").reports;
  const measured = steps.filter(({ uptime_percentage }) => uptime_percentage !== null);
  if (measured.length < STEPS_MIN) return null;
  const at = ({ from }: { from: string }) => Date.parse(from);
  const uptime = measured.map((step) => [at(step), step.uptime_percentage ?? 0] as const);
  return (
    <section class="card" aria-labelledby="course">
      <h2 id="course">{text.course}</h2>
      <ChartFigure
        caption={text.course_caption}
        unit="%"
        isShare
        lines={[
          { name: text.uptime, values: new Map(uptime) },
          { name: text.target, values: new Map(steps.map((step) => [at(step), target_percentage])) },
        ]}
      />
    </section>
  );
}

const BAR_WIDTH = 400;
const BAR_HEIGHT = 10;
/** Below the lowest target or uptime, so that what is missing is seen. */
const MARGIN = 0.2;

/** Uptime as bars on one scale, which begins shortly below the worst; the mark is the target. */
function UptimeBars({ sla, shown }: { sla: SlaSummary; shown: Readonly<SlaSummary["monitors"]> }) {
  const text = words("dashboard-pages").reports;
  const whole = { name: text.whole, target_percentage: sla.target_percentage, ...sla.overall };
  const rows = [whole, ...shown].filter(({ uptime_percentage }) => uptime_percentage !== null);
  if (rows.length === 0) return <p class="quiet">{text.early}</p>;
  const lowest = Math.min(...rows.flatMap((row) => [row.uptime_percentage ?? 100, row.target_percentage]));
  const floor = Math.max(0, lowest - Math.max(MARGIN, (100 - lowest) * MARGIN));
  const x = (percentage: number) => Math.max(0, ((percentage - floor) / (100 - floor)) * BAR_WIDTH);
  return (
    <section class="card" aria-labelledby="bars">
      <h2 id="bars">{text.bars}</h2>
      <ul class="bars">
        {rows.map(({ name, uptime_percentage, target_percentage, meets_target }) => (
          <li>
            <span class="name" dir="auto">
              {name}
            </span>
            <svg
              viewBox={`0 0 ${BAR_WIDTH} ${BAR_HEIGHT}`}
              preserveAspectRatio="none"
              role="img"
              aria-label={text.bar({ uptime: String(uptime_percentage), target: String(target_percentage) })}
            >
              <rect class="is-none" width={BAR_WIDTH} height={BAR_HEIGHT} />
              <rect
                class={meets_target === false ? "is-down" : "is-up"}
                width={x(uptime_percentage ?? 0).toFixed(1)}
                height={BAR_HEIGHT}
              />
              <rect
                class="mark"
                x={Math.min(x(target_percentage), BAR_WIDTH - 2).toFixed(1)}
                width="2"
                height={BAR_HEIGHT}
              />
            </svg>
            <span class="num">{uptime_percentage}%</span>
          </li>
        ))}
      </ul>
      <p class="quiet">{text.scale({ floor: floor.toFixed(1) })}</p>
    </section>
  );
}

export const PAGE_TARGET = "target_page";
const targetName = (monitorId: string) => `target_${monitorId}`;

/** One for the page, and one for each monitor that has its own. */
export function targetFields({ monitors }: Pick<SlaSummary, "monitors">): FormField[] {
  const text = words("dashboard-pages").reports;
  const percentage = { kind: "number", min: 0, max: 100, step: "any" } as const;
  return [
    { ...percentage, name: PAGE_TARGET, label: text.page_target, hint: text.page_target_hint },
    ...monitors.map(({ monitor_id, name }) => ({
      ...percentage,
      name: targetName(monitor_id),
      label: text.target_of({ name }),
      hint: text.target_hint,
      advanced: true,
    })),
  ];
}

export function targetValues({ targets }: SlaTargets): FormValues {
  return Object.fromEntries(
    targets.map(({ monitor_id, target_percentage }) => [
      monitor_id === null ? PAGE_TARGET : targetName(monitor_id),
      String(target_percentage),
    ]),
  );
}

/** The targets that were entered, those of monitors that the report does not list kept. */
export function readTargets(body: Readonly<Record<string, unknown>>, stored: SlaTargets): { targets: unknown[] } {
  const entered = Object.entries(body).flatMap(([name, target_percentage]) => {
    if (target_percentage === null) return [];
    return [{ monitor_id: name === PAGE_TARGET ? null : name.slice("target_".length), target_percentage }];
  });
  const others = stored.targets.filter(({ monitor_id }) => monitor_id !== null && !(targetName(monitor_id) in body));
  return { targets: [...entered, ...others] };
}

function Figures({ figures }: { figures: SlaFigures }) {
  const text = words("dashboard-pages").reports;
  const { uptime_percentage, meets_target, error_budget_remaining_seconds: left } = figures;
  return (
    <>
      <td class="num">
        {meets_target === false ? <span class="pill is-bad">{text.missed}</span> : null}{" "}
        {uptime_percentage === null ? "–" : `${uptime_percentage}%`}
      </td>
      <td class="num">{figures.target_percentage}%</td>
      <td class="num">{formatDuration(figures.downtime_seconds)}</td>
      <td class="num">{figures.outages}</td>
      <td class="num">{left < 0 ? `-${formatDuration(-left)}` : formatDuration(left)}</td>
    </>
  );
}
