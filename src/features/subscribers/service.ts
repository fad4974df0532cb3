import { commit } from "../../access/commit.ts";
import { requireVisiblePage, viewerOf } from "../../access/pages.ts";
import { requireSubscriber } from "../../access/resources.ts";
import type { RequestScope } from "../../access/scope.ts";
import type { Pagination } from "../../contract/pagination.ts";
import { listSubscribers, type SubscriberRecord } from "../../data/subscribers/read.ts";
import { deleteSubscriber } from "../../data/subscribers/write.ts";

/** The subscribers of one page, whose visibility was checked before, or of all pages that the caller sees. */
export async function listMySubscribers(ctx: RequestScope, pageId: string | undefined, page: Pagination) {
  if (pageId !== undefined) await requireVisiblePage(ctx, pageId);
  const scope = pageId === undefined ? { visible_to: await viewerOf(ctx) } : { status_page_id: pageId };
  return listSubscribers(ctx.db, scope, page);
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
