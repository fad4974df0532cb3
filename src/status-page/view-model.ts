import type { PagePayload, PublicIncident, PublicMonitor } from "../contract/public-page.ts";
import type { PageUrls } from "../domain/page-address.ts";
import { dateIn } from "../lib/zoned-days.ts";
import { type Block, parseMarkdownOf } from "../ui/markdown.ts";
import { createFormats, type Formats, type Moment, toParagraphs } from "./format.ts";
import { monitorsInMaintenance, type OpenWindow, sortMaintenance } from "./maintenance.ts";
import { buildMonitorView, duringMaintenance, type PublicMonitorView } from "./monitor-view.ts";
import { computePageState, type PageStateView } from "./page-state.ts";
import type { Texts } from "./texts/texts.ts";

/** Exactly what is shown, in words: views only arrange it. */

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

export interface MaintenanceView {
  href: string;
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
  texts: Texts;
  name: string;
  /** What links on the page begin with. */
  base: string;
  home: string;
  /** The page's address for everybody. */
  url: string;
  logo_url: string | null;
  /** On dark grounds. */
  logo_dark_url: string | null;
  favicon_url: string | null;
  brand_color: string | null;
  as_of: Moment;
  is_stale: boolean;
  /** Of the payload; open pages compare it with what is announced. */
  version: number;
  timezone: string;
  footer: {
    paragraphs: string[];
    links: { label: string; url: string }[];
    /** To the service; null under a page's own domain, which names no other; undefined where the page shows none. */
    powered_by_href: string | null | undefined;
  };
}

export interface PublicPageView {
  frame: FrameView;
  /** When the last checks ran, and how long ago, while they are late. */
  late: { at: Moment; ago: string } | null;
  description: Block[];
  banner: PageStateView;
  /** Troubled sections first, then monitors without a group and group by group; in each the troubled ones first. */
  sections: SectionView[];
  /** A search box over so many services. */
  has_filter: boolean;
  open: IncidentView[];
  maintenance: { active: MaintenanceView[]; upcoming: MaintenanceView[] };
  past: { date: Moment; incidents: PastIncidentView[] }[];
}

