import { openScope, type Scope } from "../../access/scope.ts";
import { projectSnapshot } from "../../checks/projection.ts";
import type { MonitorSnapshot } from "../../contract/monitor-object.ts";
import { evaluateMetricRules } from "../../events/metric-rules.ts";
import type { AcceptedPush, PushScope } from "./accept.ts";

/** What few pushes lead to. */
export async function followUp(
  ctx: PushScope,
  monitorId: string,
  { snapshot, evaluates_rules, received_at: at }: AcceptedPush,
): Promise<void> {
  const scope = openScope(ctx);
  if (snapshot) await project(scope, monitorId, snapshot);
  if (evaluates_rules) ctx.defer(evaluateMetricRules(scope, { monitor_id: monitorId, at }));
}

/** The push is kept already, so that a database that does not answer delays only what lists show. */
async function project(scope: Scope, monitorId: string, snapshot: MonitorSnapshot): Promise<void> {
  try {
    await projectSnapshot(scope, monitorId, snapshot);
  } catch (error) {
    scope.log.error("projection", error, { monitor_id: monitorId });
  }
}
