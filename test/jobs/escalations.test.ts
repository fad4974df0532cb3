import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { describe, expect, it, vi } from "vitest";
import { jobScope } from "../../src/access/scope.ts";
import { openDb } from "../../src/data/db.ts";
import { escalationNotifications, escalations } from "../../src/data/escalations/table.ts";
import { mailOutbox } from "../../src/data/mail/table.ts";
import { notifications } from "../../src/data/notifications/table.ts";
import { dispatchMail } from "../../src/delivery/mail.ts";
import { consumeEvent } from "../../src/events/consume.ts";
import { sweepNotifications } from "../../src/events/escalation-sender.ts";
import { acknowledgeToken } from "../../src/platform/acknowledge-tokens.ts";
import { newId } from "../../src/platform/ids.ts";
import { V1 } from "../support/client.ts";
import { createVerifiedContact } from "../support/contacts.ts";
import { type Account, createAccount, createMonitor, createPage } from "../support/factories.ts";
import { mailsTo } from "../support/mail.ts";
import { emailOf } from "../support/members.ts";
import {
  createSchedule,
  createTeam,
  MINUTE,
  noticesOf,
  setPolicy,
  type Team,
  toUser,
  useVirtualClock,
} from "../support/on-call.ts";
import { createVisitor } from "../support/pages.ts";
import { PATIENCE } from "../support/patience.ts";
import { addBrowser } from "../support/push-service.ts";
import { recordingEnv } from "../support/queues.ts";
import { useSink } from "../support/sink.ts";

const db = openDb(env.DB);
const sink = useSink();
const clock = useVirtualClock("2026-03-02T02:00:00Z");
const { pass, settle } = clock;

interface Stage extends Team {
  incident: string;
}

/** A page whose active policy has these steps, and an incident that a person opened on it. */
async function openIncident(
  stepsOf: (people: { owner: string; member: string }) => unknown[],
  policy: Record<string, unknown> = {},
): Promise<Stage> {
  const team = await createTeam();
  const { account, member, page } = team;
  await setPolicy(team, stepsOf({ owner: account.user_id, member: member.user_id }), policy);
  const made = await account.client.post(`${V1}/incidents`, { status_page_id: page, title: "Checkout fails" });
  expect(made.status).toBe(201);
  await settle();
  return { ...team, incident: made.body.id };
}

const escalationOf = async ({ account, incident }: Stage) =>
  (await account.client.get(`${V1}/incidents/${incident}/escalation`)).body;

