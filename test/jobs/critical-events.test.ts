import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import type { MonitorStatus } from "../../src/contract/monitor-values.ts";
import { acknowledgeToken } from "../../src/platform/acknowledge-tokens.ts";
import { V1 } from "../support/client.ts";
import { mailsTo } from "../support/mail.ts";
import { insertMonitor } from "../support/monitors.ts";
import {
  createTeam,
  noticesOf,
  reportChange,
  reportTransition,
  setPolicy,
  type Team,
  toUser,
  useVirtualClock,
} from "../support/on-call.ts";
import { createVisitor } from "../support/pages.ts";

const clock = useVirtualClock("2026-03-02T02:00:00Z");
const CRITICAL = { alert_routing: { "monitor.down": "critical", "monitor.degraded": "critical" } } as const;

/** A page of whose outages the member is notified first and then the owner. */
async function createStage(page: Parameters<typeof createTeam>[0], monitors = 1) {
  const team = await createTeam(page);
  await setPolicy(team, [
    { level: 1, wait_minutes: 0, contacts: toUser(team.member.user_id) },
    { level: 2, wait_minutes: 5, contacts: toUser(team.account.user_id) },
  ]);
  const ids: string[] = [];
  for (let n = 0; n < monitors; n++) {
    const name = `Shop ${n}`;
    const monitor = await insertMonitor(team.account.user_id, { status_page_id: team.page, name, created_at: 0 });
    ids.push(monitor.id);
  }
  return { ...team, monitors: ids, first: ids[0] ?? "" };
}

const listOf = async ({ account, page }: Team) =>
  (await account.client.get(`${V1}/status-pages/${page}/on-call/escalations`)).body;
const down = (monitor: string, seq = 2) => reportTransition(monitor, { seq, to: "down", at: clock.now });
const up = (monitor: string, seq = 3) => reportTransition(monitor, { seq, to: "up", at: clock.now, outage: seq - 1 });

describe("a critical event without an incident", () => {
  it("escalates an outage until somebody acknowledges it over the API", async () => {
    const stage = await createStage(CRITICAL);
    await down(stage.first);
    await clock.settle();
    expect(await noticesOf(stage.member.user_id)).toEqual(["oncall.notified"]);
    const [escalation] = await listOf(stage);
    expect(escalation).toMatchObject({
      incident_id: null,
      monitor_id: stage.first,
      event: "monitor.down",
      title: "Shop 0 is down",
      status: "active",
      acknowledged_at: null,
    });
    const path = `${V1}/status-pages/${stage.page}/on-call/escalations/${escalation.id}`;
    expect((await stage.member.client.post(`${path}/acknowledge`, {})).status).toBe(200);
    await clock.pass(60);
    const { body } = await stage.account.client.get(path);
    expect(body).toMatchObject({ status: "acknowledged", notifications: [{ status: "sent" }] });
    expect(await noticesOf(stage.account.user_id)).toEqual([]);
    const { body: incidents } = await stage.account.client.get(`${V1}/incidents?status_page_id=${stage.page}`);
    expect(incidents).toEqual([]);
  });

  it("ends when the monitor is up again", async () => {
    const stage = await createStage(CRITICAL);
    await down(stage.first);
    await clock.pass(1);
    await up(stage.first);
    await clock.pass(60);
    expect(await listOf(stage)).toMatchObject([{ status: "resolved" }]);
    expect(await noticesOf(stage.account.user_id)).toEqual([]);
  });

  it("ends with a recovery that is not announced, because the monitor was muted", async () => {
    const stage = await createStage(CRITICAL);
    await down(stage.first);
    await clock.settle();
    const muted_until = new Date(clock.now + 3_600_000).toISOString();
    expect((await stage.account.client.put(`${V1}/monitors/${stage.first}`, { muted_until })).status).toBe(200);
    await up(stage.first);
    await clock.pass(60);
    expect(await listOf(stage)).toMatchObject([{ status: "resolved" }]);
    expect(await noticesOf(stage.account.user_id)).toEqual([]);
  });

  it("ends a degraded monitor's escalation by its recovery", async () => {
    const stage = await createStage(CRITICAL);
    await reportTransition(stage.first, { seq: 2, to: "degraded", at: clock.now });
    await clock.pass(1);
    expect(await noticesOf(stage.member.user_id)).toEqual(["oncall.notified"]);
    await reportTransition(stage.first, { seq: 3, to: "up", at: clock.now });
    await clock.pass(60);
    expect(await listOf(stage)).toMatchObject([{ event: "monitor.degraded", status: "resolved" }]);
  });

  it("is acknowledged by the link of the mail", async () => {
    const stage = await createStage(CRITICAL);
    await down(stage.first);
    await clock.settle();
    const [{ id }] = await listOf(stage);
    const path = `/acknowledge/${acknowledgeToken(env.ROOT_SECRET, { id, sent_at: Date.now(), user_id: null })}`;
    const visit = (method = "GET") => createVisitor()(path, {}, { method });
    expect((await visit()).text).toContain("Shop 0 is down");
    expect((await visit("POST")).text).toContain("Nobody else is notified");
    await clock.pass(60);
    expect(await listOf(stage)).toMatchObject([{ status: "acknowledged" }]);
  });

  it("escalates a custom event that is emitted as critical", async () => {
    const stage = await createStage({});
    const body = { event_name: "backup.failed", classification: "critical", title: "The backup failed" };
    expect((await stage.account.client.post(`${V1}/status-pages/${stage.page}/events/emit`, body)).status).toBe(201);
    await clock.settle();
    expect(await noticesOf(stage.member.user_id)).toEqual(["oncall.notified"]);
    expect(await listOf(stage)).toMatchObject([{ event: "backup.failed", title: "The backup failed" }]);
  });

  it("escalates once with its incident, where the page opens one", async () => {
    const stage = await createStage({ ...CRITICAL, auto_create_incident: true });
    await down(stage.first);
    await clock.settle();
    expect(await listOf(stage)).toMatchObject([{ event: "incident.created", incident_id: expect.any(String) }]);
    expect(await noticesOf(stage.member.user_id)).toEqual(["oncall.notified"]);
  });

  it("notifies nobody of events that are not critical", async () => {
    const stage = await createStage({});
    await down(stage.first);
    await clock.pass(10);
    expect(await listOf(stage)).toEqual([]);
  });
});

