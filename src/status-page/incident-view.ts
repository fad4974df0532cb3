import type { PagePayload, PublicIncident, PublicMonitor } from "../contract/public-page.ts";
import { inLanguageOf } from "../domain/automatic-texts.ts";
import { wordsBesideStatus } from "../domain/incident-status.ts";
import type { PageTexts } from "../language/texts.ts";
import { dateIn } from "../lib/zoned-days.ts";
import { type Block, parseMarkdown, parseMarkdownOf } from "../ui/markdown.ts";
import { createFormats, type Formats, type Moment, type Span } from "./format.ts";
import { buildFrame, type FrameView, namesOf, type Reading, type RenderContext } from "./frame-view.ts";
import { monitorsInMaintenance } from "./maintenance.ts";
import { buildMonitorView, duringMaintenance, type PublicMonitorView } from "./monitor-view.ts";

/** What is shown of incidents: open ones, those that are over, one at its own address, all by month. */

const PAST_SHOWN = 50;
/** Characters of a text where only its gist matters. */
const GIST_SHOWN = 300;
const IMPACT_SHOWN = 1000;

export interface IncidentView {
  href: string;
  title: string;
  description: Block[];
  severity: PublicIncident["severity"];
  severity_label: string;
  is_open: boolean;
  label: string;
  started: Moment;
  /** From when to when, and how long that was. */
  resolved: { span: Span; duration: string } | null;
  affected: string[];
  /** What people notice of it. */
  impact: Block[];
  updates: UpdateView[];
  /** How many older updates the document leaves out. */
  omitted_updates: number;
}

/** An incident that is over: how it ended. */
export interface PastIncidentView
  extends Pick<
    IncidentView,
    "href" | "title" | "severity" | "severity_label" | "label" | "started" | "resolved" | "affected"
  > {
  last: Block[];
}

export interface UpdateView {
  label: string;
  at: Moment;
  text: Block[];
}

/** A month as a calendar, and what began in it. */
export interface HistoryMonth {
  title: string;
  weekdays: readonly string[];
  days: CalendarDay[];
  /** Columns before the first day, in weeks that begin on Monday. */
  offset: number;
  incidents: (PastIncidentView & { id: string })[];
}

export interface CalendarDay {
  day: number;
  date: Moment;
  /** The worst of the day; null where nothing began. */
  severity: PublicIncident["severity"] | null;
  count: number;
  is_future: boolean;
  /** Of the first one of the day, within the document. */
  anchor: string | null;
}

/** A month, or part of it, of all that was published. */
export interface HistoryPageView {
  frame: FrameView;
  months: HistoryMonth[];
  /** Where earlier ones are; null when there are none. */
  older_href: string | null;
  canonical: string;
}

export interface IncidentPageView {
  frame: FrameView;
  incident: IncidentView;
  /** How long it took, or has taken until now. */
  duration: string;
  /** What it affects, as that is now. */
  affected: PublicMonitorView[];
  previous: { href: string; title: string } | null;
  next: { href: string; title: string } | null;
  canonical: string;
}

interface Neighbour {
  id: string;
  title: string;
}

/** Those that began just before and after it. */
export interface Neighbours {
  previous: Neighbour | null;
  next: Neighbour | null;
}

const NO_NEIGHBOURS: Neighbours = { previous: null, next: null };

export function buildIncidentView(
  incident: PublicIncident,
  payload: PagePayload,
  viewing: RenderContext,
  neighbours: Neighbours = NO_NEIGHBOURS,
): IncidentPageView {
  const formats = createFormats(payload.page.timezone, viewing.texts);
  const { address, texts, as_of } = viewing;
  const { started_at, resolved_at } = incident;
  const planned = monitorsInMaintenance(payload, as_of);
  const linkTo = (one: Neighbour | null) =>
    one && { href: `${address.base}/incidents/${one.id}`, title: inLanguageOf(texts, one.title) };
  return {
    frame: buildFrame(payload, viewing, formats),
    incident: viewIncident(incident, payload, { address, texts, formats, updates_max: Number.POSITIVE_INFINITY }),
    duration: resolved_at === null ? formats.age(as_of - started_at) : formats.duration(resolved_at - started_at),
    affected: payload.monitors
      .filter(({ id }) => incident.monitor_ids.includes(id))
      .map((monitor) => {
        const view = buildMonitorView(monitor, payload, as_of, { texts, formats });
        return planned.has(monitor.id) ? duringMaintenance(view, texts) : view;
      }),
    previous: linkTo(neighbours.previous),
    next: linkTo(neighbours.next),
    canonical: `${address.url}/incidents/${incident.id}`,
  };
}

interface Stretch {
  viewing: RenderContext;
  /** How many incidents were asked for: as many found means that there may be more. */
  limit: number;
  /** They began before this; undefined: of all there are. */
  before: number | undefined;
}

