import { requireVisibleGroup, requireVisibleMonitor } from "../../access/resources.ts";
import type { RequestScope } from "../../access/scope.ts";
import { ApiError, invalid } from "../../contract/errors.ts";
import type { MaintenanceTarget } from "../../contract/maintenance.ts";

/** Absent targets, foreign ones and those of another page get the same error. */
export async function requireTargets(
  ctx: RequestScope,
  pageId: string,
  targets: readonly MaintenanceTarget[],
): Promise<void> {
  for (const [n, target] of targets.entries()) {
    if ((await findPageOf(ctx, target)) === pageId) continue;
    const path = `targets[${n}].target_id`;
    const message = `must name a ${target.target_type} of the status page`;
    throw invalid(`${path} ${message}`, [{ path, message }]);
  }
}

async function findPageOf(ctx: RequestScope, { target_type, target_id }: MaintenanceTarget): Promise<string | null> {
  try {
    if (target_type === "group") return (await requireVisibleGroup(ctx, target_id)).status_page_id;
    return (await requireVisibleMonitor(ctx, target_id)).status_page_id;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}
