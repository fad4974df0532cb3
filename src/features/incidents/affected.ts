import { requireGroup, requireVisibleMonitor } from "../../access/resources.ts";
import type { RequestScope } from "../../access/scope.ts";
import { invalid } from "../../contract/errors.ts";
import type { Affected } from "../../data/incidents/write.ts";

interface Named {
  monitor_id?: string | null;
  monitor_ids?: readonly string[] | null;
  group_ids?: readonly string[] | null;
}

/** What an input says is affected; what it leaves out stays as it is. Everything has to be on the incident's page. */
export async function resolveAffected(
  ctx: RequestScope,
  pageId: string,
  input: Named,
  present: Affected,
): Promise<Affected> {
  for (const [n, id] of (input.monitor_ids ?? []).entries())
    await requireMonitorOn(ctx, pageId, id, `monitor_ids[${n}]`);
  if (input.monitor_id) await requireMonitorOn(ctx, pageId, input.monitor_id, "monitor_id");
  for (const [n, id] of (input.group_ids ?? []).entries()) {
    if ((await requireGroup(ctx, id)).status_page_id !== pageId) throw notOnPage(`group_ids[${n}]`, "group");
  }
  const monitor_ids = input.monitor_ids === undefined ? present.monitor_ids : (input.monitor_ids ?? []);
  return {
    monitor_ids: input.monitor_id ? [...monitor_ids, input.monitor_id] : monitor_ids,
    group_ids: input.group_ids === undefined ? present.group_ids : (input.group_ids ?? []),
  };
}

async function requireMonitorOn(ctx: RequestScope, pageId: string, monitorId: string, path: string): Promise<void> {
  const monitor = await requireVisibleMonitor(ctx, monitorId);
  if (monitor.status_page_id !== pageId) throw notOnPage(path, "monitor");
}

function notOnPage(path: string, what: string) {
  const message = `must name a ${what} of the status page`;
  return invalid(`${path} ${message}`, [{ path, message }]);
}
