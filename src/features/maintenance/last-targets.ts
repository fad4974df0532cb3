import type { Guard } from "../../access/audited-write.ts";
import type { RequestScope } from "../../access/scope.ts";
import { inUse, raced } from "../../contract/errors.ts";
import { isAnyLosingAll, listWindowsLosingAll } from "../../data/maintenance/read.ts";

/**
 * What is the last target of a planned or running window cannot be deleted: the window would announce work and suppress
 * nothing. The guard belongs in the commit that deletes.
 */
export async function requireOtherTargets(
  ctx: RequestScope,
  removed: { kind: "group" | "monitor"; id: string },
): Promise<Guard> {
  const ids = removed.kind === "group" ? { group_ids: [removed.id] } : { monitor_ids: [removed.id] };
  const [window] = await listWindowsLosingAll(ctx.db, ids);
  if (window) throw inUse(describeLastTarget(removed.kind, window));
  return targetsGuard(ids);
}

export function describeLastTarget(kind: "group" | "monitor", { title }: { title: string }): string {
  return `the ${kind} is the last target of the maintenance window "${title}"; give the window another one or delete it first`;
}

export function targetsGuard(removed: Parameters<typeof isAnyLosingAll>[0]): Guard {
  const error = raced("a maintenance window was given this as its last target by another request, try again");
  return { name: "stale", when: isAnyLosingAll(removed), error };
}
