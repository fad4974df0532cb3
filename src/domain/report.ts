import type { SlaSummary } from "../contract/sla.ts";
import { toCsv } from "./csv.ts";

/**
 * An SLA report as a table and as pages. Pages are lists of marks; lengths are points (1/72 inch) from the upper left
 * corner. How marks become a file is platform/pdf.ts's business.
 */
export type Mark =
  | { kind: "box"; x: number; y: number; width: number; height: number; color: string }
  | {
      kind: "text";
      x: number;
      y: number;
      size: number;
      color: string;
      text: string;
      bold?: boolean;
      width?: number;
      align?: "right";
    };

export interface ReportPage {
  width: number;
  height: number;
  marks: Mark[];
}

export interface ReportHead {
  page_name: string;
  brand_color: string | null;
  timezone: string;
  policy_name: string | null;
  exclude_maintenance: boolean;
  degraded_counts_as_downtime: boolean;
  /** Epoch ms. */
  made_at: number;
}

type Figures = SlaSummary["overall"];
type Row = SlaSummary["monitors"][number];

const COLUMNS = [
  "target_percentage",
  "uptime_percentage",
  "downtime_seconds",
  "degraded_seconds",
  "maintenance_seconds",
  "outages",
  "mttr_seconds",
  "mtbf_seconds",
  "meets_target",
  "error_budget_seconds",
  "error_budget_remaining_seconds",
] as const;

/** One row for the whole, then one for each monitor. */
export function toSlaCsv({ period, target_percentage, overall, monitors }: SlaSummary): string {
  const whole = { monitor_id: null, name: "Overall", target_percentage, ...overall };
  return toCsv([
    ["monitor_id", "monitor", "from", "to", ...COLUMNS],
    ...[whole, ...monitors].map((row) => [
      row.monitor_id,
      row.name,
      period.from,
      period.to,
      ...COLUMNS.map((column) => row[column]),
    ]),
  ]);
}

const PAGE = { width: 595, height: 842 };
const LEFT = 40;
const RIGHT = 555;
const BOTTOM = 800;
const ROW = 18;
const CHARTED_MAX = 12;

const INK = "#171a20";
const QUIET = "#545d6b";
const LINE = "#dfe3e8";
const GROUND = "#f5f6f8";
const GOOD = "#16774a";
const BAD = "#b3261e";
const BRAND = "#0b57d0";

/** A4. What a page has no room for goes to the next one, under the same heading. */
export function layOutSlaReport(summary: SlaSummary, head: ReportHead): ReportPage[] {
  const pages = [[...drawHead(summary, head), ...drawTiles(summary), ...drawChart(summary.monitors)]];
  let y = 226 + heightOfChart(summary.monitors);
  let marks = pages[0] ?? [];
  marks.push(...drawTableHead(y));
  y += ROW + 4;
  for (const [n, row] of summary.monitors.entries()) {
    if (y + ROW > BOTTOM) {
      marks = drawTableHead(60);
      marks.push(heading(40, `${head.page_name}: monitors, continued`));
      pages.push(marks);
      y = 60 + ROW + 4;
    }
    marks.push(...drawRow(row, y, n % 2 === 1));
    y += ROW;
  }
  if (summary.monitors.length === 0) marks.push(text(LEFT, y, 9, QUIET, "There are no monitors on this page."));
  return pages.map((drawn, n) => ({ ...PAGE, marks: [...drawn, ...drawFoot(head, n + 1, pages.length)] }));
}

function drawHead({ period }: SlaSummary, head: ReportHead): Mark[] {
  const rules = [
    head.policy_name === null ? "Measured without a policy" : `Measured by the policy "${head.policy_name}"`,
    head.exclude_maintenance ? "maintenance excluded" : "maintenance counted",
    head.degraded_counts_as_downtime ? "degraded counts as downtime" : "degraded counts as uptime",
  ];
  const from = formatInstant(period.from, head.timezone);
  const to = formatInstant(period.to, head.timezone);
  return [
    { kind: "box", x: 0, y: 0, width: PAGE.width, height: 6, color: head.brand_color ?? BRAND },
    text(LEFT, 34, 10, QUIET, "Service level report"),
    { ...text(LEFT, 48, 20, INK, head.page_name), bold: true, width: RIGHT - LEFT },
    text(LEFT, 78, 10, INK, `${from} to ${to} (${head.timezone.replaceAll("_", " ")})`),
    { ...text(LEFT, 93, 9, QUIET, rules.join(", ")), width: RIGHT - LEFT },
  ];
}