export interface SectionView {
  id: string;
  title: string;
  /** The statuses of its monitors in one phrase. */
  roll_up: string;
  state: "up" | "degraded" | "down" | "maintenance" | "unknown";
  is_open: boolean;
  monitors: PublicMonitorView[];
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

/** When the page was last known to be like that; `is_stale` when it could not be asked again. */
export interface RenderContext {
  as_of: number;
  is_stale: boolean;
  /** Where the page is read. */
  address: PageUrls;
  texts: Texts;
  /** Since when checks that matter to the page have not run, while they are late. */
  late: { since: number; for_ms: number } | null;
}

/** Bounds on what one document shows, however much there is; the rest is a link away. */
const FILTER_FROM = 20;
const OPEN_SHOWN = 20;
const PAST_SHOWN = 50;
const WINDOWS_SHOWN = 20;
/** Characters of a text on a page that has several, and where only its gist matters. */
const TEXT_SHOWN = 1000;
const GIST_SHOWN = 300;

export function buildPageView(payload: PagePayload, viewing: RenderContext): PublicPageView {
  const { texts, address } = viewing;
  const formats = createFormats(payload.page.timezone, viewing.texts);
  const isOpen = ({ status }: PublicIncident) => status !== "resolved";
  const past = Map.groupBy(
    payload.incidents.filter((incident) => !isOpen(incident)).slice(0, PAST_SHOWN),
    ({ started_at }) => dateIn(payload.page.timezone, started_at),
  );
  const planned = monitorsInMaintenance(payload, viewing.as_of);
  const { active, upcoming } = sortMaintenance(payload, viewing.as_of);
  const viewOne = (monitor: PublicMonitor) => {
    const view = buildMonitorView(monitor, payload, viewing.as_of, { texts, formats });
    return planned.has(monitor.id) ? duringMaintenance(view, texts) : view;
  };
  return {
    frame: buildFrame(payload, viewing, formats),
    late: viewing.late && { at: formats.moment(viewing.late.since), ago: formats.duration(viewing.late.for_ms) },
    description: parseMarkdownOf(payload.page, payload.page.description),
    banner: computePageState(payload, viewing.as_of, texts),
    sections: viewSections(payload, viewOne, texts),
    has_filter: payload.monitors.length >= FILTER_FROM,
    maintenance: {
      active: active.slice(0, WINDOWS_SHOWN).map((each) => viewMaintenance(each, payload, { address, texts, formats })),
      upcoming: upcoming
        .slice(0, WINDOWS_SHOWN)
        .map((each) => viewMaintenance(each, payload, { address, texts, formats })),
    },
    open: payload.incidents
      .filter(isOpen)
      .slice(0, OPEN_SHOWN)
      .map((incident) =>
        viewIncident(incident, payload, { address, texts, formats, updates_max: 1, text_max: TEXT_SHOWN }),
      ),
    past: [...past].map(([date, incidents]) => ({
      date: formats.date(date),
      incidents: incidents.map((incident) =>
        viewPastIncident(incident, payload, { address: viewing.address, texts: viewing.texts, formats }),
      ),
    })),
  };
}

function viewSections(
  payload: PagePayload,
  viewOne: (monitor: PublicMonitor) => PublicMonitorView,
  texts: Texts,
): SectionView[] {
  const isSmall = payload.monitors.length < FILTER_FROM;
  const sections = toSections(payload, texts).map(({ title, monitors }, n): SectionView => {
    const views = monitors.map(viewOne).toSorted((a, b) => rankOf(a) - rankOf(b));
    const { state, text } = rollUp(views, texts);
    const isTroubled = state === "down" || state === "degraded";
    return { id: `services-${n}`, title, roll_up: text, state, is_open: isTroubled || isSmall, monitors: views };
  });
  return sections.toSorted((a, b) => rankOf({ status: a.state }) - rankOf({ status: b.state }));
}

/** Only trouble changes the order that the page's owner chose. */
function rankOf({ status }: Pick<PublicMonitorView, "status">): number {
  if (status === "down") return 0;
  return status === "degraded" ? 1 : 2;
}

function rollUp(monitors: readonly PublicMonitorView[], { home, states }: Texts) {
  const count = (status: PublicMonitorView["status"]) => monitors.filter((each) => each.status === status).length;
  for (const state of ROLLED_UP) {
    if (count(state) > 0) return { state, text: home.some[state](count(state), monitors.length) };
  }
  if (count("up") === 0) return { state: "unknown", text: states.blank } as const;
  return { state: "up", text: home.all_up(monitors.length) } as const;
}

const ROLLED_UP = ["down", "degraded", "maintenance", "unknown"] as const;

/** A page without groups, or without monitors, has the one section of those that have none. */
function toSections(
  { groups, monitors }: PagePayload,
  { home }: Texts,
): { title: string; monitors: PublicMonitor[] }[] {
  const grouped = groups.map(({ id, name }) => ({
    title: name,
    monitors: monitors.filter(({ group_id }) => group_id === id),
  }));
  const others = monitors.filter(({ group_id }) => group_id === null);
  const first = { title: home.services, monitors: others };
  return others.length > 0 || grouped.length === 0 ? [first, ...grouped] : grouped;
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

/** What is around every document of a page. */
export function buildFrame({ page, version }: PagePayload, viewing: RenderContext, formats: Formats): FrameView {
  const { as_of, is_stale, address, texts } = viewing;
  return {
    texts,
    name: page.name,
    ...address,
    logo_url: page.logo_url,
    logo_dark_url: page.logo_dark_url,
    favicon_url: page.favicon_url,
    brand_color: page.brand_color,
    as_of: formats.moment(as_of),
    is_stale,
    version,
    timezone: page.timezone,
    footer: {
      paragraphs: toParagraphs(page.footer_text),
      links: page.footer_links,
      powered_by_href: page.show_branding ? (address.base === "" ? null : "/") : undefined,
    },
  };
}

/** Where, in which language and with which dates a part of a page is read. */
interface Reading {
  address: PageUrls;
  texts: Texts;
  formats: Formats;
}

function viewIncident(
  incident: PublicIncident,
  { monitors }: PagePayload,
  reading: Reading & { updates_max: number; text_max?: number },
): IncidentView {
  const { texts, formats, updates_max, text_max } = reading;
  const updates = incident.updates.slice(0, updates_max);
  return {
    ...outlineOf(incident, monitors, reading),
    description: parseMarkdownOf(incident, incident.description, text_max),
    is_open: incident.status !== "resolved",
    updates: updates.map((update) => ({
      label: texts.incident.statuses[update.status],
      at: formats.moment(update.created_at),
      text: parseMarkdownOf(update, update.message, text_max),
    })),
    omitted_updates: incident.updates.length - updates.length + incident.omitted_updates,
  };
}

function viewPastIncident(incident: PublicIncident, { monitors }: PagePayload, reading: Reading): PastIncidentView {
  const [last] = incident.updates;
  return {
    ...outlineOf(incident, monitors, reading),
    last: last ? parseMarkdownOf(last, last.message, GIST_SHOWN) : [],
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

function viewMaintenance(
  { window, occurrence, status }: OpenWindow,
  { monitors }: PagePayload,
  { address, texts, formats, updates_max = 1 }: Reading & { updates_max?: number },
): MaintenanceView {
  return {
    href: `${address.base}/maintenance/${window.id}`,
    title: window.title,
    description: parseMarkdownOf(window, window.description, TEXT_SHOWN),
    is_active: status === "in_progress",
    label: texts.maintenance.statuses[status],
    from: formats.moment(occurrence.start_at),
    to: formats.moment(occurrence.end_at),
    affected: namesOf(monitors, window.monitor_ids),
    updates: window.updates.slice(0, updates_max).map((update) => ({
      label: texts.maintenance.statuses[update.status],
      at: formats.moment(update.created_at),
      text: parseMarkdownOf(update, update.message, TEXT_SHOWN),
    })),
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

/** A window with all of its updates. */
export function buildMaintenance(open: OpenWindow, payload: PagePayload, viewing: RenderContext): MaintenanceView {
  const { address, texts } = viewing;
  const formats = createFormats(payload.page.timezone, texts);
  return viewMaintenance(open, payload, { address, texts, formats, updates_max: Number.POSITIVE_INFINITY });
}

function namesOf(monitors: PublicMonitor[], ids: readonly string[]): string[] {
  return monitors.filter((monitor) => ids.includes(monitor.id)).map((monitor) => monitor.name);
}
