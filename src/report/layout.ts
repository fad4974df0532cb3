import type { SlaSummary } from "../contract/sla.ts";
import { formatInstant, formatReportPercentage, formatSeconds, pluralize } from "./format.ts";

/**
 * An SLA report as pages. They are lists of marks; lengths are points (1/72 inch) from the upper left
 * corner. How marks become a file is report/pdf.ts's business.
 */
export type Mark =
  | { kind: "box"; x: number; y: number; width: number; height: number; color: string; radius?: number }
  | { kind: "logo"; x: number; y: number; width: number; height: number }
  | {
      kind: "text";
      /** Where the text begins, or what `align` says. */
      x: number;
      y: number;
      size: number;
      color: string;
      text: string;
      bold?: boolean;
      /** What is wider is shortened. */
      width?: number;
      align?: "right" | "center";
    };

export interface ReportPage {
  width: number;
  height: number;
  marks: Mark[];
}

export interface ReportHead {
  page_name: string;
  /** The size of the image; only the ratio matters. */
  logo: { width: number; height: number } | null;
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

const PAGE = { width: 595, height: 842 };
const LEFT = 40;
const RIGHT = 555;
const BOTTOM = 796;
const ROW = 18;
const CHART_ROW = 16;
const CHARTED_MAX = 12;
const LOGO_MAX = { width: 160, height: 40 };

const INK = "#171a20";
const QUIET = "#545d6b";
const LINE = "#dfe3e8";
const GROUND = "#f3f5f8";
const GOOD = "#16774a";
const BAD = "#b3261e";
const BRAND = "#0b57d0";
const PAPER = "#ffffff";

/** A4. What a page has no room for goes to the next one, under the same heads. */
export function layOutSlaReport(summary: SlaSummary, head: ReportHead): ReportPage[] {
  const { monitors } = summary;
  let marks: Mark[] = [];
  const pages = [marks];
  let y = 0;
  for (const block of [drawHead, drawTiles, drawBudget, drawChart]) {
    const drawn = block(y, summary, head);
    marks.push(...drawn.marks);
    y = drawn.y;
  }
  // A head without a row below it would be lost.
  const isFull = y + 26 + 2 * ROW > BOTTOM;
  if (!isFull) marks.push(heading(y, "Monitors"));
  y = isFull ? BOTTOM : drawTableHead(marks, y + 24);
  for (const [n, row] of monitors.entries()) {
    if (y + ROW > BOTTOM) {
      marks = drawRunningHead(summary, head);
      pages.push(marks);
      y = drawTableHead(marks, 68);
    }
    marks.push(...drawRow(row, y, n % 2 === 1));
    y += ROW;
  }
  if (monitors.length === 0) marks.push(text(LEFT, y + 4, 9, QUIET, "There are no monitors on this page."));
  return pages.map((drawn, n) => ({ ...PAGE, marks: [...drawn, ...drawFoot(head, n + 1, pages.length)] }));
}

/** What was drawn, and where the next thing may begin. */
interface Block {
  marks: Mark[];
  y: number;
}

function drawHead(_y: number, { period, overall }: SlaSummary, head: ReportHead): Block {
  const rules = [
    head.policy_name === null ? "Measured without a policy" : `Measured by the policy "${head.policy_name}"`,
    head.exclude_maintenance ? "maintenance excluded" : "maintenance counted",
    head.degraded_counts_as_downtime ? "degraded counts as downtime" : "degraded counts as uptime",
  ];
  const logo = drawLogo(head.logo);
  const y = logo.length > 0 ? 92 : 56;
  return {
    marks: [
      brandBar(head),
      ...logo,
      { ...text(RIGHT, 36, 10, QUIET, "Service level report"), align: "right" },
      { ...text(LEFT, y, 22, INK, head.page_name), bold: true, width: RIGHT - LEFT - 120 },
      ...drawVerdict(y + 2, overall),
      { ...text(LEFT, y + 36, 10.5, INK, describePeriod(period, head.timezone)), width: RIGHT - LEFT },
      { ...text(LEFT, y + 53, 9, QUIET, rules.join(", ")), width: RIGHT - LEFT },
    ],
    y: y + 78,
  };
}

function brandBar({ brand_color }: ReportHead): Mark {
  return { kind: "box", x: 0, y: 0, width: PAGE.width, height: 6, color: brand_color ?? BRAND };
}

function drawLogo(logo: ReportHead["logo"]): Mark[] {
  if (!logo) return [];
  const scale = Math.min(LOGO_MAX.width / logo.width, LOGO_MAX.height / logo.height);
  return [{ kind: "logo", x: LEFT, y: 34, width: logo.width * scale, height: logo.height * scale }];
}

function drawVerdict(y: number, overall: Figures): Mark[] {
  const words = { met: "Target met", missed: "Target missed", "no data": "No data" }[verdict(overall)];
  return [
    { kind: "box", x: RIGHT - 100, y, width: 100, height: 24, radius: 12, color: verdictColor(overall) },
    { ...text(RIGHT - 50, y + 6.5, 10.5, PAPER, words), bold: true, align: "center" },
  ];
}

function drawTiles(y: number, { overall, target_percentage }: SlaSummary): Block {
  const tiles: [label: string, value: string, color: string, note: string][] = [
    ["Uptime", formatReportPercentage(overall.uptime_percentage), verdictColor(overall), "over all monitors"],
    ["Target", formatReportPercentage(target_percentage), INK, `allows ${formatSeconds(overall.error_budget_seconds)}`],
    ["Downtime", formatSeconds(overall.downtime_seconds), INK, `in ${pluralize(overall.outages, "outage")}`],
    [
      "Mean time to repair",
      formatSeconds(overall.mttr_seconds),
      INK,
      `an outage every ${formatSeconds(overall.mtbf_seconds)}`,
    ],
  ];
  if (overall.mtbf_seconds === null) tiles[3]?.splice(3, 1, "not enough outages for a mean");
  const gap = 10;
  const width = (RIGHT - LEFT - 3 * gap) / 4;
  const marks = tiles.flatMap(([label, value, color, note], n): Mark[] => {
    const x = LEFT + n * (width + gap);
    return [
      { kind: "box", x, y, width, height: 68, radius: 6, color: GROUND },
      text(x + 10, y + 9, 8.5, QUIET, label),
      { ...text(x + 10, y + 23, 16, color, value), bold: true, width: width - 20 },
      { ...text(x + 10, y + 49, 8, QUIET, note), width: width - 20 },
    ];
  });
  return { marks, y: y + 86 };
}

/** How much of the downtime that the target allows has been used. */
function drawBudget(y: number, { overall }: SlaSummary): Block {
  const { error_budget_seconds: budget, error_budget_remaining_seconds: left, downtime_seconds: used } = overall;
  const share = budget > 0 ? used / budget : Number(used > 0);
  const rest = left < 0 ? `overdrawn by ${formatSeconds(-left)}` : `${formatSeconds(left)} left`;
  const others = [
    `Degraded for ${formatSeconds(overall.degraded_seconds)}`,
    `under maintenance for ${formatSeconds(overall.maintenance_seconds)}`,
  ];
  const bar = { kind: "box" as const, x: LEFT, y: y + 21, height: 8, radius: 4 };
  return {
    marks: [
      heading(y, "Error budget"),
      { ...text(RIGHT, y + 1, 9, verdictColor(overall), rest), bold: true, align: "right" },
      { ...bar, width: RIGHT - LEFT, color: LINE },
      ...(share > 0
        ? [{ ...bar, width: Math.max(8, Math.min(1, share) * (RIGHT - LEFT)), color: left < 0 ? BAD : GOOD }]
        : []),
      text(LEFT, y + 36, 8.5, QUIET, `${formatSeconds(used)} used of ${formatSeconds(budget)}, summed over monitors`),
      { ...text(RIGHT, y + 36, 8.5, QUIET, others.join(", ")), align: "right" },
    ],
    y: y + 64,
  };
}

/** Those with the lowest uptime; a chart of everything would show nothing. */
function charted(monitors: readonly Row[]): (Row & { uptime_percentage: number })[] {
  return monitors
    .flatMap((row) => (row.uptime_percentage === null ? [] : [{ ...row, uptime_percentage: row.uptime_percentage }]))
    .toSorted((a, b) => a.uptime_percentage - b.uptime_percentage)
    .slice(0, CHARTED_MAX);
}

/** Bars begin at `least`, because between 99 and 100 is where the differences are. */
function drawChart(top: number, { monitors }: SlaSummary): Block {
  const rows = charted(monitors);
  if (rows.length === 0) return { marks: [], y: top };
  const lowest = Math.min(...rows.map((row) => Math.min(row.uptime_percentage, row.target_percentage)));
  const least = [99.9, 99.5, 99, 98, 95, 90, 80, 50].find((start) => start < lowest) ?? 0;
  const from = LEFT + 160;
  const length = RIGHT - from - 55;
  const at = (percentage: number) => (Math.max(0, percentage - least) / (100 - least)) * length;
  const title =
    monitors.length > rows.length ? `Lowest uptime (${rows.length} of ${monitors.length})` : "Uptime by monitor";
  const first = top + 24;
  const end = first + rows.length * CHART_ROW;
  const middle = Math.round((least + 100) * 500) / 1000;
  return {
    marks: [
      heading(top, title),
      { kind: "box", x: RIGHT - 36, y: top + 1, width: 1.5, height: 11, color: INK },
      { ...text(RIGHT, top + 2, 8.5, QUIET, "Target"), align: "right" },
      ...[0, 0.5, 1].map((share): Mark => {
        const x = from + share * length;
        return { kind: "box", x: x - 0.25, y: first - 2, width: 0.5, height: end - first + 2, color: LINE };
      }),
      ...rows.flatMap((row, n): Mark[] => {
        const y = first + n * CHART_ROW;
        return [
          { ...text(LEFT, y, 9, INK, row.name), width: 150 },
          { kind: "box", x: from, y: y + 1, width: length, height: 9, color: GROUND },
          { kind: "box", x: from, y: y + 1, width: at(row.uptime_percentage), height: 9, color: verdictColor(row) },
          { kind: "box", x: from + at(row.target_percentage) - 0.75, y: y - 1, width: 1.5, height: 13, color: INK },
          { ...text(RIGHT, y, 9, INK, formatReportPercentage(row.uptime_percentage)), align: "right" },
        ];
      }),
      text(from, end + 3, 8, QUIET, `${least}%`),
      { ...text(from + length / 2, end + 3, 8, QUIET, `${middle}%`), align: "center" },
      { ...text(from + length, end + 3, 8, QUIET, "100%"), align: "right" },
    ],
    y: end + 28,
  };
}

const TABLE: [title: string, right: number, cell: (row: Row) => string][] = [
  ["Uptime", 232, (row) => formatReportPercentage(row.uptime_percentage)],
  ["Target", 280, (row) => formatReportPercentage(row.target_percentage)],
  ["Downtime", 342, (row) => formatSeconds(row.downtime_seconds)],
  ["Outages", 386, (row) => String(row.outages)],
  ["To repair", 446, (row) => formatSeconds(row.mttr_seconds)],
  ["Budget left", 510, (row) => formatSeconds(row.error_budget_remaining_seconds)],
];

/** Where the first row may begin. */
function drawTableHead(marks: Mark[], y: number): number {
  marks.push(
    { ...text(LEFT, y, 8.5, QUIET, "Monitor"), bold: true },
    ...TABLE.map(([title, right]): Mark => ({ ...text(right, y, 8.5, QUIET, title), bold: true, align: "right" })),
    { ...text(RIGHT, y, 8.5, QUIET, "Result"), bold: true, align: "right" },
    { kind: "box", x: LEFT, y: y + 14, width: RIGHT - LEFT, height: 0.75, color: QUIET },
  );
  return y + 16;
}

function drawRow(row: Row, y: number, isShaded: boolean): Mark[] {
  const ground = { kind: "box" as const, x: LEFT, y, width: RIGHT - LEFT, height: ROW, color: GROUND };
  const line = y + 4.5;
  return [
    ...(isShaded ? [ground] : []),
    { ...text(LEFT + 2, line, 8.5, INK, row.name), width: 140 },
    ...TABLE.map(([, right, cell]): Mark => ({ ...text(right, line, 8.5, INK, cell(row)), align: "right" })),
    { ...text(RIGHT - 2, line, 8.5, verdictColor(row), verdict(row)), bold: true, align: "right" },
  ];
}

function drawRunningHead({ period }: SlaSummary, head: ReportHead): Mark[] {
  return [
    brandBar(head),
    { ...text(LEFT, 34, 10, INK, head.page_name), bold: true, width: 230 },
    { ...text(RIGHT, 35, 8.5, QUIET, describePeriod(period, head.timezone)), align: "right" },
  ];
}

function drawFoot({ made_at, timezone }: ReportHead, number: number, count: number): Mark[] {
  const made = `Made on ${formatInstant(new Date(made_at).toISOString(), timezone)} (${zoneName(timezone)})`;
  return [
    { kind: "box", x: LEFT, y: 806, width: RIGHT - LEFT, height: 0.5, color: LINE },
    text(LEFT, 813, 8, QUIET, made),
    { ...text(RIGHT, 813, 8, QUIET, `Page ${number} of ${count}`), align: "right" },
  ];
}

function describePeriod({ from, to }: SlaSummary["period"], timezone: string): string {
  return `${formatInstant(from, timezone)} to ${formatInstant(to, timezone)} (${zoneName(timezone)})`;
}

function zoneName(timezone: string): string {
  return timezone.replaceAll("_", " ");
}

function text(x: number, y: number, size: number, color: string, words: string): Mark & { kind: "text" } {
  return { kind: "text", x, y, size, color, text: words };
}

function heading(y: number, words: string): Mark {
  return { ...text(LEFT, y, 11.5, INK, words), bold: true };
}

function verdict({ meets_target }: Pick<Figures, "meets_target">): "met" | "missed" | "no data" {
  if (meets_target === null) return "no data";
  return meets_target ? "met" : "missed";
}

function verdictColor({ meets_target }: Pick<Figures, "meets_target">): string {
  if (meets_target === null) return QUIET;
  return meets_target ? GOOD : BAD;
}
