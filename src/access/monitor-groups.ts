import { notFound } from "../contract/errors.ts";
import { findMonitorGroup, listGroupsByIds, type MonitorGroupRecord } from "../data/monitor-groups/read.ts";
import { findVisiblePage, once, requirePermission } from "./pages.ts";
import type { RequestScope } from "./scope.ts";

/** A group is seen by the members of its page. */
export function requireVisibleGroup(ctx: RequestScope, groupId: string) {
  return once(ctx, `group ${groupId}`, async () => admit(ctx, await findMonitorGroup(ctx.db, groupId)));
}

/** Reads many at once, so that judging each of them costs no query of its own. */
export async function preloadGroups(ctx: RequestScope, groupIds: readonly string[]): Promise<void> {
  const found = new Map((await listGroupsByIds(ctx.db, groupIds)).map((group) => [group.id, group]));
  // Whoever asks for one of them hears of its refusal.
  for (const id of groupIds) once(ctx, `group ${id}`, () => admit(ctx, found.get(id))).catch(() => {});
}

async function admit(ctx: RequestScope, group: MonitorGroupRecord | undefined) {
  const found = group && (await findVisiblePage(ctx, group.status_page_id));
  if (!group || !found) throw notFound("group");
  return { group, membership: found.membership };
}

export async function requireGroup(ctx: RequestScope, groupId: string): Promise<MonitorGroupRecord> {
  const { group, membership } = await requireVisibleGroup(ctx, groupId);
  requirePermission(membership, ctx.permission);
  return group;
}
