import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { openDb, runBatch } from "../../src/data/db.ts";
import { subscriberMessages, subscribers } from "../../src/data/subscribers/table.ts";
import { type IncidentNews, insertSubscriberMessages } from "../../src/data/subscribers/write.ts";
import { newId } from "../../src/platform/ids.ts";
import { createShop } from "../support/pages.ts";
import { addSubscriber } from "../support/receivers.ts";

const db = openDb(env.DB);
const EARLIER = 1_000;
const Run = z.object({ meta: z.object({ changes: z.number(), rows_read: z.number() }) });

/** A subscriber who was sent much about other incidents, and something about this one. */
async function createReader(incidentId: string, started_at: number) {
  const { account, page } = await createShop();
  await addSubscriber(account, page.id, { confirmed_at: started_at - 1 });
  const [reader] = await db.select().from(subscribers).where(eq(subscribers.status_page_id, page.id));
  const sent = (n: number, about: string, linked: string | null) => ({
    id: newId(),
    subscriber_id: reader?.id ?? "",
    kind: "news" as const,
    news: { event: "incident.created", title: "Earlier", status: "investigating", incident_id: linked, about: [about] },
    state: "sent" as const,
    next_attempt_at: 0,
    attempt: 1,
    lease_until: 0,
    wake_at: 0,
    error: null,
    created_at: started_at + n,
    updated_at: started_at,
  });
  const others = Array.from({ length: EARLIER }, (_, n) => sent(-1 - n, newId(), n % 2 === 0 ? newId() : null));
  for (let from = 0; from < EARLIER; from += 5) {
    await runBatch(db, [db.insert(subscriberMessages).values(others.slice(from, from + 5))]);
  }
  await runBatch(db, [db.insert(subscriberMessages).values(sent(1, incidentId, incidentId))]);
  return { page, reader };
}

function endOf(incidentId: string, { page, started_at }: { page: string; started_at: number }) {
  const incident: IncidentNews = {
    step: "ends",
    is_over: true,
    hidden_news: {},
    ids: [incidentId],
    bundle_ids: [newId()],
    begun_by: [newId()],
    is_automatic: false,
    started_at,
  };
  return insertSubscriberMessages(db, {
    event_id: newId(),
    status_page_id: page,
    topic: "incident",
    monitor_ids: [],
    group_ids: [],
    news: { event: "incident.resolved", title: "Checkout fails", status: "resolved", incident_id: incidentId },
    incident,
    now: started_at + 10,
  });
}

describe("the end of an incident", () => {
  it("finds its readers without a look at what they were sent about others", async () => {
    const [incidentId, started_at] = [newId(), Date.now()];
    const { page } = await createReader(incidentId, started_at);
    const statement = endOf(incidentId, { page: page.id, started_at });
    const [run] = await runBatch(db, [statement]);
    const { meta } = Run.parse(run);
    expect(meta.changes).toBe(1);
    expect(meta.rows_read).toBeLessThan(100);
  });
});