describe("the escalation of an incident", () => {
  it("notifies step 1 at once and step 2 after its wait, until somebody acknowledges", async () => {
    const stage = await openIncident(({ owner, member }) => [
      { level: 1, wait_minutes: 0, contacts: toUser(member) },
      { level: 2, wait_minutes: 5, contacts: toUser(owner) },
    ]);
    expect(await escalationOf(stage)).toMatchObject({
      status: "active",
      level: 1,
      notifications: [{ status: "sent" }],
    });
    expect([await noticesOf(stage.member.user_id), await noticesOf(stage.account.user_id)]).toEqual([
      ["oncall.notified"],
      [],
    ]);
    await pass(4);
    expect(await noticesOf(stage.account.user_id)).toEqual([]);
    await pass(1);
    expect(await noticesOf(stage.account.user_id)).toEqual(["oncall.notified"]);
    expect((await stage.member.client.post(`${V1}/incidents/${stage.incident}/acknowledge`, {})).status).toBe(200);
    await pass(60);
    expect(await escalationOf(stage)).toMatchObject({ status: "acknowledged", due_at: null });
    expect(await noticesOf(stage.account.user_id)).toEqual(["oncall.notified"]);
  });

  it("notifies the owner at its end when nobody answers", async () => {
    const stage = await openIncident(({ member }) => [{ level: 1, wait_minutes: 0, contacts: toUser(member) }]);
    await pass(5);
    expect(await noticesOf(stage.account.user_id)).toEqual(["oncall.exhausted"]);
    expect(await escalationOf(stage)).toMatchObject({ status: "exhausted" });
  });

  it("skips a schedule by which nobody is on call, reports the gap and reaches the next step at once", async () => {
    const account = await createAccount();
    const page = await createPage(account);
    const schedule = await account.client.post(`${V1}/status-pages/${page}/on-call/schedules`, { name: "Empty" });
    const steps = [
      { level: 1, wait_minutes: 0, contacts: [{ type: "schedule", value: schedule.body.id }] },
      { level: 2, wait_minutes: 30, contacts: toUser(account.user_id) },
    ];
    await account.client.post(`${V1}/status-pages/${page}/on-call/policies`, { name: "Day", is_default: true, steps });
    await account.client.post(`${V1}/incidents`, { status_page_id: page, title: "Checkout fails" });
    await settle();
    expect(await noticesOf(account.user_id)).toEqual(["oncall.notified"]);
    const { results } = await env.DB.prepare("SELECT data FROM events WHERE name = 'oncall.gap' AND status_page_id = ?")
      .bind(page)
      .all<{ data: string }>();
    expect(results.map(({ data }) => JSON.parse(data).schedule_id)).toEqual([schedule.body.id]);
    const { body: listed } = await account.client.get(`${V1}/status-pages/${page}/on-call/escalations`);
    const path = `${V1}/status-pages/${page}/on-call/escalations/${listed[0].id}`;
    expect((await account.client.get(path)).body.notifications).toMatchObject([
      { type: "nobody", label: "step 1", status: "failed", error: "the step leads to nobody" },
      { type: "user", level: 2, status: "sent" },
    ]);
    const subjects = (await mailsTo(emailOf(account))).map(({ subject }) => subject);
    expect(subjects).toContain("Step 1 reached nobody, now step 2: Checkout fails");
  });

  it("posts to a webhook, and goes on to the next step at once when that fails", async () => {
    sink.answer("https://sink.test/pager", 500);
    const stage = await openIncident(({ owner }) => [
      { level: 1, wait_minutes: 0, contacts: [{ type: "webhook", value: "https://sink.test/pager", label: "Pager" }] },
      { level: 2, wait_minutes: 30, contacts: toUser(owner) },
    ]);
    expect(await noticesOf(stage.account.user_id)).toEqual(["oncall.notified"]);
    expect((await escalationOf(stage)).notifications[0]).toMatchObject({ label: "Pager", error: "HTTP 500" });
    const subjects = (await mailsTo(emailOf(stage.account))).map(({ subject }) => subject);
    expect(subjects).toContain("Step 1 reached nobody, now step 2: Checkout fails");
  });

  it("goes on to the next step at once when the mail to a person is refused", async () => {
    const stage = await openIncident(({ owner, member }) => [
      { level: 1, wait_minutes: 0, contacts: toUser(member) },
      { level: 2, wait_minutes: 30, contacts: toUser(owner) },
    ]);
    const refusing = { MAIL_FROM: "vigil@example.com", MAIL_HTTP_URL: "https://mail.test/send" };
    sink.serve("https://mail.test/", () => new Response("no such mailbox", { status: 422 }));
    const mails = await db.select().from(mailOutbox).where(eq(mailOutbox.state, "pending"));
    await dispatchMail(jobScope(recordingEnv(refusing).env, "test"), mails);
    await settle();
    expect(await noticesOf(stage.account.user_id)).toEqual(["oncall.notified"]);
    const { notifications } = await escalationOf(stage);
    expect(notifications[0]).toMatchObject({ level: 1, status: "failed", error: expect.stringContaining("422") });
  });

  it("ends with the incident and starts over when the incident is reopened", async () => {
    const stage = await openIncident(({ member }) => [{ level: 1, wait_minutes: 0, contacts: toUser(member) }]);
    const path = `${V1}/incidents/${stage.incident}`;
    await stage.account.client.put(path, { status: "resolved" });
    await settle();
    expect(await escalationOf(stage)).toMatchObject({ status: "resolved" });
    await pass(60);
    expect(await noticesOf(stage.member.user_id)).toEqual(["oncall.notified"]);
    await stage.account.client.put(path, { status: "investigating" });
    await settle();
    expect(await noticesOf(stage.member.user_id)).toEqual(["oncall.notified", "oncall.notified"]);
  });

  it("can be acknowledged again after the incident was acknowledged, resolved and reopened", async () => {
    const stage = await openIncident(({ owner, member }) => [
      { level: 1, wait_minutes: 0, contacts: toUser(member) },
      { level: 2, wait_minutes: 5, contacts: toUser(owner) },
    ]);
    const path = `${V1}/incidents/${stage.incident}`;
    const acknowledge = () => stage.member.client.post(`${path}/acknowledge`, {});
    await acknowledge();
    await pass(1);
    await stage.account.client.put(path, { status: "resolved" });
    await pass(1);
    const reopened = await stage.account.client.post(`${path}/updates`, { status: "identified", message: "Again." });
    expect(reopened.status).toBe(201);
    await pass(1);
    const { body } = await stage.account.client.get(path);
    expect(body).toMatchObject({ acknowledged_at: null, acknowledged_by: null });
    expect(await escalationOf(stage)).toMatchObject({ status: "active" });
    expect((await acknowledge()).body).toMatchObject({ acknowledged_by: stage.member.user_id });
    await pass(60);
    expect(await escalationOf(stage)).toMatchObject({ status: "acknowledged" });
    expect(await noticesOf(stage.account.user_id)).toEqual([]);
  });

  it("notifies nobody about a reopened incident that is acknowledged before its escalation starts over", async () => {
    const stage = await openIncident(({ member }) => [{ level: 1, wait_minutes: 0, contacts: toUser(member) }]);
    const path = `${V1}/incidents/${stage.incident}`;
    await stage.account.client.put(path, { status: "resolved" });
    await pass(1);
    await stage.account.client.put(path, { status: "investigating" });
    await stage.member.client.post(`${path}/acknowledge`, {});
    await pass(60);
    expect(await escalationOf(stage)).toMatchObject({ status: "acknowledged" });
    expect(await noticesOf(stage.member.user_id)).toEqual(["oncall.notified"]);
  });

  it("starts over after a snooze of an acknowledged incident", async () => {
    const stage = await openIncident(({ member }) => [{ level: 1, wait_minutes: 0, contacts: toUser(member) }]);
    const path = `${V1}/incidents/${stage.incident}`;
    await stage.member.client.post(`${path}/acknowledge`, {});
    await pass(1);
    const until = new Date(clock.now + 30 * MINUTE).toISOString();
    expect((await stage.account.client.post(`${path}/snooze`, { until })).body).toMatchObject({
      status: "acknowledged",
    });
    await pass(1);
    expect(await escalationOf(stage)).toMatchObject({ status: "snoozed", due_at: until });
    await pass(30);
    expect(await noticesOf(stage.member.user_id)).toEqual(["oncall.notified", "oncall.notified"]);
  });

  it("rests while it is snoozed and then starts over", async () => {
    const stage = await openIncident(({ member }) => [{ level: 1, wait_minutes: 0, contacts: toUser(member) }]);
    const until = new Date(clock.now + 30 * MINUTE).toISOString();
    expect((await stage.account.client.post(`${V1}/incidents/${stage.incident}/snooze`, { until })).status).toBe(200);
    await pass(29);
    expect(await noticesOf(stage.member.user_id)).toEqual(["oncall.notified"]);
    await pass(1);
    expect(await noticesOf(stage.member.user_id)).toEqual(["oncall.notified", "oncall.notified"]);
  });

  it("does not notify twice when its message arrives twice, also at the same time", async () => {
    const stage = await openIncident(({ member }) => [{ level: 1, wait_minutes: 0, contacts: toUser(member) }]);
    const [row] = await db.select().from(escalations).where(eq(escalations.incident_id, stage.incident));
    const message = { kind: "escalation", escalation_id: row?.id ?? "" } as const;
    const again = () => consumeEvent(jobScope(recordingEnv().env, "test"), message).catch(() => {});
    await Promise.all([again(), again(), again()]);
    expect(await noticesOf(stage.member.user_id)).toEqual(["oncall.notified"]);
    const rows = await db
      .select()
      .from(escalationNotifications)
      .where(eq(escalationNotifications.escalation_id, message.escalation_id));
    expect(rows).toHaveLength(1);
  });

  it("costs a page without a policy no escalation", async () => {
    const account = await createAccount();
    const { body } = await account.client.post(`${V1}/incidents`, {
      status_page_id: await createPage(account),
      title: "Checkout fails",
    });
    await settle();
    expect((await account.client.get(`${V1}/incidents/${body.id}/escalation`)).status).toBe(404);
  });
});

