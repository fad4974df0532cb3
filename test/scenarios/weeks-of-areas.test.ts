import { env } from "cloudflare:workers";
import { eq, sql } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openDb } from "../../src/data/db.ts";
import { subscriberMessages, subscribers } from "../../src/data/subscribers/table.ts";
import { aDay, clockIn, type Day, MINUTE, transcriptOf } from "../support/alert-days.ts";
import { V1 } from "../support/client.ts";
import { mailsTo } from "../support/mail.ts";
import { createSchedule, setPolicy } from "../support/on-call.ts";
import { addSubscriber } from "../support/receivers.ts";
import { useSink } from "../support/sink.ts";

/**
 * Weeks of one area each, as everybody reads of them: maintenance that recurs, people on call in turn, somebody who
 * leaves, readers of a page. Between what happens the clock jumps, so that a week takes seconds.
 */

const db = openDb(env.DB);
const sink = useSink();
const BERLIN = "Europe/Berlin";

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(() => void vi.useRealTimers());

/** A page in Berlin from this instant on, and the verbs of its story, each at an instant of its own. */
async function aWeek(from: string, options: Parameters<typeof aDay>[1] = {}) {
  const day = await aDay(sink, { ...options, start: Date.parse(from), page: { timezone: BERLIN, ...options.page } });
  const later = (at: string) => day.passQuietlyUntil(Date.parse(at) - day.start);
  async function change(id: string, to: "up" | "down", at: string) {
    await later(at);
    await day.change(id, to, Date.parse(at) - day.start);
  }
  async function ask(
    at: string,
    method: "get" | "post" | "put" | "delete",
    path: string,
    body?: Record<string, unknown>,
  ) {
    await later(at);
    const answer = await day.account.client[method](`${V1}/${path}`, body);
    expect([path, answer.body?.error, answer.status < 300]).toEqual([path, undefined, true]);
    await day.settleEvents();
    return answer.body;
  }
  return { ...day, ask, change, later, read: (who: string) => transcriptOf(day as Day, who, BERLIN) };
}

describe("three weeks of a window that recurs on Sundays at 02:30", () => {
  it("keeps its time on the wall when clocks go back, withholds what fails in it, and leaves out what is called off", async () => {
    const week = await aWeek("2026-10-16T07:00:00Z");
    const { ask, change, later, read, status_page_id } = week;
    const [db, web] = [await week.addMonitor("Database"), await week.addMonitor("Web")];
    const window = await ask("2026-10-16T08:00:00Z", "post", "maintenance", {
      status_page_id,
      title: "Upkeep",
      start_time: "2026-10-18T00:30:00Z",
      end_time: "2026-10-18T01:30:00Z",
      recurrence_type: "weekly",
      targets: [{ target_type: "monitor", target_id: db }],
    });
    await later("2026-10-18T00:30:00Z");
    await change(db, "down", "2026-10-18T00:40:00Z");
    await change(db, "up", "2026-10-18T01:20:00Z");
    await later("2026-10-18T01:30:00Z");
    // The night of 25 October has this hour twice: the window is over before the second time.
    await later("2026-10-25T00:30:00Z");
    await change(db, "down", "2026-10-25T00:50:00Z");
    await change(web, "down", "2026-10-25T01:10:00Z");
    await change(web, "up", "2026-10-25T01:15:00Z");
    await later("2026-10-25T01:30:00Z");
    await change(db, "up", "2026-10-25T02:10:00Z");
    const cancelled = `maintenance/${window.id}/occurrences/2026-11-01T01:30:00.000Z/cancel`;
    expect((await ask("2026-10-27T09:00:00Z", "post", cancelled)).next_occurrence).toEqual({
      start: "2026-11-08T01:30:00.000Z",
      end: "2026-11-08T02:30:00.000Z",
    });
    await change(db, "down", "2026-11-01T01:40:00Z");
    await change(db, "up", "2026-11-01T01:50:00Z");
    await later("2026-11-02T00:00:00Z");

    expect(await read("chat")).toEqual([
      "Sun, 02:30 CEST maintenance.started",
      "Sun, 03:30 CEST maintenance.completed",
      "Sun, 02:30 CEST maintenance.started",
      "Sun, 02:10 CET monitor.down",
      "Sun, 02:15 CET monitor.up",
      "Sun, 02:30 CET maintenance.completed",
      "Sun, 02:30 CET monitor.down",
      "Sun, 03:10 CET monitor.up",
      // The window of this Sunday was called off.
      "Sun, 02:40 CET monitor.down",
      "Sun, 02:50 CET monitor.up",
    ]);
    const [, , doubled, , , , withheld] = week.textsTo("chat");
    expect(doubled).toContain("When: 25 Oct 2026, 02:30 CEST to 02:30 CET");
    expect(withheld).toContain("Since: 25 Oct 2026, 02:50 CEST · Withheld until: 25 Oct 2026, 02:30 CET");
    expect(await read("subscriber")).toEqual([
      "Fri, 10:00 CEST maintenance.scheduled: Upkeep",
      "Sun, 02:30 CEST maintenance.started: Upkeep",
      "Sun, 03:30 CEST maintenance.completed: Upkeep",
      "Sun, 02:30 CEST maintenance.started: Upkeep",
      "Sun, 02:10 CET incident.created: Web is down",
      "Sun, 02:15 CET incident.resolved: Web is down",
      "Sun, 02:30 CET maintenance.completed: Upkeep",
      "Sun, 02:30 CET incident.created: Database is down",
      "Sun, 03:10 CET incident.resolved: Database is down",
      "Tue, 10:00 CET maintenance.cancelled: Upkeep",
      "Sun, 02:40 CET incident.created: Database is down",
      "Sun, 02:50 CET incident.resolved: Database is down",
    ]);
    expect(await read("on call")).toEqual(["Sun, 02:10 CET paged", "Sun, 02:30 CET paged", "Sun, 02:40 CET paged"]);
  });
});

