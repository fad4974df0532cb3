import type { ItemPart, MinuteMessage } from "../contract/messages.ts";
import type { Env } from "./env.ts";

/** One call of a queue accepts 100 messages and 256 kB (https://developers.cloudflare.com/queues/platform/limits/). */
const MESSAGES_PER_CALL = 100;
/** Ids are shorter than 60 bytes. */
const ITEMS_PER_CALL = 4_000;

interface Work {
  /** What processes the items. */
  part: ItemPart;
  items: readonly string[];
  /** What one invocation processes within its limits: 1,000 queries, six calls at a time. */
  per_message: number;
}

interface Invocation {
  env: Pick<Env, "MINUTE">;
  now: number;
}

/** Sends items in portions, each of which is one message and so an invocation with limits of its own. */
export async function enqueuePortions({ env, now }: Invocation, { part, items, per_message }: Work): Promise<void> {
  const messages: { body: MinuteMessage }[] = [];
  for (let from = 0; from < items.length; from += per_message) {
    messages.push({ body: { part, minute_at: now, items: items.slice(from, from + per_message) } });
  }
  const perCall = Math.min(MESSAGES_PER_CALL, Math.max(1, Math.floor(ITEMS_PER_CALL / per_message)));
  for (let from = 0; from < messages.length; from += perCall) {
    await env.MINUTE.sendBatch(messages.slice(from, from + perCall));
  }
}

/** The same, but a single portion is processed by the caller at once. */
export async function processInPortions<Scope extends Invocation>(
  scope: Scope,
  work: Work,
  process: (scope: Scope, items: readonly string[]) => Promise<void>,
): Promise<void> {
  if (work.items.length > work.per_message) return enqueuePortions(scope, work);
  if (work.items.length > 0) await process(scope, work.items);
}
