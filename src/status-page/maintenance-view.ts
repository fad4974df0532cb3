import type { PagePayload, PublicMaintenance, PublicOccurrence } from "../contract/public-page.ts";
import { dateIn } from "../lib/zoned-days.ts";
import { type Block, parseMarkdownOf } from "../ui/markdown.ts";
import { createFormats, type Span } from "./format.ts";
import { buildFrame, type FrameView, namesOf, type Reading, type RenderContext, TEXT_SHOWN } from "./frame-view.ts";
import type { UpdateView } from "./incident-view.ts";
import { type OpenWindow, sortMaintenance } from "./maintenance.ts";

/** What is shown of maintenance: windows, one at its own address, all occurrences by month. */

export interface MaintenanceView extends Span {
  href: string;
  title: string;
  description: Block[];
  is_active: boolean;
  label: string;
  affected: string[];
  updates: UpdateView[];
}

export interface MaintenancePageView {
  frame: FrameView;
  window: MaintenanceView;
  upcoming: Span[];
  past: Span[];
  canonical: string;
}

/** A window at its own address: with every update and date that is known of it. */
export function buildMaintenanceView(
  window: PublicMaintenance,
  payload: PagePayload,
  viewing: RenderContext,
): MaintenancePageView | undefined {
  const formats = createFormats(payload.page.timezone, viewing.texts);
  const { active, upcoming } = sortMaintenance({ maintenance: [window] }, viewing.as_of);
  const [last] = window.past;
  const present = active[0] ?? upcoming[0] ?? (last && { window, occurrence: last, status: "completed" as const });
  if (!present) return undefined;
  const span = ({ start_at, end_at }: PublicOccurrence) => formats.span(start_at, end_at);
  return {
    frame: buildFrame(payload, viewing, formats),
    window: buildMaintenance(present, payload, viewing),
    upcoming: window.upcoming.filter(({ end_at }) => end_at > viewing.as_of).map(span),
    past: window.past.map(span),
    canonical: `${viewing.address.url}/maintenance/${window.id}`,
  };
}

export interface PastOccurrence extends PublicOccurrence {
  maintenance_id: string;
  title: string;
  monitor_ids: string[];
}

export interface MaintenanceHistoryView {
  frame: FrameView;
  active: MaintenanceView[];
  upcoming: MaintenanceView[];
  months: {
    title: string;
    occurrences: (Span & { title: string; href: string; duration: string; affected: string[] })[];
  }[];
  older_href: string | null;
  canonical: string;
}

export function buildMaintenanceHistory(
  occurrences: readonly PastOccurrence[],
  payload: PagePayload,
  { viewing, limit, before }: { viewing: RenderContext; limit: number; before: number | undefined },
): MaintenanceHistoryView {
  const { address, texts, as_of } = viewing;
  const { timezone } = payload.page;
  const formats = createFormats(timezone, texts);
  const months = Map.groupBy(occurrences, ({ start_at }) => dateIn(timezone, start_at).slice(0, 7));
  const { active, upcoming } = sortMaintenance(payload, as_of);
  const last = occurrences.length < limit ? undefined : occurrences.at(-1);
  const pathOf = (at: number | undefined) =>
    at === undefined ? "/maintenance" : `/maintenance?before=${formats.moment(at).iso}`;
  const isFirst = before === undefined;
  return {
    frame: buildFrame(payload, viewing, formats),
    active: isFirst ? active.map((each) => buildMaintenance(each, payload, viewing)) : [],
    upcoming: isFirst ? upcoming.map((each) => buildMaintenance(each, payload, viewing)) : [],
    months: [...months].map(([month, begun]) => ({
      title: formats.month(month),
      occurrences: begun.map(({ maintenance_id, title, start_at, end_at, monitor_ids }) => ({
        title,
        href: `${address.base}/maintenance/${maintenance_id}`,
        ...formats.span(start_at, end_at),
        duration: formats.duration(end_at - start_at),
        affected: namesOf(payload.monitors, monitor_ids),
      })),
    })),
    older_href: last ? address.base + pathOf(last.start_at) : null,
    canonical: address.url + pathOf(before),
  };
}

export function viewMaintenance(
  { window, occurrence, status }: OpenWindow,
  { monitors }: PagePayload,
  { address, texts, formats, updates_max = 1 }: Reading & { updates_max?: number },
): MaintenanceView {
  return {
    href: `${address.base}/maintenance/${window.id}`,
    title: window.title,
    description: parseMarkdownOf(window, "description", TEXT_SHOWN),
    is_active: status === "in_progress",
    label: texts.maintenance.statuses[status],
    ...formats.span(occurrence.start_at, occurrence.end_at),
    affected: namesOf(monitors, window.monitor_ids),
    updates: window.updates.slice(0, updates_max).map((update) => ({
      label: texts.maintenance.statuses[update.status],
      at: formats.moment(update.created_at),
      text: parseMarkdownOf(update, "message", TEXT_SHOWN),
    })),
  };
}

/** A window with all of its updates. */
export function buildMaintenance(open: OpenWindow, payload: PagePayload, viewing: RenderContext): MaintenanceView {
  const { address, texts } = viewing;
  const formats = createFormats(payload.page.timezone, texts);
  return viewMaintenance(open, payload, { address, texts, formats, updates_max: Number.POSITIVE_INFINITY });
}
