import { commit } from "../../access/commit.ts";
import { requirePage } from "../../access/pages.ts";
import type { RequestScope } from "../../access/scope.ts";
import { SubscriberAddress } from "../../contract/subscriber.ts";
import { listSubscribers, type SubscriberRecord } from "../../data/subscribers/read.ts";
import { type Cell, toCsv } from "../../domain/csv.ts";
import { toIsoOrNull } from "../../platform/clock.ts";
import { unseal } from "../../platform/seal.ts";

const EXPORTED_MAX = 10_000;
const PART = 500;
const HEAD = ["channel", "endpoint", "events", "confirmed_at", "unsubscribed_at"];

/** The subscribers of a page with their addresses, as a table. Those who unsubscribed have none any more. */
export async function exportSubscribers(ctx: RequestScope, pageId: string): Promise<string> {
  const { id, owner_id } = await requirePage(ctx, pageId);
  const rows: Cell[][] = [HEAD];
  for (let offset = 0; offset < EXPORTED_MAX; offset += PART) {
    const { rows: part } = await listSubscribers(ctx.db, { status_page_id: id }, { limit: PART, offset });
    rows.push(...(await Promise.all(part.map((subscriber) => toRow(ctx, subscriber)))));
    if (part.length < PART) break;
  }
  await commit(ctx, [], {
    audit: {
      owner_id,
      status_page_id: id,
      target_type: "status_page",
      target_id: id,
      summary: `exported ${rows.length - 1} subscribers`,
    },
  });
  return toCsv(rows);
}

async function toRow(ctx: RequestScope, subscriber: SubscriberRecord): Promise<Cell[]> {
  const { id, sealed, channel, endpoint_masked, events, confirmed_at, unsubscribed_at } = subscriber;
  const address = sealed === null ? null : SubscriberAddress.parse(await unseal(ctx.settings.ROOT_SECRET, id, sealed));
  return [
    channel,
    address?.endpoint ?? endpoint_masked,
    events.join(" "),
    toIsoOrNull(confirmed_at),
    toIsoOrNull(unsubscribed_at),
  ];
}
