import type { PagePayload, PublicIncident, PublicMonitor } from "../contract/public-page.ts";
import { dateIn } from "../lib/zoned-days.ts";
import { type Block, parseMarkdownOf } from "../ui/markdown.ts";
import { createFormats, type Formats, type Moment } from "./format.ts";
import { buildFrame, type FrameView, namesOf, type Reading, type RenderContext } from "./frame-view.ts";

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
  /** When it was over and how long it took. */
  resolved: { at: Moment; duration: string } | null;
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

/** A month, or part of it, of all that was published. */
export interface HistoryPageView {
  frame: FrameView;
  months: { title: string; incidents: PastIncidentView[] }[];
  /** Where earlier ones are; null when there are none. */
  older_href: string | null;
  canonical: string;
}

export interface IncidentPageView {
  frame: FrameView;
  incident: IncidentView;
  canonical: string;
}

export function buildIncidentView(
  incident: PublicIncident,
  payload: PagePayload,
  viewing: RenderContext,
): IncidentPageView {
  const formats = createFormats(payload.page.timezone, viewing.texts);
  const { address, texts } = viewing;
  return {
    frame: buildFrame(payload, viewing, formats),
    incident: viewIncident(incident, payload, { address, texts, formats, updates_max: Number.POSITIVE_INFINITY }),
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
      incidents: begun.map((incident) =>
        viewPastIncident(incident, payload, { address: viewing.address, texts: viewing.texts, formats }),
      ),
    })),
    older_href: last ? viewing.address.base + historyPath(last.started_at, formats) : null,
    canonical: viewing.address.url + historyPath(before, formats),
  };
}

function historyPath(before: number | undefined, formats: Formats): string {
  return before === undefined ? "/history" : `/history?before=${formats.moment(before).iso}`;
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
      text: parseMarkdownOf(update, "message", text_max),
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
    last: last ? parseMarkdownOf(last, "message", GIST_SHOWN) : [],
  };
}

function outlineOf(incident: PublicIncident, monitors: PublicMonitor[], { address, texts, formats }: Reading) {
  const { started_at, resolved_at } = incident;
  return {
    href: `${address.base}/incidents/${incident.id}`,
    title: incident.title,
    severity: incident.severity,
    severity_label: texts.incident.severities[incident.severity],
    label: texts.incident.statuses[incident.status],
    started: formats.moment(started_at),
    resolved:
      resolved_at === null
        ? null
        : { at: formats.moment(resolved_at), duration: formats.duration(resolved_at - started_at) },
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
