import { env } from "cloudflare:workers";
import { eq, sql } from "drizzle-orm";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { openDb } from "../../src/data/db.ts";
import { subscriberMessages, subscribers } from "../../src/data/subscribers/table.ts";
import { aDay } from "../support/alert-days.ts";
import { V1 } from "../support/client.ts";
import { mailsTo } from "../support/mail.ts";
import { addSubscriber } from "../support/receivers.ts";
import { useSink } from "../support/sink.ts";

/**
 * A week of two people who read a page in German: one of everything, one of the shop alone. Planned work overruns in the night
 * in which clocks go back, the shop fails during it, and a person writes of what the service has found, too.
 */

const db = openDb(env.DB);
const sink = useSink();
const BERLIN = "Europe/Berlin";
const clock = new Intl.DateTimeFormat("en-GB", {
  weekday: "short",
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
  timeZone: BERLIN,
  timeZoneName: "short",
});

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(() => void vi.useRealTimers());

it("reads, in its language and zone, of each thing a beginning, what changed and an end", async () => {
  const start = Date.parse("2026-10-22T07:00:00Z");
  const day = await aDay(sink, {
    start,
    page: { timezone: BERLIN, language: "de", name: "Nordwind" },
    has_policy: false,
  });
  const { account, status_page_id } = day;
  const [shop, database] = [await day.addMonitor("Shop"), await day.addMonitor("Database")];
  const everything = await addSubscriber(account, status_page_id);
  const ofShop = await addSubscriber(account, status_page_id, { monitor_ids: [shop] });
  const later = (at: string) => day.passQuietlyUntil(Date.parse(at) - start);
  const change = async (id: string, to: "up" | "down", at: string) => {
    await later(at);
    await day.change(id, to, Date.parse(at) - start);
  };
  const ask = async (at: string, method: "post" | "put", path: string, body?: Record<string, unknown>) => {
    await later(at);
    const answer = await account.client[method](`${V1}/${path}`, body);
    expect([path, answer.body?.error, answer.status < 300]).toEqual([path, undefined, true]);
    await day.settleEvents();
    return answer.body;
  };
  const read = async (n: number) => {
    const [reader] = await db
      .select({ id: subscribers.id })
      .from(subscribers)
      .where(eq(subscribers.status_page_id, status_page_id))
      .orderBy(sql`rowid`)
      .limit(1)
      .offset(n);
    const messages = await db
      .select()
      .from(subscriberMessages)
      .where(eq(subscriberMessages.subscriber_id, reader?.id ?? ""))
      .orderBy(sql`rowid`);
    return messages.map(({ created_at, news }) => `${clock.format(created_at)} ${news?.event}: ${news?.title}`);
  };

  const window = await ask("2026-10-22T08:00:00Z", "post", "maintenance", {
    status_page_id,
    title: "Neue Platten",
    description: "Die Datenbank zieht um.",
    start_time: "2026-10-25T00:30:00Z",
    end_time: "2026-10-25T01:30:00Z",
    targets: [{ target_type: "monitor", target_id: database }],
  });
  await later("2026-10-25T00:30:00Z");
  await change(database, "down", "2026-10-25T00:40:00Z");
  await ask("2026-10-25T01:20:00Z", "put", `maintenance/${window.id}`, { end_time: "2026-10-25T02:30:00Z" });
  await change(shop, "down", "2026-10-25T01:40:00Z");
  await later("2026-10-25T01:45:00Z");
  const incident = await ask("2026-10-25T01:45:00Z", "post", "incidents", {
    status_page_id,
    title: "Kasse ohne Datenbank",
    message: "Der Umzug dauert länger.",
    monitor_ids: [shop],
    is_public: true,
  });
  await change(database, "up", "2026-10-25T02:10:00Z");
  await change(shop, "up", "2026-10-25T02:20:00Z");
  await ask("2026-10-25T02:25:00Z", "post", `incidents/${incident.id}/updates`, {
    status: "resolved",
    message: "Alles läuft wieder.",
  });
  await later("2026-10-25T02:30:00Z");
  await later("2026-10-26T09:00:00Z");

  expect(await read(1)).toEqual([
    "Thu, 10:00 CEST maintenance.scheduled: Neue Platten",
    "Sun, 02:30 CEST maintenance.started: Neue Platten",
    "Sun, 02:20 CET maintenance.rescheduled: Neue Platten",
    "Sun, 02:40 CET incident.created: Shop is down",
    "Sun, 02:45 CET incident.created: Kasse ohne Datenbank",
    "Sun, 03:20 CET incident.resolved: Shop is down",
    "Sun, 03:25 CET incident.resolved: Kasse ohne Datenbank",
    "Sun, 03:30 CET maintenance.completed: Neue Platten",
  ]);
  expect(await read(2)).toEqual([
    "Sun, 02:40 CET incident.created: Shop is down",
    "Sun, 02:45 CET incident.created: Kasse ohne Datenbank",
    "Sun, 03:20 CET incident.resolved: Shop is down",
    "Sun, 03:25 CET incident.resolved: Kasse ohne Datenbank",
  ]);
  const mails = await mailsTo(everything);
  const last = mails.at(-1);
  expect(last?.subject).toBe("Wartung abgeschlossen: Nordwind");
  expect(last?.text).toContain("Betrifft: Database\nZeitraum: 25. Okt. 2026, 02:30 MESZ bis 03:30 MEZ\n");
  expect(mails.find(({ text }) => text.includes("Alles läuft wieder."))?.text).toContain(
    "Störung behoben: Kasse ohne Datenbank\n\nStatus: Behoben\nSchweregrad: Gering\nBetrifft: Shop\nGemeldet: 25. Okt. 2026, 03:25 MEZ\n",
  );
  expect(await mailsTo(ofShop)).toHaveLength(4);
});
