import { findIdempotentResult } from "../../access/idempotency.ts";
import { requireSecretsRead, unsealSecrets } from "../../access/monitor-secrets.ts";
import { requireMonitor, requireVisibleMonitor } from "../../access/resources.ts";
import type { RequestScope } from "../../access/scope.ts";
import { NAME_LENGTH_MAX } from "../../contract/common.ts";
import type { MonitorClone } from "../../contract/monitor.ts";
import { listParents } from "../../data/dependencies/read.ts";
import { createMonitor } from "./create.ts";
import { gateCreation } from "./plan-gate.ts";
import { asInput } from "./update.ts";
import { loadMonitorDetail, type MonitorDetail, visibleParents } from "./view.ts";

const MARK = " (copy)";

/**
 * Makes a monitor with the settings of another, secrets included. What only one monitor can have stays with the original:
 * its external_key, its members, its place in a composite, its mute and its push credentials.
 */
export async function cloneMonitor(ctx: RequestScope, monitorId: string, wanted: MonitorClone): Promise<MonitorDetail> {
  const earlier = await findIdempotentResult(ctx);
  if (earlier) return loadMonitorDetail(ctx, await requireVisibleMonitor(ctx, earlier));
  const original = await requireMonitor(ctx, monitorId);
  await requireSecretsRead(ctx, original, "a clone");
  const stored = await unsealSecrets(ctx.settings, original);
  const status_page_id = wanted.status_page_id === undefined ? original.status_page_id : wanted.status_page_id;
  const input = {
    ...asInput(original, stored),
    name: wanted.name ?? `${original.name.slice(0, NAME_LENGTH_MAX - MARK.length)}${MARK}`,
    status_page_id,
    group_id: status_page_id === original.status_page_id ? original.group_id : null,
    external_key: null,
    child_ids: [],
    depends_on: (await visibleParents(ctx, await listParents(ctx.db, [original.id]))).map(({ parent }) => parent.id),
    muted_until: null,
  };
  await gateCreation(ctx, input);
  return createMonitor(ctx, input);
}