describe("two people who are on call in turn, in the week in which clocks go back", () => {
  it("hand over at nine on the wall, stand in for each other, and read nothing before their rotation begins", async () => {
    const week = await aWeek("2026-10-16T07:00:00Z", { has_policy: false });
    const { ask, change, later, read, account, status_page_id: page } = week;
    const shop = await week.addMonitor("Shop");
    const [ben, cleo] = [await week.join("Ben"), await week.join("Cleo")];
    const schedule = await createSchedule(
      { account, page },
      {
        name: "Week",
        timezone: BERLIN,
        rotations: [
          { user_ids: [ben, cleo], start_at: "2026-10-19T07:00:00Z", period_hours: 168, handoff_time: "09:00" },
        ],
      },
    );
    await setPolicy({ account, page }, [
      { level: 1, wait_minutes: 0, contacts: [{ type: "schedule", value: schedule.id, label: "Week" }] },
    ]);
    await ask("2026-10-24T10:00:00Z", "put", `status-pages/${page}/on-call/schedules/${schedule.id}`, {
      overrides: [
        {
          add_user_id: cleo,
          remove_user_id: ben,
          start_at: "2026-10-25T00:00:00Z",
          end_at: "2026-10-25T12:00:00Z",
        },
      ],
    });
    for (const at of ["2026-10-25T00:45:00Z", "2026-10-25T18:00:00Z", "2026-10-26T07:58:00Z", "2026-10-26T08:01:00Z"]) {
      await change(shop, "down", at);
      await later(new Date(Date.parse(at) + MINUTE).toISOString());
      await change(shop, "up", new Date(Date.parse(at) + 2 * MINUTE).toISOString());
    }
    await later("2026-10-27T00:00:00Z");

    const calls = async (who: string) => {
      const mails = await week.mailsOf(who);
      return mails.flatMap(({ subject, text }) => {
        const [said] = /(?:Since|You are on call from) .*|Since: .*/.exec(text) ?? [];
        return text.includes("You are on call for") ? [`${subject}. ${said}`] : [];
      });
    };
    const reminder = "Notice: Your on-call shift begins soon: Week. You are on call from";
    expect(await calls("Ben")).toEqual([
      `${reminder} 19 Oct 2026, 09:00 CEST.`,
      `${reminder} 25 Oct 2026, 13:00 CET until 26 Oct 2026, 09:00 CET.`,
      "Alert: Shop is down. Since: 25 Oct 2026, 19:00 CET",
      "Alert: Shop is down. Since: 26 Oct 2026, 08:58 CET",
    ]);
    expect(await calls("Cleo")).toEqual([
      `${reminder} 25 Oct 2026, 02:00 CEST until 25 Oct 2026, 13:00 CET.`,
      "Alert: Shop is down. Since: 25 Oct 2026, 02:45 CEST",
      `${reminder} 26 Oct 2026, 09:00 CET.`,
      "Alert: Shop is down. Since: 26 Oct 2026, 09:01 CET",
    ]);
    expect((await read("mail"))[0]).toBe("Fri, 14:00 CEST Notice: On-call schedule begins later: Week");
  });
});