describe("the acknowledge link", () => {
  const visit = (path: string, method = "GET") => createVisitor()(path, {}, { method });
  /** As it is sent now. */
  async function linkOf({ incident }: Stage, user_id: string | null = null): Promise<string> {
    const [row] = await db.select().from(escalations).where(eq(escalations.incident_id, incident));
    return `/acknowledge/${acknowledgeToken(env.ROOT_SECRET, { id: row?.id ?? "", sent_at: clock.now, user_id })}`;
  }

  it("shows a button, acknowledges by POST without signing in, and says so afterwards", async () => {
    const stage = await openIncident(({ member }) => [{ level: 1, wait_minutes: 0, contacts: toUser(member) }]);
    const path = await linkOf(stage);
    expect((await visit(path)).text).toContain("Acknowledge</button>");
    expect((await visit(path, "POST")).text).toContain("Nobody else is notified");
    const { body } = await stage.account.client.get(`${V1}/incidents/${stage.incident}`);
    expect(body).toMatchObject({ acknowledged_at: new Date(clock.now).toISOString(), acknowledged_by: null });
    await settle();
    expect(await escalationOf(stage)).toMatchObject({ status: "acknowledged" });
    expect((await visit(path)).text).not.toContain("</button>");
  });

  it("answers for the person that it was sent to, as long as they are on the team", async () => {
    const stage = await openIncident(({ member }) => [{ level: 1, wait_minutes: 0, contacts: toUser(member) }]);
    const { account, member, page, incident } = stage;
    const path = await linkOf(stage, member.user_id);
    const [left] = (await account.client.get(`${V1}/status-pages/${page}/members`)).body;
    expect((await visit(path)).status).toBe(200);
    await env.DB.prepare("UPDATE page_members SET user_id = ? WHERE id = ?").bind(account.user_id, left.id).run();
    expect([(await visit(path)).status, (await visit(path, "POST")).status]).toEqual([410, 410]);
    await env.DB.prepare("UPDATE page_members SET user_id = ? WHERE id = ?").bind(member.user_id, left.id).run();
    expect((await visit(path, "POST")).status).toBe(200);
    const { body } = await account.client.get(`${V1}/incidents/${incident}`);
    expect(body).toMatchObject({ acknowledged_by: member.user_id });
  });

  it("ends after a week, and with the round of notifications that it was sent in", async () => {
    const stage = await openIncident(({ member }) => [{ level: 1, wait_minutes: 0, contacts: toUser(member) }]);
    const { account, incident } = stage;
    const former = await linkOf(stage);
    expect((await visit(former)).status).toBe(200);
    await pass(3);
    const until = new Date(clock.now + 30 * MINUTE).toISOString();
    expect((await account.client.post(`${V1}/incidents/${incident}/snooze`, { until })).status).toBe(200);
    expect((await visit(former, "POST")).status).toBe(410);
    await settle();
    expect((await visit(former, "POST")).status).toBe(410);
    await pass(31);
    expect((await visit(former, "POST")).status).toBe(410);
    expect((await account.client.get(`${V1}/incidents/${incident}`)).body).toMatchObject({ acknowledged_at: null });
    const fresh = await linkOf(stage);
    expect((await visit(fresh)).text).toContain("Acknowledge</button>");
    await pass(7 * 24 * 60 + 2);
    expect((await visit(fresh, "POST")).status).toBe(410);
  });

  it.each([
    ["made up", (link: string) => link.replace(/.{32}$/, "x".repeat(32))],
    ["moved to another time", (link: string) => link.replace(/\.[0-9a-z]+\./, ".zzzzz.")],
    ["moved to another person", (link: string) => link.replace(/\.0\./, `.${newId()}.`)],
    ["of an earlier form", (link: string) => link.replace(/\..*\./, ".")],
  ])("is refused when it was %s", async (_name, change) => {
    const stage = await openIncident(({ member }) => [{ level: 1, wait_minutes: 0, contacts: toUser(member) }]);
    const forged = change(await linkOf(stage));
    expect([(await visit(forged)).status, (await visit(forged, "POST")).status]).toEqual([410, 410]);
  });

  it("stands in the mail of the person on call", async () => {
    await openIncident(({ member }) => [{ level: 1, wait_minutes: 0, contacts: toUser(member) }]);
    const mails = await db.select().from(mailOutbox);
    expect(mails.length).toBeGreaterThan(0);
  });
});

