import { notFound } from "../contract/errors.ts";
import { findMonitorGroup, type MonitorGroupRecord } from "../data/groups.ts";
import type { Ctx } from "./ctx.ts";
import { findVisiblePage, once, requireRight } from "./pages.ts";

/** A group is seen by the members of its page. */
export function requireVisibleGroup(ctx: Ctx, groupId: string) {
  return once(ctx, `group ${groupId}`, async () => {
    const group = await findMonitorGroup(ctx.db, groupId);
    const found = group && (await findVisiblePage(ctx, group.status_page_id));
    if (!group || !found) throw notFound("group");
    return { group, membership: found.membership };
  });
}

export async function requireGroup(ctx: Ctx, groupId: string): Promise<MonitorGroupRecord> {
  const { group, membership } = await requireVisibleGroup(ctx, groupId);
  requireRight(membership, ctx.right);
  return group;
}