describe("a weekend in which the chat has lost its hook and the ticket system is out of order", () => {
  it("warns their owner after a day, in the zone of the page, says when they work again, and sends neither of them the end of what it never received", async () => {
    const week = await aWeek("2026-11-06T15:00:00Z");
    const { change, later, read, status_page_id } = week;
    const [shop, search] = [await week.addMonitor("Shop"), await week.addMonitor("Search")];
    const tickets = await week.addWebhook("tickets", { provider: "discord", name: "Tickets", status_page_id });
    const broken = new Map([
      [week.urlOf("chat"), 404],
      [week.urlOf(tickets), 503],
    ]);
    sink.serve(
      "https://sink.test/",
      ({ url }) => new Response("", { status: broken.get(url.replace(/\?.*/, "")) ?? 200 }),
    );
    await change(shop, "down", "2026-11-06T17:00:00Z");
    await change(shop, "up", "2026-11-06T19:00:00Z");
    await change(search, "down", "2026-11-07T18:00:00Z");
    await later("2026-11-09T07:00:00Z");
    broken.clear();
    await change(search, "up", "2026-11-09T08:00:00Z");
    await change(shop, "down", "2026-11-09T09:00:00Z");
    await change(shop, "up", "2026-11-09T10:00:00Z");
    await later("2026-11-10T07:00:00Z");

    const whole = ["Mon, 10:00 CET monitor.down", "Mon, 11:00 CET monitor.up"];
    expect([await read("chat"), await read("tickets")]).toEqual([whole, whole]);
    const mails = await week.mails();
    const warnings = mails
      .filter(({ subject }) => subject.startsWith("Webhook"))
      .map(({ text }) => text.split("\n")[0]);
    expect(warnings.toSorted()).toEqual([
      'The webhook "Ops" (slack) of your account had failed since 6 November 2026, 17:00 (UTC). A delivery has succeeded now.',
      'The webhook "Ops" (slack) of your account has failed since 6 November 2026, 17:00 (UTC): no delivery has succeeded since then. The last attempt: the endpoint answered 404.',
      'The webhook "Tickets" (discord) of the status page "Page" had failed since 6 November 2026, 18:00 (Europe/Berlin). A delivery has succeeded now.',
      'The webhook "Tickets" (discord) of the status page "Page" has failed since 6 November 2026, 18:00 (Europe/Berlin): no delivery has succeeded since then. The last attempt: the endpoint answered 503.',
    ]);
    expect((await read("mail")).filter((line) => line.includes("Webhook"))).toEqual([
      expect.stringMatching(/^Sat, 19:00 CET Webhook ".*" keeps failing$/),
      expect.stringMatching(/^Sat, 19:00 CET Webhook ".*" keeps failing$/),
      expect.stringMatching(/^Mon, 10:00 CET Webhook ".*" works again$/),
      expect.stringMatching(/^Mon, 10:00 CET Webhook ".*" works again$/),
    ]);
  });
});

describe("a person on call who leaves while an outage lasts", () => {
  it("is replaced by the next step, and the owner reads whom nobody reaches any more", async () => {
    const week = await aWeek("2026-11-06T15:00:00Z", { has_policy: false });
    const { ask, change, later, read, account, status_page_id: page } = week;
    const shop = await week.addMonitor("Shop");
    const [ben, cleo] = [await week.join("Ben"), await week.join("Cleo")];
    await setPolicy({ account, page }, [
      { level: 1, wait_minutes: 0, contacts: [{ type: "user", value: ben, label: "Ben" }] },
      { level: 2, wait_minutes: 10, contacts: [{ type: "user", value: cleo, label: "Cleo" }] },
    ]);
    await change(shop, "down", "2026-11-06T20:00:00Z");
    await later("2026-11-06T20:03:00Z");
    const [incident] = await ask("2026-11-06T20:03:00Z", "get", `incidents?status_page_id=${page}`);
    await ask("2026-11-06T20:04:00Z", "put", `incidents/${incident.id}`, { assigned_to_id: ben });
    await later("2026-11-06T20:05:00Z");
    expect((await week.leave("Ben")).notices).toEqual([
      { path: "on_call", message: "nobody is reached by step 1 of the escalation policy Night" },
    ]);
    await later("2026-11-06T20:10:00Z");
    await change(shop, "up", "2026-11-06T20:30:00Z");
    await change(shop, "down", "2026-11-07T08:00:00Z");
    await later("2026-11-07T08:10:00Z");
    await change(shop, "up", "2026-11-07T08:40:00Z");
    await later("2026-11-07T09:00:00Z");
    expect(await read("Ben's mail")).toEqual([
      "Fri, 21:00 CET Alert: Shop is down",
      "Fri, 21:04 CET An incident was assigned to you",
    ]);
    const cleo_read = await read("Cleo's mail");
    expect(cleo_read.map((line) => line.slice(0, 14))).toEqual([
      "Fri, 21:00 CET",
      "Fri, 21:10 CET",
      "Fri, 21:30 CET",
      "Sat, 09:00 CET",
      "Sat, 09:40 CET",
    ]);
    expect(await read("mail")).toEqual([
      "Fri, 21:00 CET Alert: Shop is down",
      "Fri, 21:05 CET Warning: Nobody on call: Night",
      "Fri, 21:20 CET Escalation ended without an answer: Shop is down",
      "Fri, 21:30 CET Resolved: Shop is up again",
      "Sat, 09:00 CET Alert: Shop is down",
      "Sat, 09:10 CET Escalation ended without an answer: Shop is down",
      "Sat, 09:40 CET Resolved: Shop is up again",
    ]);
  });
});