describe("the escalation of a monitor that is paused while it is down", () => {
  const pause = ({ account, first }: { account: Team["account"]; first: string }, action: "pause" | "resume") =>
    account.client.post(`${V1}/monitors/${first}/${action}`);
  /** Its object reports a change that the outage of transition 2 goes on through. */
  const change = (monitor: string, seq: number, [from, to]: [MonitorStatus, MonitorStatus]) =>
    reportChange(monitor, { seq, from, to, at: clock.now, outage: 2, event: to === "up" ? "monitor.up" : null });

  it.each([
    ["of its incident", { ...CRITICAL, auto_create_incident: true }],
    ["of its critical event", CRITICAL],
  ])("%s is silent, and goes on with the next step where it is still down after the pause", async (_name, page) => {
    const stage = await createStage(page);
    await down(stage.first);
    await clock.pass(1);
    expect(await noticesOf(stage.member.user_id)).toEqual(["oncall.notified"]);
    await pause(stage, "pause");
    await change(stage.first, 3, ["down", "paused"]);
    await clock.passSteadily(10);
    await clock.pass(24 * 60);
    expect(await noticesOf(stage.account.user_id)).toEqual([]);
    await pause(stage, "resume");
    await change(stage.first, 4, ["paused", "pending"]);
    await clock.pass(1);
    expect(await noticesOf(stage.account.user_id)).toEqual([]);
    await change(stage.first, 5, ["pending", "down"]);
    await clock.settle();
    expect(await noticesOf(stage.account.user_id)).toEqual(["oncall.notified"]);
    expect(await noticesOf(stage.member.user_id)).toEqual(["oncall.notified"]);
  });

  it("notifies nobody of what had not begun, nor where it is up after the pause", async () => {
    const stage = await createStage({ ...CRITICAL, auto_create_incident: true });
    await down(stage.first);
    await pause(stage, "pause");
    await change(stage.first, 3, ["down", "paused"]);
    await clock.pass(30);
    expect(await noticesOf(stage.member.user_id)).toEqual([]);
    await pause(stage, "resume");
    await change(stage.first, 4, ["paused", "pending"]);
    await change(stage.first, 5, ["pending", "up"]);
    await clock.pass(60);
    expect(await listOf(stage)).toMatchObject([{ status: "resolved" }]);
    expect([await noticesOf(stage.member.user_id), await noticesOf(stage.account.user_id)]).toEqual([[], []]);
  });

  it("can be acknowledged meanwhile, and then stays silent", async () => {
    const stage = await createStage(CRITICAL);
    await down(stage.first);
    await clock.settle();
    await pause(stage, "pause");
    await change(stage.first, 3, ["down", "paused"]);
    const [{ id }] = await listOf(stage);
    const path = `${V1}/status-pages/${stage.page}/on-call/escalations/${id}/acknowledge`;
    expect((await stage.member.client.post(path, {})).status).toBe(200);
    await clock.settle();
    expect(await listOf(stage)).toMatchObject([{ status: "acknowledged" }]);
    await pause(stage, "resume");
    await change(stage.first, 4, ["paused", "pending"]);
    await change(stage.first, 5, ["pending", "down"]);
    await clock.pass(60);
    expect(await noticesOf(stage.account.user_id)).toEqual([]);
  });
});

