import { claimKey, runOnce } from "../../access/idempotency.ts";
import { loadNamedSecrets } from "../../access/monitor-secrets.ts";
import { getOwner } from "../../access/owners.ts";
import { requirePage } from "../../access/pages.ts";
import { requireUser, type UserPrincipal } from "../../access/principal.ts";
import { requireMonitor } from "../../access/resources.ts";
import type { RequestScope } from "../../access/scope.ts";
import { dryRunCheck } from "../../checks/manual-check.ts";
import { DryRunResult } from "../../contract/check.ts";
import { invalid } from "../../contract/errors.ts";
import { asksEdge } from "../../contract/location.ts";
import type { MonitorCreate, MonitorUpdate } from "../../contract/monitor.ts";
import { requireHostBudget } from "./check-budget.ts";
import { rejectSecretPlaceholders } from "./create.ts";
import { draftChange } from "./update.ts";
import { type Draft, draftMonitor } from "./validate.ts";

/** Checks what a body describes, once and without saving it. The body has to be one that could be saved. */
export async function dryRunMonitor(ctx: RequestScope, input: MonitorCreate): Promise<DryRunResult> {
  const page = input.status_page_id ? await requirePage(ctx, input.status_page_id) : null;
  const owner = await getOwner(ctx, page?.owner_id ?? requireUser(ctx).user_id);
  rejectSecretPlaceholders(input);
  const around = { plan: owner.plan, owner_id: owner.user_id, page, current: null };
  return run(ctx, await draftMonitor(ctx, input, around), owner);
}

/** The same for a change of a stored monitor, whose secrets are used where the body masks them. */
export async function dryRunChange(ctx: RequestScope, monitorId: string, body: MonitorUpdate): Promise<DryRunResult> {
  const monitor = await requireMonitor(ctx, monitorId);
  return run(ctx, await draftChange(ctx, monitor, body), await getOwner(ctx, monitor.owner_id));
}

async function run(ctx: RequestScope, draft: Draft, owner: UserPrincipal): Promise<DryRunResult> {
  const { columns, options, isScheduled, secret_names } = draft;
  const { type, agent_id, regions, timeout_seconds, latency_threshold_ms } = columns;
  if (agent_id !== null) throw invalid("agent_id names an agent, which checks only what is saved");
  if (!asksEdge(columns)) throw invalid("locations name agents alone, which check only what is saved");
  if (!isScheduled) throw invalid(`a ${type} monitor cannot be tested, because the service does not run its checks`);
  const unsaved = { id: "", owner_id: owner.user_id, secret_names };
  const secrets = (await loadNamedSecrets(ctx, [unsaved])).get(unsaved.id);
  const job = { target: columns.target ?? "", fields: options, secrets, timeout_seconds, latency_threshold_ms };
  return runOnce(ctx, (stored) => DryRunResult.parse(stored), {
    claim: async () => {
      await requireHostBudget(ctx, { type, target: columns.target, options }, owner.plan);
      await claimKey(ctx, null);
    },
    run: () => dryRunCheck(ctx, { type, job, regions }),
  });
}