describe("a week of two readers of a page in German, one of everything and one of the shop alone", () => {
  /** What somebody was sent, in the order in which they subscribed. */
  async function readBy(page: string, n: number): Promise<string[]> {
    const [reader] = await db
      .select({ id: subscribers.id })
      .from(subscribers)
      .where(eq(subscribers.status_page_id, page))
      .orderBy(sql`rowid`)
      .limit(1)
      .offset(n);
    const messages = await db
      .select()
      .from(subscriberMessages)
      .where(eq(subscriberMessages.subscriber_id, reader?.id ?? ""))
      .orderBy(sql`rowid`);
    return messages.map(
      ({ created_at, news }) => `${clockIn(BERLIN).format(created_at)} ${news?.event}: ${news?.title}`,
    );
  }

  // Planned work overruns in the night in which clocks go back, the shop fails during it, and a person writes of what the
  // service has found, too.
  it("has, in its language and zone, of each thing a beginning, what changed and an end", async () => {
    const week = await aWeek("2026-10-22T07:00:00Z", { page: { language: "de", name: "Nordwind" }, has_policy: false });
    const { account, status_page_id } = week;
    const [shop, database] = [await week.addMonitor("Shop"), await week.addMonitor("Database")];
    const everything = await addSubscriber(account, status_page_id);
    const ofShop = await addSubscriber(account, status_page_id, { monitor_ids: [shop] });
    const window = await week.ask("2026-10-22T08:00:00Z", "post", "maintenance", {
      status_page_id,
      title: "Neue Platten",
      description: "Die Datenbank zieht um.",
      start_time: "2026-10-25T00:30:00Z",
      end_time: "2026-10-25T01:30:00Z",
      targets: [{ target_type: "monitor", target_id: database }],
    });
    await week.later("2026-10-25T00:30:00Z");
    await week.change(database, "down", "2026-10-25T00:40:00Z");
    await week.ask("2026-10-25T01:20:00Z", "put", `maintenance/${window.id}`, { end_time: "2026-10-25T02:30:00Z" });
    await week.change(shop, "down", "2026-10-25T01:40:00Z");
    await week.later("2026-10-25T01:45:00Z");
    const incident = await week.ask("2026-10-25T01:45:00Z", "post", "incidents", {
      status_page_id,
      title: "Kasse ohne Datenbank",
      message: "Der Umzug dauert länger.",
      monitor_ids: [shop],
      is_public: true,
    });
    await week.change(database, "up", "2026-10-25T02:10:00Z");
    await week.change(shop, "up", "2026-10-25T02:20:00Z");
    await week.ask("2026-10-25T02:25:00Z", "post", `incidents/${incident.id}/updates`, {
      status: "resolved",
      message: "Alles läuft wieder.",
    });
    await week.later("2026-10-25T02:30:00Z");
    await week.later("2026-10-26T09:00:00Z");

    expect(await readBy(status_page_id, 1)).toEqual([
      "Thu, 10:00 CEST maintenance.scheduled: Neue Platten",
      "Sun, 02:30 CEST maintenance.started: Neue Platten",
      "Sun, 02:20 CET maintenance.rescheduled: Neue Platten",
      "Sun, 02:40 CET incident.created: Shop is down",
      "Sun, 02:45 CET incident.created: Kasse ohne Datenbank",
      "Sun, 03:20 CET incident.resolved: Shop is down",
      "Sun, 03:25 CET incident.resolved: Kasse ohne Datenbank",
      "Sun, 03:30 CET maintenance.completed: Neue Platten",
    ]);
    expect(await readBy(status_page_id, 2)).toEqual([
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
    const ofShops = await mailsTo(ofShop);
    expect(ofShops).toHaveLength(4);
    // The service itself speaks the language of the page, too.
    const said = ofShops.map(({ text }) => text).join("\n");
    expect(said).toContain("Neue Störung: Shop ist ausgefallen\n");
    expect(said).toContain("Die Prüfungen von Shop schlagen fehl.");
    expect(said).toContain("Störung behoben: Shop ist ausgefallen\n");
    expect(said).toContain("Shop ist wieder in Betrieb.");
    expect(said).not.toMatch(/is down|is failing|is up/);
  });
});
