import { commit } from "../../access/commit.ts";
import { isWithinMailRate, recipientOf } from "../../access/mail-rate.ts";
import { requirePage } from "../../access/pages.ts";
import { capGuard } from "../../access/plan-caps.ts";
import type { RequestScope } from "../../access/scope.ts";
import {
  findEndpointError,
  type SubscriberChannel,
  type SubscribersInvite,
  type SubscribersInvited,
} from "../../contract/subscriber.ts";
import { hasAskedSubscribers } from "../../data/plan-caps/read.ts";
import { takeMail } from "../../delivery/outside-mail.ts";
import { wakeSubscribers } from "../../outbox/subscriber-queue.ts";
import { normalEndpoint, requestConfirmation } from "../../outbox/subscription-request.ts";
import { checkGiven } from "../../platform/egress/guard.ts";

/**
 * Asks people to confirm that they want news of a page, as if they had asked themselves: nobody is subscribed by
 * somebody else. Addresses that cannot be asked are listed with the reason.
 */
export async function inviteSubscribers(ctx: RequestScope, input: SubscribersInvite): Promise<SubscribersInvited> {
  const { id: status_page_id, owner_id } = await requirePage(ctx, input.status_page_id);
  const channel = input.channel ?? "email";
  const endpoints = new Set(input.endpoints.map((endpoint) => normalEndpoint(channel, endpoint)));
  const refused: SubscribersInvited["refused"] = [];
  const requests = [];
  for (const endpoint of endpoints) {
    const error = await findRefusal(ctx, { owner_id, channel, endpoint });
    if (error !== null) refused.push({ endpoint, error });
    else {
      const choice = { monitor_ids: [], group_ids: [], events: [] };
      requests.push(
        await requestConfirmation(ctx, { owner_id, status_page_id, channel, endpoint, is_invited: true, choice }),
      );
    }
  }
  const [first] = requests;
  if (!first) return { invited: 0, refused };
  await commit(
    ctx,
    requests.flatMap(({ statements }) => statements),
    {
      audit: {
        owner_id,
        status_page_id,
        target_type: "subscriber",
        target_id: first.subscriber.id,
        summary: `asked ${requests.length === 1 ? first.subscriber.endpoint_masked : `${requests.length} addresses`} to subscribe`,
      },
      guards: await capGuard(ctx, {
        cap: "page_subscribers",
        owner_id,
        isReached: (max) => hasAskedSubscribers(status_page_id)(Math.max(max - requests.length + 1, 0)),
      }),
    },
  );
  ctx.defer(wakeSubscribers(ctx, [{ kind: "messages", message_ids: requests.map(({ message_id }) => message_id) }]));
  return { invited: requests.length, refused };
}

interface Invited {
  owner_id: string;
  channel: SubscriberChannel;
  endpoint: string;
}

async function findRefusal(ctx: RequestScope, { owner_id, channel, endpoint }: Invited): Promise<string | null> {
  const flaw = findEndpointError({ channel, endpoint });
  if (flaw !== null) return flaw;
  if (channel !== "email") {
    const verdict = checkGiven(ctx, new URL(endpoint), "delivery");
    if (!verdict.ok) return `cannot be used: ${verdict.reason}`;
  }
  const sender = { kind: "account", account_id: owner_id } as const;
  if (!(await isWithinMailRate(ctx, sender, recipientOf(channel, endpoint)))) return "was asked too often today";
  if (channel !== "email" || (await takeMail(ctx, owner_id, "mails"))) return null;
  return "the plan of the page's owner sends no more mail to addresses outside of the team today";
}
