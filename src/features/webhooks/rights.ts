import { findMembership } from "../../access/pages.ts";
import type { RequestScope } from "../../access/scope.ts";
import type { WebhookRecord } from "../../data/webhooks/read.ts";
import { hasPermission } from "../../domain/roles.ts";

/** Whether the caller sees its addresses and deliveries. */
export async function mayChange(ctx: RequestScope, webhook: WebhookRecord): Promise<boolean> {
  const membership = await findMembership(ctx, webhook);
  return membership !== undefined && hasPermission(membership, "alerting.write");
}
