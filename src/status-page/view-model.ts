import type { PagePayload, PublicIncident, PublicMonitor } from "../contract/public-page.ts";
import { dateIn } from "../lib/zoned-days.ts";
import { type Block, parseMarkdownOf } from "../ui/markdown.ts";
import { createFormats, type Lasting, type Moment } from "./format.ts";
import { buildFrame, type FrameView, type RenderContext, TEXT_SHOWN } from "./frame-view.ts";
import { type IncidentView, type PastIncidentView, viewIncident, viewPastIncident } from "./incident-view.ts";
import { monitorsInMaintenance, sortMaintenance } from "./maintenance.ts";
import { type MaintenanceView, viewMaintenance } from "./maintenance-view.ts";
import { buildMonitorView, duringMaintenance, type PublicMonitorView } from "./monitor-view.ts";
import { computePageState, type PageStateView } from "./page-state.ts";
import { buildSections, FILTER_FROM, listAffected, type SectionView } from "./section-view.ts";

/** Exactly what the page shows, in words: views only arrange it. */

export interface PublicPageView {
  frame: FrameView;
  /** When the last checks ran, and how long ago, while they are late. */
  late: { at: Moment; ago: string } | null;
  description: Block[];
  banner: BannerView;
  /** Troubled monitors, the worst first. */
  affected: { monitors: PublicMonitorView[]; more: number };
  /** Monitors without a group, then group by group, as the page's owner ordered them. */
  sections: SectionView[];
  /** A search box over so many services. */
  has_filter: boolean;
  open: IncidentView[];
  maintenance: { active: MaintenanceView[]; upcoming: MaintenanceView[] };
  past: { date: Moment; incidents: PastIncidentView[] }[];
}

export interface BannerView extends Omit<PageStateView, "since"> {
  lasting: Lasting | null;
  /** How long ago it was detected, while nobody wrote about it. */
  detected: { at: Moment; ago: string } | null;
}

/** Bounds on what one document shows, however much there is; the rest is a link away. */
const OPEN_SHOWN = 20;
const PAST_SHOWN = 50;
const WINDOWS_SHOWN = 20;
const AFFECTED_SHOWN = 8;

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
  const { since, ...state } = computePageState(payload, viewing.as_of, texts);
  const sections = buildSections(payload, viewOne, texts);
  const affected = listAffected(sections);
  const listed = affected.slice(0, AFFECTED_SHOWN);
  const isListed = (name: string) => listed.some((monitor) => monitor.name === name);
  return {
    frame: buildFrame(payload, viewing, formats),
    late: viewing.late && { at: formats.moment(viewing.late.since), ago: formats.duration(viewing.late.for_ms) },
    description: parseMarkdownOf(payload.page, "description"),
    banner: {
      ...state,
      lasting: since === null ? null : formats.lasting(since, viewing.as_of),
      detected:
        since !== null && state.is_unannounced
          ? { at: formats.moment(since), ago: formats.age(viewing.as_of - since) }
          : null,
    },
    affected: { monitors: listed, more: Math.max(0, affected.length - AFFECTED_SHOWN) },
    sections,
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
      )
      // The list of what is affected stands below.
      .map((view) => (view.affected.every(isListed) ? { ...view, affected: [] } : view)),
    past: [...past].map(([date, incidents]) => ({
      date: formats.date(date),
      incidents: incidents.map((incident) =>
        viewPastIncident(incident, payload, { address: viewing.address, texts: viewing.texts, formats }),
      ),
    })),
  };
}