describe("the message to a webhook that is on call", () => {
  it("says what the incident is about", async () => {
    sink.answer("https://sink.test/pager", 200);
    const team = await createTeam();
    const { account, page } = team;
    await setPolicy(team, [{ level: 1, contacts: [{ type: "webhook", value: "https://sink.test/pager" }] }]);
    const { id: monitor_id } = await createMonitor(account.client, { status_page_id: page });
    const incident = { status_page_id: page, title: "Checkout fails", monitor_id };
    const { body } = await account.client.post(`${V1}/incidents`, incident);
    await settle();
    const sent = JSON.parse(sink.received.find(({ url }) => url.endsWith("/pager"))?.body ?? "{}");
    expect(sent).toMatchObject({
      event: "incident.created",
      data: { incident_id: body.id, monitor_ids: [monitor_id] },
    });
  });
});

describe("an escalation that cannot be read", () => {
  const damage = (incident: string, column: "state" | "subject") =>
    env.DB.prepare(`UPDATE escalations SET ${column} = '{', due_at = ? WHERE incident_id = ?`)
      .bind(clock.now, incident)
      .run();
  const noticesAbout = async ({ account }: Stage) =>
    (await db.select().from(notifications).where(eq(notifications.user_id, account.user_id))).filter(({ title }) =>
      title.startsWith("Nobody is notified"),
    );

  it.each(["state", "subject"] as const)("for its %s notifies the owner once, and the others go on", async (column) => {
    const stage = await openIncident(({ member }) => [
      { level: 1, wait_minutes: 0, contacts: toUser(member) },
      { level: 2, wait_minutes: 5, contacts: toUser(member) },
    ]);
    const other = await stage.account.client.post(`${V1}/incidents`, { status_page_id: stage.page, title: "Other" });
    await settle();
    await damage(stage.incident, column);
    await clock.passSteadily(30);
    expect(await noticesAbout(stage)).toMatchObject([{ type: "oncall.exhausted", target_id: stage.incident }]);
    const mails = await mailsTo(`${stage.account.user_id}@example.com`);
    expect(mails.filter(({ subject }) => subject.includes("cannot be read"))).toHaveLength(1);
    expect((await stage.account.client.get(`${V1}/incidents/${other.body.id}/escalation`)).body).toMatchObject({
      status: "exhausted",
    });
    const listed = await stage.account.client.get(`${V1}/status-pages/${stage.page}/on-call/escalations`);
    expect([listed.status, listed.body]).toMatchObject([200, [{ incident_id: other.body.id }]]);
    const standing = () =>
      env.DB.prepare("SELECT failures, due_at FROM escalations WHERE incident_id = ?").bind(stage.incident).first();
    // After 0, 1, 3, 7 and 15 minutes, then no sooner than the next one.
    expect(await standing()).toMatchObject({ failures: 5 });
    for (let hour = 0; hour < 30; hour++) await pass(61);
    expect(await standing()).toEqual({ failures: 28, due_at: null });
    expect(await noticesAbout(stage)).toHaveLength(1);
  });

  it("is read again where the row was mended", async () => {
    const stage = await openIncident(({ member }) => [{ level: 1, wait_minutes: 0, contacts: toUser(member) }]);
    const [row] = await db.select().from(escalations).where(eq(escalations.incident_id, stage.incident));
    await damage(stage.incident, "state");
    await pass(1);
    await db.update(escalations).set({ state: row?.state }).where(eq(escalations.incident_id, stage.incident));
    await clock.passSteadily(10);
    expect(await escalationOf(stage)).toMatchObject({ status: "exhausted" });
  });

  it("does not keep its notifications waiting for ever", async () => {
    sink.serve("https://sink.test/pager", () => new Response(null, { status: 503 }));
    const contacts = [{ type: "webhook", value: "https://sink.test/pager" }];
    const stage = await openIncident(() => [{ level: 1, wait_minutes: 0, contacts }]);
    await damage(stage.incident, "state");
    for (let minute = 0; minute < 20; minute++) {
      await pass(1);
      await sweepNotifications(jobScope(recordingEnv().env, "test"));
    }
    const [escalation] = await db
      .select({ id: escalations.id })
      .from(escalations)
      .where(eq(escalations.incident_id, stage.incident));
    const rows = await db
      .select({ state: escalationNotifications.state, error: escalationNotifications.error })
      .from(escalationNotifications)
      .where(eq(escalationNotifications.escalation_id, escalation?.id ?? ""));
    expect(rows).toContainEqual({ state: "failed", error: "the escalation cannot be read" });
    expect(rows.filter(({ state }) => state === "pending")).toEqual([]);
  });
});

