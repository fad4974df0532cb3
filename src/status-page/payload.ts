import type { MonitorStatus } from "../contract/monitor-values.ts";
import type { DayTally, PagePayload, PublicIncident, PublicStatus } from "../contract/public-page.ts";
import type { Db } from "../data/db.ts";
import { findShownIncident, readShownPage } from "../data/public-page.ts";
import type { StatusPageRecord } from "../data/status-pages.ts";
import { computeTallies, type Tally } from "../domain/uptime.ts";
import { listDaysUntil } from "../kit/zoned-days.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
export const DAYS_SHOWN = 90;
export const RESOLVED_SHOWN_DAYS = 14;

type ShownPage = Awaited<ReturnType<typeof readShownPage>>;
type ShownIncident = ShownPage["incidents"][number];

/** Builds a page's payload in one round trip; undefined when the page is gone. */
export async function buildPayload(db: Db, pageId: string, now: number): Promise<PagePayload | undefined> {
  const shown = await readShownPage(db, pageId, {
    // Days in the page's zone begin at most a day before those of UTC.
    intervals: now - (DAYS_SHOWN + 1) * DAY_MS,
    resolved: now - RESOLVED_SHOWN_DAYS * DAY_MS,
  });
  return composePayload(shown, now);
}

export async function findPublicIncident(
  db: Db,
  ids: { page_id: string; incident_id: string },
): Promise<PublicIncident | undefined> {
  const incident = await findShownIncident(db, ids);
  return incident && toPublicIncident(incident);
}

/** Names each member that becomes public. */
export function composePayload({ page, monitors, intervals, incidents }: ShownPage, now: number) {
  if (!page) return undefined;
  const days = listDaysUntil(now, page.timezone, DAYS_SHOWN);
  const intervalsOf = Map.groupBy(intervals, (interval) => interval.monitor_id);
  const payload: PagePayload = {
    format: 1,
    version: page.version,
    generated_at: now,
    valid_until: days.at(-1)?.to_at ?? now,
    page: {
      id: page.id,
      name: page.name,
      slug: page.slug,
      description: page.description,
      timezone: page.timezone,
      logo_url: page.logo_url,
      brand_color: page.brand_color,
      footer_text: page.footer_text,
      footer_links: [...page.footer_links.map(({ label, url }) => ({ label, url })), ...legalLinks(page)],
      show_branding: page.show_branding,
    },
    days: days.map((day) => day.date),
    monitors: monitors.map((monitor) => ({
      id: monitor.id,
      name: monitor.name,
      status: toPublicStatus(monitor.status),
      status_since: monitor.status_since,
      tallies: computeTallies(intervalsOf.get(monitor.id) ?? [], days, now).map(pack),
    })),
    incidents: incidents.map(toPublicIncident),
  };
  return payload;
}

function legalLinks({ imprint_url, privacy_url }: Pick<StatusPageRecord, "imprint_url" | "privacy_url">) {
  return [
    ...(imprint_url === null ? [] : [{ label: "Imprint", url: imprint_url }]),
    ...(privacy_url === null ? [] : [{ label: "Privacy", url: privacy_url }]),
  ];
}

function toPublicIncident(incident: ShownIncident): PublicIncident {
  return {
    id: incident.id,
    title: incident.title,
    description: incident.description,
    severity: incident.severity,
    status: incident.status,
    started_at: incident.started_at,
    resolved_at: incident.resolved_at,
    monitor_ids: incident.monitor_ids,
    updates: incident.updates.map(({ id, status, message, created_at }) => ({ id, status, message, created_at })),
  };
}

/** A monitor that was just resumed is still paused until its first check: to readers that is the same as a new one. */
function toPublicStatus(status: MonitorStatus): PublicStatus {
  return status === "paused" ? "pending" : status;
}

function pack({ up, degraded, down }: Tally): DayTally {
  return up + degraded + down === 0 ? null : [up, degraded, down];
}