function drawTiles({ overall, target_percentage }: SlaSummary): Mark[] {
  const tiles: [label: string, value: string, color: string, note: string][] = [
    ["Uptime", formatPercentage(overall.uptime_percentage), verdictColor(overall), verdict(overall)],
    ["Target", formatPercentage(target_percentage), INK, `allows ${formatSeconds(overall.error_budget_seconds)}`],
    ["Downtime", formatSeconds(overall.downtime_seconds), INK, `in ${countOf(overall.outages, "outage")}`],
    [
      "Error budget left",
      formatSeconds(overall.error_budget_remaining_seconds),
      verdictColor(overall),
      "summed over monitors",
    ],
  ];
  const width = (RIGHT - LEFT - 3 * 10) / 4;
  const drawn = tiles.flatMap(([label, value, color, note], n): Mark[] => {
    const x = LEFT + n * (width + 10);
    return [
      { kind: "box", x, y: 116, width, height: 62, color: GROUND },
      text(x + 9, 124, 8, QUIET, label),
      { ...text(x + 9, 136, 15, color, value), bold: true, width: width - 12 },
      text(x + 9, 161, 8, QUIET, note),
    ];
  });
  const means = [
    `Mean time to repair ${formatSeconds(overall.mttr_seconds)}`,
    `mean time between outages ${formatSeconds(overall.mtbf_seconds)}`,
    `degraded ${formatSeconds(overall.degraded_seconds)}`,
    `maintenance ${formatSeconds(overall.maintenance_seconds)}`,
  ];
  return [...drawn, { ...text(LEFT, 188, 9, QUIET, means.join("   ·   ")), width: RIGHT - LEFT }];
}

/** Those with the lowest uptime; a chart of everything would show nothing. */
function charted(monitors: readonly Row[]): (Row & { uptime_percentage: number })[] {
  return monitors
    .flatMap((row) => (row.uptime_percentage === null ? [] : [{ ...row, uptime_percentage: row.uptime_percentage }]))
    .toSorted((a, b) => a.uptime_percentage - b.uptime_percentage)
    .slice(0, CHARTED_MAX);
}

function heightOfChart(monitors: readonly Row[]): number {
  const rows = charted(monitors).length;
  return rows === 0 ? 0 : rows * 15 + 46;
}

/** Bars begin at `least`, because between 99 and 100 is where the differences are. */
function drawChart(monitors: readonly Row[]): Mark[] {
  const rows = charted(monitors);
  const lowest = Math.min(...rows.map((row) => Math.min(row.uptime_percentage, row.target_percentage)));
  const least = [99.9, 99.5, 99, 98, 95, 90, 80, 50].find((start) => start < lowest) ?? 0;
  if (rows.length === 0) return [];
  const from = LEFT + 160;
  const length = RIGHT - from - 55;
  const at = (percentage: number) => (Math.max(0, percentage - least) / (100 - least)) * length;
  const title =
    monitors.length > rows.length ? `Lowest uptime (${rows.length} of ${monitors.length})` : "Uptime by monitor";
  return [
    heading(212, title),
    ...rows.flatMap((row, n): Mark[] => {
      const y = 230 + n * 15;
      return [
        { ...text(LEFT, y, 9, INK, row.name), width: 150 },
        { kind: "box", x: from, y, width: length, height: 10, color: GROUND },
        { kind: "box", x: from, y, width: at(row.uptime_percentage), height: 10, color: verdictColor(row) },
        { kind: "box", x: from + at(row.target_percentage) - 0.5, y: y - 2, width: 1, height: 14, color: INK },
        { ...text(RIGHT, y, 9, INK, formatPercentage(row.uptime_percentage)), align: "right" },
      ];
    }),
    text(from, 232 + rows.length * 15, 8, QUIET, `${least}%`),
    { ...text(from + length, 232 + rows.length * 15, 8, QUIET, "100%  (line: target)"), align: "right" },
  ];
}

