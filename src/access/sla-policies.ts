import { notFound } from "../contract/errors.ts";
import { findSlaPolicy, type SlaPolicyRecord } from "../data/sla.ts";
import type { Ctx } from "./ctx.ts";
import { once } from "./pages.ts";

/** A policy belongs to the account that made it, and to nobody else. */
export function requireSlaPolicy(ctx: Ctx, policyId: string): Promise<SlaPolicyRecord> {
  return once(ctx, `sla policy ${policyId}`, async () => {
    const policy = await findSlaPolicy(ctx.db, policyId);
    if (ctx.principal.kind !== "user" || policy?.owner_id !== ctx.principal.user_id) throw notFound("SLA policy");
    return policy;
  });
}
