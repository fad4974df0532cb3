import { notFound } from "../contract/errors.ts";
import { findSubscriber, type SubscriberRecord } from "../data/subscribers/read.ts";
import { findVisiblePage, once, requirePermission } from "./pages.ts";
import type { RequestScope } from "./scope.ts";

/** A subscriber belongs to the page. */
export async function requireSubscriber(ctx: RequestScope, subscriberId: string): Promise<SubscriberRecord> {
  const { subscriber, membership } = await once(ctx, `subscriber ${subscriberId}`, async () => {
    const subscriber = await findSubscriber(ctx.db, subscriberId);
    const found = subscriber && (await findVisiblePage(ctx, subscriber.status_page_id));
    if (!subscriber || !found) throw notFound("subscriber");
    return { subscriber, membership: found.membership };
  });
  requirePermission(membership, ctx.permission);
  return subscriber;
}