const TABLE: [title: string, right: number, cell: (row: Row) => string][] = [
  ["Uptime", 245, (row) => formatPercentage(row.uptime_percentage)],
  ["Target", 295, (row) => formatPercentage(row.target_percentage)],
  ["Downtime", 355, (row) => formatSeconds(row.downtime_seconds)],
  ["Outages", 400, (row) => String(row.outages)],
  ["To repair", 452, (row) => formatSeconds(row.mttr_seconds)],
  ["Budget left", 515, (row) => formatSeconds(row.error_budget_remaining_seconds)],
];

function drawTableHead(y: number): Mark[] {
  return [
    { ...text(LEFT, y, 9, INK, "Monitor"), bold: true },
    ...TABLE.map(([title, right]): Mark => ({ ...text(right, y, 9, QUIET, title), align: "right" })),
    { ...text(RIGHT, y, 9, QUIET, "Result"), align: "right" },
    { kind: "box", x: LEFT, y: y + 14, width: RIGHT - LEFT, height: 1, color: LINE },
  ];
}

function drawRow(row: Row, y: number, isShaded: boolean): Mark[] {
  return [
    ...(isShaded ? [{ kind: "box" as const, x: LEFT, y: y - 4, width: RIGHT - LEFT, height: ROW, color: GROUND }] : []),
    { ...text(LEFT, y, 9, INK, row.name), width: 150 },
    ...TABLE.map(([, right, cell]): Mark => ({ ...text(right, y, 9, INK, cell(row)), align: "right" })),
    { ...text(RIGHT, y, 9, verdictColor(row), verdict(row)), align: "right" },
  ];
}

function drawFoot({ made_at, timezone }: ReportHead, number: number, count: number): Mark[] {
  const made = `Made on ${formatInstant(new Date(made_at).toISOString(), timezone)}`;
  return [
    text(LEFT, 815, 8, QUIET, made),
    { ...text(RIGHT, 815, 8, QUIET, `Page ${number} of ${count}`), align: "right" },
  ];
}

function text(x: number, y: number, size: number, color: string, words: string): Mark & { kind: "text" } {
  return { kind: "text", x, y, size, color, text: words };
}

function heading(y: number, words: string): Mark {
  return { ...text(LEFT, y, 11, INK, words), bold: true, width: RIGHT - LEFT };
}

function verdict({ meets_target }: Pick<Figures, "meets_target">): string {
  if (meets_target === null) return "no data";
  return meets_target ? "met" : "missed";
}

function verdictColor({ meets_target }: Pick<Figures, "meets_target">): string {
  if (meets_target === null) return QUIET;
  return meets_target ? GOOD : BAD;
}

function formatPercentage(percentage: number | null): string {
  return percentage === null ? "no data" : `${percentage}%`;
}

/** The two largest units. */
function formatSeconds(seconds: number | null): string {
  if (seconds === null) return "none";
  const left = Math.abs(seconds);
  const sign = seconds < 0 ? "-" : "";
  if (left < 60) return `${sign}${left} s`;
  if (left < 3600) return `${sign}${join(left, [60, "min"], [1, "s"])}`;
  if (left < 86_400) return `${sign}${join(left, [3600, "h"], [60, "min"])}`;
  return `${sign}${join(left, [86_400, "d"], [3600, "h"])}`;
}

function join(seconds: number, [size, unit]: [number, string], [small, smallUnit]: [number, string]): string {
  const rest = Math.floor((seconds % size) / small);
  return `${Math.floor(seconds / size)} ${unit}${rest === 0 ? "" : ` ${rest} ${smallUnit}`}`;
}

function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

function formatInstant(iso: string, timezone: string): string {
  const day = { day: "numeric", month: "short", year: "numeric" } as const;
  const time = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
  return new Intl.DateTimeFormat("en-GB", { timeZone: timezone, ...day, ...time }).format(Date.parse(iso));
}
