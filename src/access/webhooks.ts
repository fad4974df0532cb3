import { notFound } from "../contract/errors.ts";
import { findWebhook, type WebhookRecord } from "../data/webhooks/read.ts";
import type { Membership } from "../domain/roles.ts";
import { findMembership, once, requirePermission } from "./pages.ts";
import type { RequestScope } from "./scope.ts";

export interface AccessibleWebhook {
  webhook: WebhookRecord;
  membership: Membership;
}

/** A webhook is seen by the members of its page; one without a page by its owner alone. */
export function requireVisibleWebhook(ctx: RequestScope, webhookId: string): Promise<AccessibleWebhook> {
  return once(ctx, `webhook ${webhookId}`, async () => {
    const webhook = await findWebhook(ctx.db, webhookId);
    const membership = webhook && (await findMembership(ctx, webhook));
    if (!webhook || !membership) throw notFound("webhook");
    return { webhook, membership };
  });
}

export async function requireWebhook(ctx: RequestScope, webhookId: string): Promise<WebhookRecord> {
  const { webhook, membership } = await requireVisibleWebhook(ctx, webhookId);
  requirePermission(membership, ctx.permission);
  return webhook;
}