describe("a mass failure", () => {
  const mass = async (page = {}) => {
    const stage = await createStage({ auto_create_incident: true, ...page }, 8);
    for (const monitor of stage.monitors) await down(monitor);
    return stage;
  };
  const subjectsOf = async ({ member }: Team) =>
    (await mailsTo(`${member.user_id}@example.com`)).map(({ subject }) => subject);

  it("notifies once of all outages and lists them", async () => {
    const stage = await mass();
    await clock.pass(0.1);
    expect(await noticesOf(stage.member.user_id)).toEqual(["oncall.notified"]);
    const [mail] = await mailsTo(`${stage.member.user_id}@example.com`);
    expect(mail?.subject).toContain("8 alerts at once");
    for (const n of stage.monitors.keys()) expect(mail?.text).toContain(`Shop ${n} is down`);
    const statuses = (await listOf(stage)).map(({ status }: { status: string }) => status).sort();
    expect(statuses).toEqual(["active", ...Array(7).fill("bundled")]);
  });

  it("is acknowledged as a whole, and each incident says so", async () => {
    const stage = await mass();
    await clock.pass(0.1);
    const leader = (await listOf(stage)).find(({ status }: { status: string }) => status === "active");
    const path = `/acknowledge/${acknowledgeToken(env.ROOT_SECRET, { id: leader.id, sent_at: Date.now(), user_id: null })}`;
    await createVisitor()(path, {}, { method: "POST" });
    await clock.passSteadily(30);
    const { body } = await stage.account.client.get(`${V1}/incidents?status_page_id=${stage.page}`);
    expect(body).toHaveLength(8);
    for (const { acknowledged_at } of body) expect(acknowledged_at).not.toBeNull();
    expect(await noticesOf(stage.account.user_id)).toEqual([]);
    for (const { status } of await listOf(stage)) expect(status).toBe("acknowledged");
  });

  it("goes on while one of its outages does, and names only that one", async () => {
    const stage = await mass();
    await clock.pass(0.1);
    const [kept = "", ...others] = stage.monitors;
    for (const monitor of others) await up(monitor);
    await clock.pass(5);
    expect(await noticesOf(stage.account.user_id)).toEqual(["oncall.notified"]);
    const [mail] = await mailsTo(`${stage.account.user_id}@example.com`);
    expect(mail?.subject).toContain("Shop 0 is down");
    expect(mail?.text).not.toContain("Shop 1 is down");
    await up(kept);
    await clock.passSteadily(30);
    for (const { status } of await listOf(stage)) expect(status).toBe("resolved");
  });

  it("notifies of an outage again when its incident is reopened after the others ended", async () => {
    const stage = await mass();
    await clock.pass(0.1);
    for (const monitor of stage.monitors) await up(monitor);
    await clock.pass(1);
    const { body } = await stage.account.client.get(`${V1}/incidents?status_page_id=${stage.page}`);
    const bundled = (await listOf(stage)).find(({ bundle_id }: { bundle_id: string | null }) => bundle_id !== null);
    const incident = body.find(({ id }: { id: string }) => id === bundled.incident_id);
    await stage.account.client.put(`${V1}/incidents/${incident.id}`, { status: "investigating" });
    await clock.pass(1);
    expect(await noticesOf(stage.member.user_id)).toEqual(["oncall.notified", "oncall.notified"]);
    expect((await subjectsOf(stage)).at(-1)).toContain(incident.title);
  });

  it("still notifies of the other outages when the incident that notified of all is deleted", async () => {
    const stage = await mass();
    await clock.pass(0.1);
    const leader = (await listOf(stage)).find(({ status }: { status: string }) => status === "active");
    expect((await stage.account.client.delete(`${V1}/incidents/${leader.incident_id}`)).status).toBe(204);
    await clock.passSteadily(6);
    expect((await noticesOf(stage.member.user_id)).length).toBeGreaterThan(1);
    expect((await listOf(stage)).filter(({ status }: { status: string }) => status === "bundled")).toEqual([]);
  });

  it("notifies of few outages one by one", async () => {
    const stage = await createStage({ auto_create_incident: true }, 8);
    for (const monitor of stage.monitors.slice(0, 4)) await down(monitor);
    await clock.pass(0.1);
    expect(await noticesOf(stage.member.user_id)).toHaveLength(4);
  });

  it("joins outages that follow to the message that was sent, while nobody has answered", async () => {
    const stage = await createStage({ auto_create_incident: true }, 8);
    for (const monitor of stage.monitors.slice(0, 6)) await down(monitor);
    await clock.pass(0.1);
    for (const monitor of stage.monitors.slice(6)) await down(monitor);
    await clock.pass(0.1);
    expect(await noticesOf(stage.member.user_id)).toEqual(["oncall.notified"]);
    await clock.pass(5);
    const [mail] = await mailsTo(`${stage.account.user_id}@example.com`);
    expect(mail?.subject).toContain("8 alerts at once");
  });
});
