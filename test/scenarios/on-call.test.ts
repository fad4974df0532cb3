import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { openDb } from "../../src/data/db.ts";
import { escalations } from "../../src/data/escalations/table.ts";
import { V1 } from "../support/client.ts";
import { mailsTo } from "../support/mail.ts";
import { insertMonitor } from "../support/monitors.ts";
import {
  createSchedule,
  createTeam,
  noticesOf,
  reportTransition,
  setPolicy,
  type Team,
  toUser,
  useVirtualClock,
} from "../support/on-call.ts";
import { createVisitor } from "../support/pages.ts";

const db = openDb(env.DB);
const clock = useVirtualClock("2026-03-02T02:00:00Z", { PUBLIC_URL: "https://vigil.test" });
const at = (minutes: number) => new Date(clock.now + minutes * 60_000).toISOString();
const toSchedule = ({ id }: { id: string }) => [{ type: "schedule", value: id }];

async function createMonitored(): Promise<Team & { monitor: string }> {
  const team = await createTeam({ auto_create_incident: true });
  const { id } = await insertMonitor(team.account.user_id, { status_page_id: team.page, name: "Shop", created_at: 0 });
  return { ...team, monitor: id };
}

const incidentOf = async ({ account, page }: Team) =>
  (await account.client.get(`${V1}/incidents?status_page_id=${page}`)).body[0];
const timelineOf = async (team: Team) =>
  (await team.account.client.get(`${V1}/incidents/${(await incidentOf(team)).id}/escalation`)).body;

describe("an outage at night", () => {
  it("wakes the first person, then the second, who acknowledges from the phone, and ends with the recovery", async () => {
    const team = await createMonitored();
    const [first, second] = [team.member.user_id, team.account.user_id];
    await setPolicy(team, [
      { level: 1, wait_minutes: 0, contacts: toUser(first) },
      { level: 2, wait_minutes: 10, contacts: toUser(second) },
    ]);
    await reportTransition(team.monitor, { seq: 2, to: "down", at: clock.now });
    await clock.settle();
    expect([await noticesOf(first), await noticesOf(second)]).toEqual([["oncall.notified"], []]);
    await clock.passSteadily(9);
    expect(await noticesOf(second)).toEqual([]);
    await clock.pass(1);
    expect(await noticesOf(second)).toEqual(["oncall.notified"]);

    const [mail] = await mailsTo(`${second}@example.com`);
    expect(mail?.subject).toContain("Shop is down");
    const [link = ""] = /https:\/\/vigil\.test\/acknowledge\/\S+/.exec(mail?.text ?? "") ?? [];
    const visit = createVisitor();
    expect((await visit(new URL(link).pathname)).text).toContain("Acknowledge</button>");
    await visit(new URL(link).pathname, {}, { method: "POST" });
    await clock.passSteadily(60);
    expect(await timelineOf(team)).toMatchObject({
      status: "acknowledged",
      notifications: [
        { level: 1, status: "sent" },
        { level: 2, status: "sent" },
      ],
    });

    await reportTransition(team.monitor, { seq: 3, to: "up", at: clock.now, outage: 2 });
    await clock.pass(1);
    expect(await incidentOf(team)).toMatchObject({ status: "resolved" });
    expect(await timelineOf(team)).toMatchObject({ status: "resolved" });
    expect([await noticesOf(first), await noticesOf(second)]).toEqual([["oncall.notified"], ["oncall.notified"]]);
  });
});

describe("a hand-off in the middle of an outage", () => {
  it("notifies by the next step the person who is on call by then", async () => {
    const team = await createMonitored();
    const [before, after] = [team.member.user_id, team.account.user_id];
    const schedule = await createSchedule(team, {
      shifts: [
        { user_id: before, start_at: at(-600), end_at: at(10) },
        { user_id: after, start_at: at(10), end_at: at(600) },
      ],
    });
    await setPolicy(team, [
      { level: 1, wait_minutes: 0, contacts: toSchedule(schedule) },
      { level: 2, wait_minutes: 10, contacts: toSchedule(schedule) },
    ]);
    await reportTransition(team.monitor, { seq: 2, to: "down", at: clock.now });
    await clock.settle();
    expect([await noticesOf(before), await noticesOf(after)]).toEqual([["oncall.notified"], []]);
    await clock.passSteadily(10);
    expect([await noticesOf(before), await noticesOf(after)]).toEqual([["oncall.notified"], ["oncall.notified"]]);
  });
});