describe("the phone of a user", () => {
  it("shows the incident to the person on call", async () => {
    const team = await createTeam();
    const phone = await addBrowser(sink, team.member);
    await setPolicy(team, [{ level: 1, wait_minutes: 0, contacts: toUser(team.member.user_id) }]);
    vi.setSystemTime(clock.now);
    await team.account.client.post(`${V1}/incidents`, { status_page_id: team.page, title: "Checkout fails" });
    await settle();
    await vi.waitFor(() => expect(phone.arrived).toHaveLength(1), PATIENCE);
    expect(phone.arrived).toMatchObject([{ message: { title: expect.stringContaining("Checkout fails") } }]);
  });

  it("is a step's target by itself, on each device, without mail to its person", async () => {
    const team = await createTeam();
    const devices = [await addBrowser(sink, team.member), await addBrowser(sink, team.member, "Tablet")];
    await setPolicy(team, [{ level: 1, wait_minutes: 0, contacts: [{ type: "push", value: team.member.user_id }] }]);
    vi.setSystemTime(clock.now);
    await team.account.client.post(`${V1}/incidents`, { status_page_id: team.page, title: "Checkout fails" });
    await settle();
    for (const { arrived } of devices) await vi.waitFor(() => expect(arrived).toHaveLength(1), PATIENCE);
    expect(await noticesOf(team.member.user_id)).not.toContain("oncall.notified");
  });

  it.each([
    ["has none", async () => {}],
    [
      "has one whose subscription ended",
      async (member: Account) => {
        (await addBrowser(sink, member)).refuse(new Response(null, { status: 410 }));
      },
    ],
  ])("leads to the next step at once where the person %s", async (_name, prepare) => {
    const team = await createTeam();
    await prepare(team.member);
    await setPolicy(team, [
      { level: 1, wait_minutes: 0, contacts: [{ type: "push", value: team.member.user_id }] },
      { level: 2, wait_minutes: 30, contacts: toUser(team.account.user_id) },
    ]);
    vi.setSystemTime(clock.now);
    await team.account.client.post(`${V1}/incidents`, { status_page_id: team.page, title: "Checkout fails" });
    await settle();
    await vi.waitFor(async () => {
      await settle();
      expect(await noticesOf(team.account.user_id)).toContain("oncall.notified");
    }, PATIENCE);
  });
});

