import type { MaintenanceStatus } from "../contract/maintenance.ts";
import type { PagePayload, PublicIncident, PublicMonitor } from "../contract/public-page.ts";
import type { PageUrls } from "../domain/page-address.ts";
import { dateIn } from "../lib/zoned-days.ts";
import { type Block, parseMarkdown } from "../ui/markdown.ts";
import { createFormats, type Formats, formatDuration, type Moment, toParagraphs } from "./format.ts";
import { monitorsInMaintenance, type OpenWindow, sortMaintenance } from "./maintenance.ts";
import { buildMonitorView, duringMaintenance, type PublicMonitorView } from "./monitor-view.ts";
import { computePageState, type PageStateView } from "./page-state.ts";

/** Exactly what is shown, in words: views only arrange it. */

export interface IncidentView {
  href: string;
  title: string;
  description: Block[];
  severity: PublicIncident["severity"];
  is_open: boolean;
  label: string;
  started: Moment;
  /** When it was over and how long it took. */
  resolved: { at: Moment; duration: string } | null;
  affected: string[];
  updates: UpdateView[];
}

export interface UpdateView {
  label: string;
  at: Moment;
  text: Block[];
}

export interface MaintenanceView {
  title: string;
  description: Block[];
  is_active: boolean;
  label: string;
  from: Moment;
  to: Moment;
  affected: string[];
  updates: UpdateView[];
}

export interface FrameView {
  name: string;
  /** What links on the page begin with. */
  base: string;
  home: string;
  /** The page's address for everybody. */
  url: string;
  logo_url: string | null;
  brand_color: string | null;
  as_of: Moment;
  is_stale: boolean;
  timezone: string;
  footer: { paragraphs: string[]; links: { label: string; url: string }[]; show_branding: boolean };
}

export interface PublicPageView {
  frame: FrameView;
  /** When the last checks ran, and how long ago, while they are late. */
  late: { at: Moment; ago: string } | null;
  description: Block[];
  banner: PageStateView;
  /** Monitors without a group, then group by group. */
  sections: { title: string; monitors: PublicMonitorView[] }[];
  open: IncidentView[];
  /** Under way, then to come. */
  maintenance: MaintenanceView[];
  past: { date: Moment; incidents: IncidentView[] }[];
}

/** A month, or part of it, of all that was published. */
export interface HistoryPageView {
  frame: FrameView;
  months: { title: string; incidents: IncidentView[] }[];
  /** Where earlier ones are; null when there are none. */
  older_href: string | null;
  canonical: string;
}

export interface IncidentPageView {
  frame: FrameView;
  incident: IncidentView;
  canonical: string;
}

/** When the page was last known to be like that; `is_stale` when it could not be asked again. */
export interface RenderContext {
  as_of: number;
  is_stale: boolean;
  /** Where the page is read. */
  address: PageUrls;
  /** Since when checks that matter to the page have not run, while they are late. */
  late: { since: number; for_ms: number } | null;
}

const MAINTENANCE_LABELS: Record<MaintenanceStatus, string> = {
  scheduled: "Scheduled",
  in_progress: "In progress",
  completed: "Completed",
};

const INCIDENT_LABELS: Record<PublicIncident["status"], string> = {
  investigating: "Investigating",
  identified: "Identified",
  monitoring: "Monitoring",
  resolved: "Resolved",
};

export function buildPageView(payload: PagePayload, viewing: RenderContext): PublicPageView {
  const formats = createFormats(payload.page.timezone);
  const incidents = payload.incidents.map((incident) => ({
    date: dateIn(payload.page.timezone, incident.started_at),
    view: viewIncident(incident, payload, viewing.address, formats),
  }));
  const past = Map.groupBy(
    incidents.filter(({ view }) => !view.is_open),
    ({ date }) => date,
  );
  const planned = monitorsInMaintenance(payload, viewing.as_of);
  const { active, upcoming } = sortMaintenance(payload, viewing.as_of);
  const viewOne = (monitor: PublicMonitor) => {
    const view = buildMonitorView(monitor, payload, viewing.as_of, formats);
    return planned.has(monitor.id) ? duringMaintenance(view) : view;
  };
  return {
    frame: viewFrame(payload, viewing, formats),
    late: viewing.late && { at: formats.moment(viewing.late.since), ago: formatDuration(viewing.late.for_ms) },
    description: parseMarkdown(payload.page.description),
    banner: computePageState(payload, viewing.as_of),
    sections: toSections(payload).map(({ title, monitors }) => ({ title, monitors: monitors.map(viewOne) })),
    maintenance: [
      ...active.map((each) => viewMaintenance(each, true, payload, formats)),
      ...upcoming.map((each) => viewMaintenance(each, false, payload, formats)),
    ],
    open: incidents.filter(({ view }) => view.is_open).map(({ view }) => view),
    past: [...past].map(([date, group]) => ({ date: formats.date(date), incidents: group.map(({ view }) => view) })),
  };
}

