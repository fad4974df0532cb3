import { commit } from "../../access/commit.ts";
import { requirePage } from "../../access/pages.ts";
import { requireSubscriber } from "../../access/resources.ts";
import type { RequestScope } from "../../access/scope.ts";
import { listSubscribers, type SubscriberRecord } from "../../data/subscribers/read.ts";
import { deleteSubscriber } from "../../data/subscribers/write.ts";

export async function listPageSubscribers(ctx: RequestScope, pageId: string, page: { limit: number; offset: number }) {
  await requirePage(ctx, pageId);
  return listSubscribers(ctx.db, pageId, page);
}

export async function removeSubscriber(ctx: RequestScope, subscriberId: string): Promise<SubscriberRecord> {
  const subscriber = await requireSubscriber(ctx, subscriberId);
  await commit(ctx, [deleteSubscriber(ctx.db, subscriber)], {
    audit: {
      owner_id: subscriber.owner_id,
      status_page_id: subscriber.status_page_id,
      target_type: "subscriber",
      target_id: subscriber.id,
      summary: `deleted ${subscriber.channel} subscriber ${subscriber.endpoint_masked}`,
    },
  });
  return subscriber;
}
