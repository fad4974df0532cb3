import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { openDb } from "../../src/data/db.ts";
import { deliveries } from "../../src/data/webhooks/table.ts";
import { playQueues, transitionOf } from "../support/alerts.ts";
import { V1 } from "../support/client.ts";
import { createAccount } from "../support/factories.ts";
import { insertMonitor } from "../support/monitors.ts";
import { recordingEnv } from "../support/queues.ts";
import { useSink } from "../support/sink.ts";
import { createWebhook } from "../support/webhooks.ts";

const sink = useSink();
const db = openDb(env.DB);
const T0 = Date.now() - 86_400_000;
const MINUTE = 60_000;
/** The first ones fill pages that the database has already. */
const BEFORE = 20;
const OUTAGES = 200;
const BYTES_MAX = 6_000;

async function countBytes(): Promise<number> {
  return (await env.DB.prepare("SELECT 1").all()).meta.size_after;
}

it("an outage with two webhooks takes at most 6 kB of the database, with all that is recorded of it", async () => {
  const account = await createAccount();
  const preferences = { mail: false, in_app: false };
  expect((await account.client.put("/api/core/v1/user/preferences", preferences)).status).toBe(200);
  const monitor = await insertMonitor(account.user_id, { name: "Checkout API", created_at: T0 - MINUTE });
  const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  const hooks = [await createWebhook(account, { secret }), await createWebhook(account, { secret })];
  sink.serve("https://sink.test/", () => new Response("ok"));
  const { report, drain } = playQueues(recordingEnv());
  let bytes = 0;
  for (let n = 0; n < BEFORE + OUTAGES; n++) {
    if (n === BEFORE) bytes = await countBytes();
    const [down, up] = [2 * n + 1, 2 * n + 2];
    for (const seq of [down, up]) {
      const at = T0 + seq * 20 * MINUTE;
      await report(monitor.id, transitionOf(seq, at, seq === down ? "HTTP 503 instead of 2xx" : "HTTP 200"));
      await drain(at);
    }
  }
  const each = ((await countBytes()) - bytes) / OUTAGES;
  for (const { id } of hooks) {
    const states = (await db.select().from(deliveries).where(eq(deliveries.webhook_id, id))).map(({ state }) => state);
    expect(states).toEqual(Array(2 * (BEFORE + OUTAGES)).fill("delivered"));
  }
  expect((await account.client.get(`${V1}/monitors/${monitor.id}/outages?from=2020-01-01T00:00:00Z`)).status).toBe(200);
  expect(each).toBeLessThanOrEqual(BYTES_MAX);
}, 300_000);
