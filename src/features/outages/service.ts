import { maySeeSecrets } from "../../access/monitor-secrets.ts";
import { requirePage } from "../../access/pages.ts";
import { requireMonitor } from "../../access/resources.ts";
import type { RequestScope } from "../../access/scope.ts";
import type { Pagination } from "../../contract/pagination.ts";
import { listOutages, listTransitions, type TimeRange } from "../../data/outages/read.ts";

type Wanted = TimeRange & Pagination;

/** Outages of a monitor that overlap the range, the latest first. */
export async function listMonitorOutages(ctx: RequestScope, monitorId: string, wanted: Wanted) {
  const { id: monitor_id } = await requireMonitor(ctx, monitorId);
  return withoutInsides(ctx, await listOutages(ctx.db, { monitor_id }, wanted, wanted));
}

/** Likewise of all monitors of a page. Choice: an outage belongs to the page that its monitor was on when it began. */
export async function listPageOutages(ctx: RequestScope, pageId: string, wanted: Wanted) {
  const { id: status_page_id } = await requirePage(ctx, pageId);
  return withoutInsides(ctx, await listOutages(ctx.db, { status_page_id }, wanted, wanted));
}

/** Every change of a monitor's status, the latest first. */
export async function listStatusChanges(ctx: RequestScope, monitorId: string, wanted: Wanted) {
  return listTransitions(ctx.db, (await requireMonitor(ctx, monitorId)).id, wanted, wanted);
}

type Listed = Awaited<ReturnType<typeof listOutages>>;

/** What a host of a private network answered is for those who may read secrets. */
async function withoutInsides(ctx: RequestScope, { rows, total }: Listed): Promise<Listed> {
  const visible = rows.map(async (row) => {
    const { evidence } = row.outage;
    const isInside = row.monitor.agent_id !== null || evidence?.from_agent === true;
    if (!evidence || !isInside || (await maySeeSecrets(ctx, row.monitor))) return row;
    return { ...row, outage: { ...row.outage, evidence: { ...evidence, excerpt: null } } };
  });
  return { rows: await Promise.all(visible), total };
}
