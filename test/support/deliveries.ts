import { createExecutionContext, createMessageBatch, getQueueResult } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { afterEach, beforeEach, vi } from "vitest";
import { jobScope } from "../../src/access/scope.ts";
import { openDb } from "../../src/data/db.ts";
import { deliveries, deliveryAttempts } from "../../src/data/webhooks/table.ts";
import { sweepDeliveries } from "../../src/delivery/sweep.ts";
import { handleDeliveries } from "../../src/jobs/deliveries.ts";
import { createAccount } from "./factories.ts";
import { recordingEnv } from "./queues.ts";
import { createWebhook, eventOf, route } from "./webhooks.ts";

export const START = Date.UTC(2026, 0, 1);
export const MINUTE_MS = 60_000;
export const DAY_MS = 86_400_000;

/** Every test of the file starts at START and moves the clock itself. */
export function useClock(): void {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["Date"] });
    vi.setSystemTime(START);
  });
  afterEach(() => void vi.useRealTimers());
}

export function passTime(ms: number): void {
  vi.setSystemTime(Date.now() + ms);
}

/** The worker's bindings and settings with some replaced, and a queue that only writes down what it is given. */
export function createEnv(changes: Record<string, unknown> = {}) {
  const { env: bindings, deliveries: sent, slowDeliveries } = recordingEnv({ DELIVERY_TIMEOUT_MS: 100, ...changes });
  return { bindings, sent, slowDeliveries };
}

/** Hands one batch to the consumer, a message for each id, then the given bodies, and waits for all attempts. */
export async function deliver(
  ids: readonly string[],
  bindings = createEnv().bindings,
  bodies: unknown[] = [],
  queue = "deliveries",
) {
  const messages = [...ids.map((delivery_id) => ({ delivery_id })), ...bodies];
  const batch = createMessageBatch(
    queue,
    messages.map((body, n) => ({ id: `m${n}`, timestamp: new Date(), attempts: 1, body })),
  );
  await handleDeliveries(batch, bindings, null);
  return getQueueResult(batch, createExecutionContext());
}

export function sweep({ bindings } = createEnv()): Promise<void> {
  return sweepDeliveries(jobScope(bindings, "sweep"));
}

export async function stored(id: string) {
  const db = openDb(env.DB);
  const [delivery] = await db.select().from(deliveries).where(eq(deliveries.id, id));
  const attempts = await db
    .select()
    .from(deliveryAttempts)
    .where(eq(deliveryAttempts.delivery_id, id))
    .orderBy(deliveryAttempts.attempt);
  return { delivery, attempts };
}

/** A webhook of a new account and one delivery that is due for it. */
export async function arrange(body: Record<string, unknown> = {}) {
  const account = await createAccount();
  const webhook = await createWebhook(account, body);
  const event = eventOf(account.user_id);
  const [id = ""] = await route(event);
  return { account, webhook, event, id };
}
