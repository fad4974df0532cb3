import { notFound } from "../contract/errors.ts";
import { findMonitor, type MonitorRecord } from "../data/monitors.ts";
import { type Membership, OWNERSHIP } from "../domain/roles.ts";
import type { Ctx } from "./ctx.ts";
import { findVisiblePage, once, requireRight } from "./pages.ts";

export interface AccessibleMonitor {
  monitor: MonitorRecord;
  membership: Membership;
}

/** A monitor is seen by the members of its page; one without a page by its owner alone. */
export function requireVisibleMonitor(ctx: Ctx, monitorId: string): Promise<AccessibleMonitor> {
  return once(ctx, `monitor ${monitorId}`, async () => {
    const monitor = await findMonitor(ctx.db, monitorId);
    const membership = monitor && (await membershipOf(ctx, monitor));
    if (!monitor || !membership) throw notFound("monitor");
    return { monitor, membership };
  });
}

export async function requireMonitor(ctx: Ctx, monitorId: string): Promise<MonitorRecord> {
  const { monitor, membership } = await requireVisibleMonitor(ctx, monitorId);
  requireRight(membership, ctx.right);
  return monitor;
}

async function membershipOf(ctx: Ctx, monitor: MonitorRecord): Promise<Membership | undefined> {
  if (ctx.principal.kind !== "user") return undefined;
  if (monitor.owner_id === ctx.principal.user_id) return OWNERSHIP;
  if (monitor.status_page_id === null) return undefined;
  return (await findVisiblePage(ctx, monitor.status_page_id))?.membership;
}