describe("the personal contacts of a user on call", () => {
  const PHONE = "https://sink.test/phone";
  const callsOf = () =>
    sink.received.filter(({ url, body }) => url === PHONE && JSON.parse(body).event !== "contact.verification");

  it.each(["user", "schedule"])("receive the notification of a step that names a %s, once verified", async (type) => {
    sink.serve("https://sink.test/", () => new Response());
    const team = await createTeam();
    const at = (hours: number) => new Date(clock.now + hours * 60 * MINUTE).toISOString();
    const { id } = await createSchedule(team, {
      shifts: [{ user_id: team.member.user_id, start_at: at(-1), end_at: at(1) }],
    });
    await createVerifiedContact(team.member, { type: "webhook", value: PHONE });
    const refused = { type: "webhook", value: "https://sink.test/unverified" };
    await team.member.client.post(`${V1}/notify-contacts`, refused);
    const value = type === "user" ? team.member.user_id : id;
    await setPolicy(team, [{ level: 1, wait_minutes: 0, contacts: [{ type, value }] }]);
    await vi.waitFor(() => expect(sink.received).toHaveLength(2), { timeout: 20_000 });
    sink.received.length = 0;
    // Waiting moved the clock along.
    vi.setSystemTime(clock.now);
    await team.account.client.post(`${V1}/incidents`, { status_page_id: team.page, title: "Checkout fails" });
    await settle();
    await vi.waitFor(() => expect(callsOf()).toHaveLength(1), { timeout: 20_000 });
    expect(JSON.parse(callsOf()[0]?.body ?? "")).toMatchObject({ data: { title: "Checkout fails" } });
    expect(sink.received.map(({ url }) => url)).toEqual([PHONE]);
    expect(await noticesOf(team.member.user_id)).toEqual(["oncall.notified"]);
  });

  it("that fail leave the mail to its time: the step waits for an answer", async () => {
    sink.serve("https://sink.test/", () => new Response(null, { status: 500 }));
    const team = await createTeam();
    await createVerifiedContact(team.member, { type: "webhook", value: PHONE });
    await setPolicy(team, [
      { level: 1, wait_minutes: 0, contacts: toUser(team.member.user_id) },
      { level: 2, wait_minutes: 5, contacts: toUser(team.account.user_id) },
    ]);
    await team.account.client.post(`${V1}/incidents`, { status_page_id: team.page, title: "Checkout fails" });
    await settle();
    await clock.passSteadily(4);
    expect(await noticesOf(team.account.user_id)).toEqual([]);
    await pass(1);
    expect(await noticesOf(team.account.user_id)).toEqual(["oncall.notified"]);
  });
});
