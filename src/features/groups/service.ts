import { commit } from "../../access/commit.ts";
import { requirePage } from "../../access/pages.ts";
import { requireGroup } from "../../access/resources.ts";
import type { RequestScope } from "../../access/scope.ts";
import { invalid } from "../../contract/errors.ts";
import { GROUP_FIELDS, type GroupOrder } from "../../contract/group.ts";
import { monitorGroups } from "../../data/monitor-groups/table.ts";
import { findLastPosition, positionRows } from "../../data/rows.ts";
import { bumpPageVersion } from "../../data/status-pages/write.ts";
import { resource, verbsOf } from "../../resource/verbs.ts";
import { requireOtherTargets } from "../maintenance/last-targets.ts";

export const GROUP = resource({
  noun: "group",
  audited_as: "group",
  fields: GROUP_FIELDS,
  table: monitorGroups,
  sorted_by: "position",
  is_public: true,
  require: requireGroup,
});

export const groupVerbs = verbsOf(GROUP, {
  initial: async (ctx, pageId) => ({ position: (await findLastPosition(ctx.db, monitorGroups, pageId)) + 1 }),
  guardRemoval: async (ctx, { id }) => [await requireOtherTargets(ctx, { kind: "group", id })],
});

export async function orderGroups(ctx: RequestScope, { status_page_id, groups }: GroupOrder): Promise<number> {
  const page = await requirePage(ctx, status_page_id);
  const named = await Promise.all(groups.map(({ id }) => requireGroup(ctx, id)));
  const foreign = named.findIndex((group) => group.status_page_id !== page.id);
  if (foreign >= 0) throw invalid(`groups[${foreign}].id must name a group of the status page`);
  if (new Set(groups.map(({ id }) => id)).size < groups.length) throw invalid("groups must not name a group twice");
  const statements = [positionRows(ctx.db, monitorGroups, groups, ctx.now), bumpPageVersion(ctx.db, page.id, ctx.now)];
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
