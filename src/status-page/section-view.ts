import type { PagePayload, PublicMonitor } from "../contract/public-page.ts";
import type { PageTexts } from "../language/texts.ts";
import type { PublicMonitorView } from "./monitor-view.ts";

/** How the monitors of a page are arranged. */

/** Pages of so many services have a search box, and sections that are closed. */
export const FILTER_FROM = 20;

export interface SectionView {
  id: string;
  title: string;
  /** The statuses of its monitors in one phrase. */
  summary: string;
  state: "up" | "degraded" | "down" | "maintenance" | "unknown";
  is_open: boolean;
  monitors: PublicMonitorView[];
}

export function buildSections(
  payload: PagePayload,
  viewOne: (monitor: PublicMonitor) => PublicMonitorView,
  texts: PageTexts,
): SectionView[] {
  const isSmall = payload.monitors.length < FILTER_FROM;
  return toSections(payload, texts).map(({ title, monitors }, n): SectionView => {
    const views = monitors.map(viewOne);
    const { state, text } = summarizeStatuses(views, texts);
    const isTroubled = state === "down" || state === "degraded";
    return { id: `services-${n}`, title, summary: text, state, is_open: isTroubled || isSmall, monitors: views };
  });
}

/** The troubled monitors of all sections, the worst first; in the sections they keep the order of the page's owner. */
export function listAffected(sections: readonly SectionView[]): PublicMonitorView[] {
  const all = sections.flatMap(({ monitors }) => monitors);
  return (["down", "degraded"] as const).flatMap((worse) => all.filter(({ status }) => status === worse));
}

function summarizeStatuses(monitors: readonly PublicMonitorView[], { home, states }: PageTexts) {
  const count = (status: PublicMonitorView["status"]) => monitors.filter((each) => each.status === status).length;
  for (const state of SUMMARIZED) {
    if (count(state) > 0) return { state, text: home.some[state]({ n: count(state), total: monitors.length }) };
  }
  if (count("up") === 0) return { state: "unknown", text: states.blank } as const;
  return { state: "up", text: home.all_up({ n: monitors.length }) } as const;
}

const SUMMARIZED = ["down", "degraded", "maintenance", "unknown"] as const;

/** A page without groups, or without monitors, has the one section of those that have none. */
function toSections(
  { groups, monitors }: PagePayload,
  { home }: PageTexts,
): { title: string; monitors: PublicMonitor[] }[] {
  const grouped = groups.map(({ id, name }) => ({
    title: name,
    monitors: monitors.filter(({ group_id }) => group_id === id),
  }));
  const others = monitors.filter(({ group_id }) => group_id === null);
  const first = { title: home.services, monitors: others };
  return others.length > 0 || grouped.length === 0 ? [first, ...grouped] : grouped;
}