/** A page without groups, or without monitors, has the one section of those that have none. */
function toSections({ groups, monitors }: PagePayload): { title: string; monitors: PublicMonitor[] }[] {
  const grouped = groups.map(({ id, name }) => ({
    title: name,
    monitors: monitors.filter(({ group_id }) => group_id === id),
  }));
  const others = monitors.filter(({ group_id }) => group_id === null);
  const first = { title: "Services", monitors: others };
  return others.length > 0 || grouped.length === 0 ? [first, ...grouped] : grouped;
}

export function buildIncidentView(
  incident: PublicIncident,
  payload: PagePayload,
  viewing: RenderContext,
): IncidentPageView {
  const formats = createFormats(payload.page.timezone);
  const { address } = viewing;
  return {
    frame: viewFrame(payload, viewing, formats),
    incident: viewIncident(incident, payload, address, formats),
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
  const formats = createFormats(page.timezone);
  const months = Map.groupBy(incidents, (incident) => dateIn(page.timezone, incident.started_at).slice(0, 7));
  const last = incidents.length < limit ? undefined : incidents.at(-1);
  return {
    frame: viewFrame(payload, viewing, formats),
    months: [...months].map(([month, begun]) => ({
      title: formats.month(month),
      incidents: begun.map((incident) => viewIncident(incident, payload, viewing.address, formats)),
    })),
    older_href: last ? viewing.address.base + historyPath(last.started_at, formats) : null,
    canonical: viewing.address.url + historyPath(before, formats),
  };
}

function historyPath(before: number | undefined, formats: Formats): string {
  return before === undefined ? "/history" : `/history?before=${formats.moment(before).iso}`;
}

function viewFrame({ page }: PagePayload, { as_of, is_stale, address }: RenderContext, formats: Formats): FrameView {
  return {
    name: page.name,
    ...address,
    logo_url: page.logo_url,
    brand_color: page.brand_color,
    as_of: formats.moment(as_of),
    is_stale,
    timezone: page.timezone.replaceAll("_", " "),
    footer: {
      paragraphs: toParagraphs(page.footer_text),
      links: page.footer_links,
      show_branding: page.show_branding,
    },
  };
}

function viewIncident(
  incident: PublicIncident,
  { monitors }: PagePayload,
  address: PageUrls,
  formats: Formats,
): IncidentView {
  const { started_at, resolved_at } = incident;
  return {
    href: `${address.base}/incidents/${incident.id}`,
    title: incident.title,
    description: parseMarkdown(incident.description),
    severity: incident.severity,
    is_open: incident.status !== "resolved",
    label: INCIDENT_LABELS[incident.status],
    started: formats.moment(started_at),
    resolved:
      resolved_at === null
        ? null
        : { at: formats.moment(resolved_at), duration: formatDuration(resolved_at - started_at) },
    affected: namesOf(monitors, incident.monitor_ids),
    updates: incident.updates.map((update) => ({
      label: INCIDENT_LABELS[update.status],
      at: formats.moment(update.created_at),
      text: parseMarkdown(update.message),
    })),
  };
}

function viewMaintenance(
  { window, occurrence }: OpenWindow,
  isActive: boolean,
  { monitors }: PagePayload,
  formats: Formats,
): MaintenanceView {
  return {
    title: window.title,
    description: parseMarkdown(window.description),
    is_active: isActive,
    label: MAINTENANCE_LABELS[isActive ? "in_progress" : "scheduled"],
    from: formats.moment(occurrence.start_at),
    to: formats.moment(occurrence.end_at),
    affected: namesOf(monitors, window.monitor_ids),
    updates: window.updates.map((update) => ({
      label: MAINTENANCE_LABELS[update.status],
      at: formats.moment(update.created_at),
      text: parseMarkdown(update.message),
    })),
  };
}

function namesOf(monitors: PublicMonitor[], ids: readonly string[]): string[] {
  return monitors.filter((monitor) => ids.includes(monitor.id)).map((monitor) => monitor.name);
}