export function buildHistoryView(
  incidents: PublicIncident[],
  payload: PagePayload,
  { viewing, limit, before }: Stretch,
): HistoryPageView {
  const { page } = payload;
  const formats = createFormats(page.timezone, viewing.texts);
  const months = Map.groupBy(incidents, (incident) => dateIn(page.timezone, incident.started_at).slice(0, 7));
  const last = incidents.length < limit ? undefined : incidents.at(-1);
  return {
    frame: buildFrame(payload, viewing, formats),
    months: [...months].map(([month, begun]) => ({
      title: formats.month(month),
      ...calendarOf(month, begun, { today: dateIn(page.timezone, viewing.as_of), timezone: page.timezone, formats }),
      incidents: begun.map((incident) => ({
        ...viewPastIncident(incident, payload, { address: viewing.address, texts: viewing.texts, formats }),
        id: incident.id,
      })),
    })),
    older_href: last ? viewing.address.base + historyPath(last.started_at, formats) : null,
    canonical: viewing.address.url + historyPath(before, formats),
  };
}

const WORST = ["critical", "major", "minor"] as const;

function calendarOf(
  month: string,
  begun: readonly PublicIncident[],
  { today, timezone, formats }: { today: string; timezone: string; formats: Formats },
): Pick<HistoryMonth, "weekdays" | "days" | "offset"> {
  const byDate = Map.groupBy(begun, ({ started_at }) => dateIn(timezone, started_at));
  const [year = 0, number = 1] = month.split("-").map(Number);
  const count = new Date(Date.UTC(year, number, 0)).getUTCDate();
  const days = Array.from({ length: count }, (_, n): CalendarDay => {
    const date = `${month}-${String(n + 1).padStart(2, "0")}`;
    const found = byDate.get(date) ?? [];
    return {
      day: n + 1,
      date: formats.date(date),
      severity: WORST.find((each) => found.some(({ severity }) => severity === each)) ?? null,
      count: found.length,
      is_future: date > today,
      anchor: found[0] ? `#incident-${found[0].id}` : null,
    };
  });
  return { weekdays: formats.weekdays, days, offset: (new Date(Date.UTC(year, number - 1, 1)).getUTCDay() + 6) % 7 };
}

function historyPath(before: number | undefined, formats: Formats): string {
  return before === undefined ? "/history" : `/history?before=${formats.moment(before).iso}`;
}

/** Nothing where an update only says that its status changed: the status stands beside it. */
export function parseUpdate(update: PublicIncident["updates"][number], texts: PageTexts, max?: number): Block[] {
  if (wordsBesideStatus(update) === "") return [];
  const said = inLanguageOf(texts, update.message);
  return said === update.message ? parseMarkdownOf(update, "message", max) : parseMarkdown(said);
}

export function viewIncident(
  incident: PublicIncident,
  { monitors }: PagePayload,
  reading: Reading & { updates_max: number; text_max?: number },
): IncidentView {
  const { texts, formats, updates_max, text_max } = reading;
  const updates = incident.updates.slice(0, updates_max);
  return {
    ...outlineOf(incident, monitors, reading),
    description: parseMarkdownOf(incident, "description", text_max),
    impact: parseMarkdownOf(incident, "impact", IMPACT_SHOWN),
    is_open: incident.status !== "resolved",
    updates: updates.map((update) => ({
      label: texts.incident.statuses[update.status],
      at: formats.moment(update.created_at),
      text: parseUpdate(update, texts, text_max),
    })),
    omitted_updates: incident.updates.length - updates.length + incident.omitted_updates,
  };
}

export function viewPastIncident(
  incident: PublicIncident,
  { monitors }: PagePayload,
  reading: Reading,
): PastIncidentView {
  const [last] = incident.updates;
  return {
    ...outlineOf(incident, monitors, reading),
    last: last ? parseUpdate(last, reading.texts, GIST_SHOWN) : [],
  };
}

function outlineOf(incident: PublicIncident, monitors: PublicMonitor[], { address, texts, formats }: Reading) {
  const { started_at, resolved_at } = incident;
  return {
    href: `${address.base}/incidents/${incident.id}`,
    title: inLanguageOf(texts, incident.title),
    severity: incident.severity,
    severity_label: texts.incident.severities[incident.severity],
    label: texts.incident.statuses[incident.status],
    started: formats.moment(started_at),
    resolved:
      resolved_at === null
        ? null
        : { span: formats.span(started_at, resolved_at), duration: formats.duration(resolved_at - started_at) },
    affected: namesOf(monitors, incident.monitor_ids),
  };
}

export function buildPastIncidents(
  incidents: readonly PublicIncident[],
  payload: PagePayload,
  { address, texts }: RenderContext,
): PastIncidentView[] {
  const formats = createFormats(payload.page.timezone, texts);
  return incidents.slice(0, PAST_SHOWN).map((each) => viewPastIncident(each, payload, { address, texts, formats }));
}
