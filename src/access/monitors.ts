import { notFound } from "../contract/errors.ts";
import { listMonitorsByIds } from "../data/monitor-settings/read.ts";
import { findMonitor, type MonitorRecord } from "../data/monitors/read.ts";
import type { Membership } from "../domain/roles.ts";
import type { AuditSubject } from "./commit.ts";
import { findMembership, once, requirePermission } from "./pages.ts";
import type { RequestScope } from "./scope.ts";

export interface AccessibleMonitor {
  monitor: MonitorRecord;
  membership: Membership;
}

/** A monitor is seen by the members of its page; one without a page by its owner alone. */
export function requireVisibleMonitor(ctx: RequestScope, monitorId: string): Promise<AccessibleMonitor> {
  return once(ctx, `monitor ${monitorId}`, async () => admit(ctx, await findMonitor(ctx.db, monitorId)));
}

/** Reads many at once, so that judging each of them costs no query of its own. */
export async function preloadMonitors(ctx: RequestScope, monitorIds: readonly string[]): Promise<void> {
  const found = new Map((await listMonitorsByIds(ctx.db, monitorIds)).map((monitor) => [monitor.id, monitor]));
  // Whoever asks for one of them hears of its refusal.
  for (const id of monitorIds) once(ctx, `monitor ${id}`, () => admit(ctx, found.get(id))).catch(() => {});
}

async function admit(ctx: RequestScope, monitor: MonitorRecord | undefined): Promise<AccessibleMonitor> {
  const membership = monitor && (await findMembership(ctx, monitor));
  if (!monitor || !membership) throw notFound("monitor");
  return { monitor, membership };
}

export async function requireMonitor(ctx: RequestScope, monitorId: string): Promise<MonitorRecord> {
  const { monitor, membership } = await requireVisibleMonitor(ctx, monitorId);
  requirePermission(membership, ctx.permission);
  return monitor;
}

/** For verbs that do something to one monitor; `verb` stands before its name. */
export function monitorAudit(
  monitor: Pick<MonitorRecord, "id" | "name" | "owner_id" | "status_page_id">,
  verb: string,
  data?: Record<string, unknown>,
): AuditSubject {
  const { id, name, owner_id, status_page_id } = monitor;
  const summary = `${verb} monitor "${name}"`;
  return { owner_id, target_type: "monitor", target_id: id, monitor_id: id, status_page_id, summary, data };
}
