import { answerOnce, claimKey } from "../../access/idempotency.ts";
import { getOwner } from "../../access/owners.ts";
import { requirePage } from "../../access/pages.ts";
import { requireUser } from "../../access/principal.ts";
import type { Ctx } from "../../access/request-scope.ts";
import { depsOf } from "../../access/scope.ts";
import { tryCheck } from "../../checks/manual-check.ts";
import { AdHocResult } from "../../contract/check.ts";
import { invalid } from "../../contract/errors.ts";
import type { MonitorCreate } from "../../contract/monitor.ts";
import { refuseKeptSecrets } from "./create.ts";
import { draftMonitor } from "./validate.ts";

/** Checks what a body describes, once and from here, without saving it. The body has to be one that could be saved. */
export async function tryMonitor(ctx: Ctx, input: MonitorCreate): Promise<AdHocResult> {
  const page = input.status_page_id ? await requirePage(ctx, input.status_page_id) : null;
  const owner = await getOwner(ctx, page?.owner_id ?? requireUser(ctx).user_id);
  refuseKeptSecrets(input);
  const around = { plan: owner.plan, owner_id: owner.user_id, page, current: null };
  const { columns, options, isScheduled } = await draftMonitor(ctx, input, around);
  if (!isScheduled) throw invalid(`a ${input.type} monitor is not checked from here, so it cannot be tried`);
  const { timeout_seconds, latency_threshold_ms } = columns;
  const job = { target: columns.target ?? "", fields: options, timeout_seconds, latency_threshold_ms };
  return answerOnce(ctx, (stored) => AdHocResult.parse(stored), {
    claim: () => claimKey(ctx, null),
    run: () => tryCheck(depsOf(ctx), input.type, job),
  });
}
