import { openScope, type RequestScope, type Scope } from "../../access/scope.ts";
import { projectSnapshot } from "../../checks/projection.ts";
import type { MonitorSnapshot, PushOutcome } from "../../contract/monitor-object.ts";
import { evaluateMetricRules } from "../../events/metric-rules.ts";

/** A push is accepted before anything is known of its sender but the credential, and most never ask the database. */
export type PushScope = Omit<Scope, "db"> & Pick<RequestScope, "defer">;
export type AcceptedPush = Extract<PushOutcome, { outcome: "taken" }>;

/** Projects the status and evaluates metric rules, for the few pushes that need it. */
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
