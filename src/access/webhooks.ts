import { notFound } from "../contract/errors.ts";
import { findWebhook, type WebhookRecord } from "../data/webhooks.ts";
import { type Membership, OWNERSHIP } from "../domain/roles.ts";
import type { Ctx } from "./ctx.ts";
import { findVisiblePage, once, requireRight } from "./pages.ts";

export interface AccessibleWebhook {
  webhook: WebhookRecord;
  membership: Membership;
}

/** A webhook is seen by the members of its page; one without a page by its owner alone. */
export function requireVisibleWebhook(ctx: Ctx, webhookId: string): Promise<AccessibleWebhook> {
  return once(ctx, `webhook ${webhookId}`, async () => {
    const webhook = await findWebhook(ctx.db, webhookId);
    const membership = webhook && (await membershipOf(ctx, webhook));
    if (!webhook || !membership) throw notFound("webhook");
    return { webhook, membership };
  });
}

export async function requireWebhook(ctx: Ctx, webhookId: string): Promise<WebhookRecord> {
  const { webhook, membership } = await requireVisibleWebhook(ctx, webhookId);
  requireRight(membership, ctx.right);
  return webhook;
}

async function membershipOf(ctx: Ctx, webhook: WebhookRecord): Promise<Membership | undefined> {
  if (ctx.principal.kind !== "user") return undefined;
  if (webhook.owner_id === ctx.principal.user_id) return OWNERSHIP;
  if (webhook.status_page_id === null) return undefined;
  return (await findVisiblePage(ctx, webhook.status_page_id))?.membership;
}