describe("a team of which everybody is on holiday", () => {
  it("leaves no outage without anybody: the owner is notified at once, and the timeline says why", async () => {
    const team = await createMonitored();
    const member = team.member.user_id;
    const schedule = await createSchedule(team, {
      rotations: [{ user_ids: [member], start_at: at(-600), period_hours: 168 }],
      overrides: [{ remove_user_id: member, start_at: at(-300), end_at: at(3000) }],
    });
    await setPolicy(team, [
      { level: 1, wait_minutes: 0, contacts: toSchedule(schedule) },
      { level: 2, wait_minutes: 30, contacts: toSchedule(schedule) },
    ]);
    await reportTransition(team.monitor, { seq: 2, to: "down", at: clock.now });
    await clock.settle();
    expect([await noticesOf(member), await noticesOf(team.account.user_id)]).toEqual([[], ["oncall.exhausted"]]);
    expect(await timelineOf(team)).toMatchObject({
      status: "exhausted",
      notifications: [
        { level: 0, type: "user", status: "sent" },
        { type: "nobody", label: "step 1" },
        { type: "nobody", label: "step 2" },
      ],
    });
    const [row] = await db.select().from(escalations).where(eq(escalations.status_page_id, team.page));
    expect(row?.state?.status).toBe("exhausted");
  });
});

describe("what fails after the one message about many", () => {
  it("is sent by name to the person on call, in one message, and not again", async () => {
    const team = await createMonitored();
    const { user_id } = team.member;
    const ids = [team.monitor];
    for (let n = 2; n <= 7; n++) {
      const { id } = await insertMonitor(team.account.user_id, {
        status_page_id: team.page,
        name: `Shop ${n}`,
        created_at: 0,
      });
      ids.push(id);
    }
    await setPolicy(team, [{ level: 1, wait_minutes: 0, contacts: toUser(user_id) }]);
    const fail = async (from: number, to: number) => {
      await clock.pass(0.1);
      for (const id of ids.slice(from, to)) await reportTransition(id, { seq: 2, to: "down", at: clock.now });
      await clock.pass(0.2);
    };
    await fail(0, 5);
    const subjects = async () => (await mailsTo(`${user_id}@example.com`)).map(({ subject }) => subject);
    const before = await subjects();
    expect(before.at(-1)).toBe("Alert: 5 alerts at once: Shop 2 is down and 4 more");
    await fail(5, 7);
    expect(await subjects()).toEqual(before);
    await clock.pass(1.5);
    expect((await subjects()).slice(before.length)).toEqual(["Alert: 2 more alerts: Shop 6 is down and 1 more"]);
    const text = (await mailsTo(`${user_id}@example.com`)).at(-1)?.text ?? "";
    expect(text).toContain("These failed after the last message; one acknowledgement is for all of them.");
    expect(text.split("\n").filter((line) => line.startsWith("- Shop"))).toEqual([
      expect.stringMatching(/^- Shop 6 is down/),
      expect.stringMatching(/^- Shop 7 is down/),
    ]);
    const all = await subjects();
    await clock.pass(1);
    expect(await subjects()).toEqual(all);
  });
});

describe("an incident that somebody opens", () => {
  it("is one mail to the person on call, and one to each other member of the team", async () => {
    const team = await createMonitored();
    const { user_id } = team.member;
    await setPolicy(team, [{ level: 1, wait_minutes: 0, contacts: toUser(user_id) }]);
    const { client } = team.account;
    const body = { status_page_id: team.page, title: "Cards are refused", severity: "major" };
    expect((await client.post(`${V1}/incidents`, body)).status).toBe(201);
    await clock.settle();
    await clock.passSteadily(3);
    const subjectsTo = async (id: string) => (await mailsTo(`${id}@example.com`)).map(({ subject }) => subject);
    expect(await subjectsTo(user_id)).toEqual([expect.stringContaining("Cards are refused")]);
    expect(await subjectsTo(team.account.user_id)).toEqual([expect.stringContaining("Cards are refused")]);
  });
});
