import { createMessageBatch } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { describe, expect, it, vi } from "vitest";
import type { MonitorStatus } from "../../src/contract/monitor-values.ts";
import { openDb } from "../../src/data/db.ts";
import { monitors, transitions } from "../../src/data/monitors/table.ts";
import { RELEASE_ABANDONED } from "../../src/data/outbox/abandoned.ts";
import { deliveries } from "../../src/data/webhooks/table.ts";
import { handleDeliveries } from "../../src/jobs/deliveries.ts";
import { changeEventId } from "../../src/outbox/event-ids.ts";
import { arrange, createEnv, deliver, passTime, START, stored, sweep, useClock } from "../support/deliveries.ts";
import { createAccount } from "../support/factories.ts";
import { insertMonitor } from "../support/monitors.ts";
import { PATIENCE } from "../support/patience.ts";
import { useSink } from "../support/sink.ts";
import { createWebhook, eventOf, route } from "../support/webhooks.ts";

/** What becomes of a claim whose sender died, and the order of what a receiver hears of one monitor. */

const db = openDb(env.DB);
const sink = useSink();
useClock();
/** The default time-out of an attempt, and what it takes to record it. */
const DELIVERY_TIMEOUT_MS = 10_000;
const LEASE_MS = 15_000;

/** Claims a delivery for a sender of which nothing is heard again. */
const claimForGood = (id: string) =>
  db
    .update(deliveries)
    .set({ attempt: 1, lease_until: Date.now() + LEASE_MS })
    .where(eq(deliveries.id, id));

/** A webhook and its deliveries about changes of one monitor, one second apart. */
async function aMonitor(...statuses: MonitorStatus[]) {
  const account = await createAccount();
  const monitor = await insertMonitor(account.user_id, {});
  const webhook = await createWebhook(account);
  const names = { down: "monitor.down", up: "monitor.up" } as const;
  const ids: string[] = [];
  for (const [n, to_status] of statuses.entries()) {
    const seq = n + 1;
    const event = to_status === "up" ? names.up : names.down;
    const at = Date.now();
    await db.insert(transitions).values({
      monitor_id: monitor.id,
      seq,
      from_status: "unknown",
      to_status,
      decided_at: at,
      effective_at: at,
      message: "",
      event,
    });
    await db.update(monitors).set({ state_seq: seq }).where(eq(monitors.id, monitor.id));
    const change = eventOf(account.user_id, {
      id: changeEventId(monitor.id, seq),
      name: event,
      monitor_id: monitor.id,
    });
    ids.push(...(await route(change)));
    passTime(1000);
  }
  return { webhook, ids };
}

const heard = () => sink.received.map(({ headers }) => headers.get("webhook-id"));

describe("a claim whose sender died", () => {
  it("delays a delivery by 15 seconds: its message comes again then, and makes the attempt under the same id", async () => {
    const { webhook, id } = await arrange();
    await claimForGood(id);
    passTime(1000);
    const outside = createEnv({ DELIVERY_TIMEOUT_MS });
    await deliver([id], outside.bindings);
    expect(outside.sent).toEqual([{ body: { delivery_id: id }, delaySeconds: 15 }]);
    expect(sink.received).toEqual([]);

    vi.setSystemTime(START + LEASE_MS + 1);
    sink.answer(webhook.url, 204);
    await deliver([id], outside.bindings);
    expect((await stored(id)).delivery).toMatchObject({ state: "delivered", attempt: 2 });
    expect(heard()).toEqual([id]);
  });

  it("delays nothing where the one process of a machine starts again", async () => {
    const { webhook, id } = await arrange();
    await claimForGood(id);
    passTime(2000);
    for (const statement of RELEASE_ABANDONED) await env.DB.exec(statement.replaceAll("\n", " "));
    const outside = createEnv();
    await sweep(outside);
    expect(outside.sent).toContainEqual({ body: { delivery_id: id } });
    sink.answer(webhook.url, 204);
    await deliver([id]);
    expect(heard()).toEqual([id]);
  });

  it("is not one that waits for a slow receiver: its sender keeps it, and another message comes after it", async () => {
    const { webhook, id } = await arrange();
    let answer = (_response: Response) => {};
    sink.answer(webhook.url, () => new Promise((resolve) => (answer = resolve)));
    const { bindings, sent } = createEnv({ DELIVERY_TIMEOUT_MS });
    const works: Promise<unknown>[] = [];
    const body = { delivery_id: id };
    const batch = createMessageBatch("deliveries", [{ id: "m", timestamp: new Date(), attempts: 1, body }]);
    await handleDeliveries(batch, bindings, (work) => works.push(work));
    expect(sent).toEqual([{ body, delaySeconds: 15 }]);

    vi.setSystemTime(START + 6000);
    await vi.waitFor(async () => {
      expect((await stored(id)).delivery?.lease_until).toBeGreaterThanOrEqual(START + 6000 + LEASE_MS);
    }, PATIENCE);
    vi.setSystemTime(START + 6000 + LEASE_MS);
    await deliver([id], bindings);
    expect(sink.received).toHaveLength(1);
    answer(new Response(null, { status: 204 }));
    await Promise.all(works);
    expect((await stored(id)).delivery).toMatchObject({ state: "delivered", attempt: 1 });
  });
});

describe("what a receiver hears of one monitor", () => {
  it("comes in order when messages are handled together", async () => {
    const { webhook, ids } = await aMonitor("down", "up", "down");
    sink.serve(webhook.url, () => new Response(null, { status: 204 }));
    await deliver(ids.toReversed());
    expect(heard()).toEqual(ids);
  });

  it("waits for an earlier change whose claim is dead, and is woken with it", async () => {
    const { webhook, ids } = await aMonitor("down", "up");
    const [down = "", up = ""] = ids;
    sink.serve(webhook.url, () => new Response(null, { status: 204 }));
    await claimForGood(down);
    const outside = createEnv({ DELIVERY_TIMEOUT_MS });
    await deliver([up], outside.bindings);
    expect(heard()).toEqual([]);
    expect(outside.sent).toEqual([down, up].map((delivery_id) => ({ body: { delivery_id }, delaySeconds: 5 })));
    expect((await stored(up)).delivery).toMatchObject({ state: "pending", attempt: 0, lease_until: 0 });

    passTime(LEASE_MS + 1);
    await deliver([up, down], outside.bindings);
    expect(heard()).toEqual([down, up]);
  });

  it("waits for one whose message is late, but not for one that failed and is tried again later", async () => {
    const { webhook, ids } = await aMonitor("down", "up");
    const [down = "", up = ""] = ids;
    await deliver([up]);
    expect(heard()).toEqual([]);
    sink.answer(webhook.url, 503, 204);
    await deliver([down]);
    await deliver([up]);
    expect(heard()).toEqual([down, up]);
    expect((await stored(down)).delivery).toMatchObject({ state: "pending", attempt: 1 });
  });
});
