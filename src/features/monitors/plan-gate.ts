import { z } from "zod";
import { findIdempotentResult } from "../../access/idempotency.ts";
import { getOwner } from "../../access/owners.ts";
import { findVisiblePage } from "../../access/pages.ts";
import { requireUser, type UserPrincipal } from "../../access/principal.ts";
import { requireMonitor } from "../../access/resources.ts";
import type { RequestScope } from "../../access/scope.ts";
import { type ApiError, betaRequired, forbidden, planLimit } from "../../contract/errors.ts";
import { regionsAmong } from "../../contract/location.ts";
import { MonitorUpdate } from "../../contract/monitor.ts";
import type { MonitorType } from "../../contract/monitor-values.ts";
import { countMonitors } from "../../data/monitor-settings/read.ts";
import { findPlanViolation, PLAN_LIMITS } from "../../domain/plans.ts";
import { monitorType } from "../../probes/registry.ts";

/**
 * What the plan of a monitor's owner includes. It is decided before the body is validated, so members of the wrong form
 * count as absent here; the schema refuses them afterwards.
 */
const { type, interval, status_page_id } = MonitorUpdate.shape;
const Wishes = z
  .object({
    type: type.catch(undefined),
    interval: interval.catch(undefined),
    status_page_id: status_page_id.catch(undefined),
    // The plan counts them; which there are, the schema knows.
    regions: z.array(z.unknown()).optional().catch(undefined),
    locations: z.array(z.unknown()).optional().catch(undefined),
  })
  .transform(({ regions, locations, ...wish }) => ({ ...wish, regions: longer(regions, locations) }))
  .catch({ regions: undefined });

/** The regions among the locations, where those name more. */
function longer(regions: readonly unknown[] | undefined, locations: readonly unknown[] | undefined) {
  const named = regionsAmong((locations ?? []).map(String));
  return named.length > (regions?.length ?? 0) ? named : regions;
}

interface Wish {
  type?: MonitorType;
  interval?: number | null;
  regions?: readonly unknown[];
}

export async function gateCreation(ctx: RequestScope, body: unknown): Promise<void> {
  if ((await findIdempotentResult(ctx)) !== undefined) return;
  await requireMonitorCount(ctx, await gateDryRun(ctx, body));
}

/** A trial takes no place, so it only has to be of a kind that the owner's plan includes. */
export async function gateDryRun(ctx: RequestScope, body: unknown): Promise<UserPrincipal> {
  const { status_page_id, ...wish } = Wishes.parse(body);
  const owner = await getOwner(ctx, await ownerOfPage(ctx, status_page_id ?? null, requireUser(ctx).user_id));
  requirePlan(owner, wish);
  return owner;
}

/** What stays as it is need not fit into the plan, so that a smaller plan does not lock what exists. */
export async function gateUpdate(ctx: RequestScope, body: unknown, params: Record<string, string>): Promise<void> {
  const monitor = await requireMonitor(ctx, params.id ?? "");
  const { status_page_id, ...wish } = Wishes.parse(body);
  if ((await ownerOfPage(ctx, status_page_id ?? null, monitor.owner_id)) !== monitor.owner_id) {
    throw forbidden("status_page_id belongs to another account: migrate the monitor, as an admin of both pages");
  }
  requirePlan(await getOwner(ctx, monitor.owner_id), {
    type: wish.type === monitor.type ? undefined : wish.type,
    interval: wish.interval === monitor.interval ? undefined : wish.interval,
    regions: (wish.regions?.length ?? 0) <= monitor.regions.length ? undefined : wish.regions,
  });
}

/** Access to the page was checked before; this finds whose page it is. */
async function ownerOfPage(ctx: RequestScope, pageId: string | null, otherwise: string): Promise<string> {
  const found = pageId === null ? undefined : await findVisiblePage(ctx, pageId);
  return found?.page.owner_id ?? otherwise;
}

function requirePlan({ plan, beta }: UserPrincipal, wish: Wish): void {
  const type = wish.type && monitorType(wish.type);
  const excess = findPlanViolation(plan, { ...wish, type_plan: type?.plan });
  if (excess !== null) throw planLimit(excess);
  if (type?.is_beta && !beta) {
    throw betaRequired(`${wish.type} monitors are in beta and not enabled for your account`);
  }
}

async function requireMonitorCount(ctx: RequestScope, owner: UserPrincipal): Promise<void> {
  const { monitors } = PLAN_LIMITS[owner.plan];
  if (monitors !== null && (await countMonitors(ctx.db, owner.user_id)) >= monitors) throw monitorLimitError(owner);
}

export function monitorLimitError({ plan }: UserPrincipal): ApiError {
  return planLimit(`the ${plan} plan includes at most ${PLAN_LIMITS[plan].monitors} monitors`);
}
