import { commit, type Guard } from "../../access/commit.ts";
import { findIdempotentResult } from "../../access/idempotency.ts";
import { requirePage, viewerOf } from "../../access/pages.ts";
import { requireUser } from "../../access/principal.ts";
import { requireGroup, requireVisibleGroup } from "../../access/resources.ts";
import type { RequestScope } from "../../access/scope.ts";
import { conflict, invalid } from "../../contract/errors.ts";
import type { GroupCreate, GroupOrder, GroupUpdate } from "../../contract/group.ts";
import type { Pagination } from "../../contract/pagination.ts";
import { findLastGroupPosition, listMonitorGroups, type MonitorGroupRecord } from "../../data/monitor-groups/read.ts";
import {
  deleteMonitorGroup,
  insertMonitorGroup,
  positionMonitorGroups,
  updateMonitorGroup,
} from "../../data/monitor-groups/write.ts";
import { bumpPageVersion } from "../../data/status-pages/write.ts";
import { changedMembers, replaced } from "../../lib/merge-field.ts";
import { newId } from "../../platform/ids.ts";
import { requireOtherTargets } from "../maintenance/last-targets.ts";

/** The groups of one page, whose visibility was checked before, or of all pages that the caller sees. */
export async function listGroups(ctx: RequestScope, pageId: string | undefined, page: Pagination) {
  const scope = pageId === undefined ? { visible_to: await viewerOf(ctx) } : { status_page_id: pageId };
  return listMonitorGroups(ctx.db, scope, page);
}

export async function createGroup(ctx: RequestScope, input: GroupCreate): Promise<MonitorGroupRecord> {
  const earlier = await findIdempotentResult(ctx);
  if (earlier) return await requireVisibleGroup(ctx, earlier);
  const page = await requirePage(ctx, input.status_page_id);
  const group: MonitorGroupRecord = {
    id: newId(ctx.now),
    owner_id: page.owner_id,
    created_by: requireUser(ctx).user_id,
    status_page_id: page.id,
    name: input.name,
    position: (await findLastGroupPosition(ctx.db, page.id)) + 1,
    external_key: input.external_key ?? null,
    created_at: ctx.now,
    updated_at: ctx.now,
  };
  await write(ctx, group, "created", insertMonitorGroup(ctx.db, group));
  return group;
}

export async function changeGroup(ctx: RequestScope, groupId: string, input: GroupUpdate): Promise<MonitorGroupRecord> {
  const current = await requireGroup(ctx, groupId);
  const group = {
    ...current,
    name: input.name ?? current.name,
    external_key: replaced(input.external_key, current.external_key, null),
    updated_at: ctx.now,
  };
  const change = { ...changedMembers(current, group), id: group.id, updated_at: ctx.now };
  await write(ctx, group, "changed", updateMonitorGroup(ctx.db, change));
  return group;
}

export async function removeGroup(ctx: RequestScope, groupId: string): Promise<void> {
  const group = await requireGroup(ctx, groupId);
  const guard = await requireOtherTargets(ctx, { kind: "group", id: group.id });
  await write(ctx, group, "deleted", deleteMonitorGroup(ctx.db, group.id), [guard]);
}

export async function orderGroups(ctx: RequestScope, { status_page_id, groups }: GroupOrder): Promise<number> {
  const page = await requirePage(ctx, status_page_id);
  const found = await Promise.all(groups.map(({ id }) => requireGroup(ctx, id)));
  const foreign = found.findIndex((group) => group.status_page_id !== page.id);
  if (foreign >= 0) throw invalid(`groups[${foreign}].id must name a group of the status page`);
  if (new Set(groups.map(({ id }) => id)).size < groups.length) throw invalid("groups must not name a group twice");
  const statements = [
    positionMonitorGroups(ctx.db, page.id, groups, ctx.now),
    bumpPageVersion(ctx.db, page.id, ctx.now),
  ];
  await commit(ctx, statements, {
    audit: {
      owner_id: page.owner_id,
      target_type: "status_page",
      target_id: page.id,
      status_page_id: page.id,
      summary: `ordered ${groups.length} groups`,
    },
  });
  return groups.length;
}

async function write(
  ctx: RequestScope,
  group: MonitorGroupRecord,
  verb: string,
  statement: ReturnType<typeof bumpPageVersion>,
  guards: Guard[] = [],
) {
  await commit(ctx, [statement, bumpPageVersion(ctx.db, group.status_page_id, ctx.now)], {
    guards,
    conflicts: { "monitor_groups.external_key": conflict("external_key is taken by another group") },
    audit: {
      owner_id: group.owner_id,
      target_type: "group",
      target_id: group.id,
      status_page_id: group.status_page_id,
      summary: `${verb} group "${group.name}"`,
    },
  });
}
