import { notFound } from "../contract/errors.ts";
import { findMonitor, type MonitorRecord } from "../data/monitors.ts";
import type { Membership } from "../domain/roles.ts";
import type { Ctx } from "./ctx.ts";
import { findMembership, once, requireRight } from "./pages.ts";

export interface AccessibleMonitor {
  monitor: MonitorRecord;
  membership: Membership;
}

/** A monitor is seen by the members of its page; one without a page by its owner alone. */
export function requireVisibleMonitor(ctx: Ctx, monitorId: string): Promise<AccessibleMonitor> {
  return once(ctx, `monitor ${monitorId}`, async () => {
    const monitor = await findMonitor(ctx.db, monitorId);
    const membership = monitor && (await findMembership(ctx, monitor));
    if (!monitor || !membership) throw notFound("monitor");
    return { monitor, membership };
  });
}

export async function requireMonitor(ctx: Ctx, monitorId: string): Promise<MonitorRecord> {
  const { monitor, membership } = await requireVisibleMonitor(ctx, monitorId);
  requireRight(membership, ctx.right);
  return monitor;
}
