import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { jobScope } from "../../src/access/scope.ts";
import { reviewSchedules, sweepSchedules } from "../../src/events/on-call-review.ts";
import { V1 } from "../support/client.ts";
import { mailsTo } from "../support/mail.ts";
import { createSchedule, createTeam, MINUTE, noticesOf, useVirtualClock } from "../support/on-call.ts";
import { recordingEnv } from "../support/queues.ts";

const HOUR = 60 * MINUTE;
const clock = useVirtualClock("2026-03-28T12:00:00Z");
const at = (hours: number) => new Date(clock.now + hours * HOUR).toISOString();
const sweep = () => sweepSchedules(jobScope(recordingEnv().env, "test"));
const shift = (user_id: string, from: number, to: number) => ({ user_id, start_at: at(from), end_at: at(to) });

async function gapsOf(page: string) {
  const { results } = await env.DB.prepare("SELECT data FROM events WHERE name = 'oncall.gap' AND status_page_id = ?")
    .bind(page)
    .all<{ data: string }>();
  return results.map(({ data }) => JSON.parse(data));
}

/** Passes time hour by hour with the sweep of each. */
async function passHours(hours: number) {
  for (let hour = 0; hour < hours; hour++) {
    await clock.pass(60);
    await sweep();
  }
}

describe("a gap of a schedule", () => {
  it("is an event and a notice to the owner 72 hours ahead, once", async () => {
    const team = await createTeam();
    const owner = team.account.user_id;
    const schedule = await createSchedule(team, { shifts: [shift(owner, -1, 80), shift(owner, 90, 300)] });
    const start = at(80);
    await passHours(7);
    expect(await gapsOf(team.page)).toEqual([]);
    await passHours(10);
    expect(await gapsOf(team.page)).toMatchObject([{ schedule_id: schedule.id, start, incident_id: null }]);
    expect((await noticesOf(owner)).filter((type) => type === "oncall.gap")).toHaveLength(1);
    const mails = await mailsTo(`${owner}@example.com`);
    expect(mails.map(({ subject }) => subject)).toEqual(["Warning: Nobody on call: Primary"]);
    expect(mails[0]?.text).toContain("31 Mar 2026, 20:00 UTC");
  });

  it("is not announced while the schedule is still being edited, nor after it was filled", async () => {
    const team = await createTeam();
    const schedule = await createSchedule(team, {});
    await sweep();
    const path = `${V1}/status-pages/${team.page}/on-call/schedules/${schedule.id}`;
    const shifts = [shift(team.account.user_id, -1, 500)];
    expect((await team.account.client.put(path, { shifts })).status).toBe(200);
    await passHours(3);
    expect(await gapsOf(team.page)).toEqual([]);
  });

  it("is none before the first turn: it is said when that begins, and who is first", async () => {
    const team = await createTeam();
    const [owner, member] = [team.account.user_id, team.member.user_id];
    const rotation = { user_ids: [member, owner], start_at: at(300), period_hours: 168 };
    await createSchedule(team, { timezone: "Europe/Berlin", rotations: [rotation] });
    await passHours(3);
    const name = (await team.account.client.get(`${V1}/status-pages/${team.page}/members`)).body.find(
      (each: { user_id: string }) => each.user_id === member,
    ).name;
    expect(await gapsOf(team.page)).toMatchObject([
      {
        begins_at: rotation.start_at,
        message: `Primary begins on 10 Apr 2026, 02:00 CEST, ${name} first; until then nobody is on call by it`,
      },
    ]);
    const mails = await mailsTo(`${owner}@example.com`);
    expect(mails.map(({ subject }) => subject)).toEqual(["Notice: On-call schedule begins later: Primary"]);
    expect(mails[0]?.text).toContain(`It begins on 10 Apr 2026, 02:00 CEST. ${name} is first.`);
    expect(mails[0]?.text).not.toContain("Nobody on call");
  });

  it("that goes on is one gap", async () => {
    const team = await createTeam();
    await createSchedule(team, {});
    await passHours(30);
    expect(await gapsOf(team.page)).toHaveLength(1);
  });

  it("of a schedule that cannot be computed delays no other one", async () => {
    const [broken, sound] = [await createTeam(), await createTeam()];
    const first = await createSchedule(broken, {});
    const second = await createSchedule(sound, {});
    await env.DB.prepare("UPDATE on_call_schedules SET timezone = 'Nowhere/At_All', rotations = ? WHERE id = ?")
      .bind(JSON.stringify([{ user_ids: ["a", "b"], start_at: 1, period_hours: 1, handoff_time: null }]), first.id)
      .run();
    await reviewSchedules(jobScope(recordingEnv().env, "test"), [first.id, second.id]);
    expect(await gapsOf(sound.page)).toHaveLength(1);
  });
});

describe("a shift", () => {
  it("is announced to its user 12 hours ahead, once, in the zone of the schedule", async () => {
    const team = await createTeam();
    const [owner, member] = [team.account.user_id, team.member.user_id];
    const shifts = [shift(owner, -1, 20), shift(member, 20, 500)];
    await createSchedule(team, { timezone: "Europe/Berlin", shifts });
    await passHours(7);
    expect(await noticesOf(member)).toEqual([]);
    await passHours(20);
    expect(await noticesOf(member)).toEqual(["oncall.shift"]);
    const mails = await mailsTo(`${member}@example.com`);
    expect(mails.map(({ text }) => text)).toEqual([expect.stringContaining("29 Mar 2026, 10:00 CEST")]);
  });

  it("is not announced to who left the team", async () => {
    const team = await createTeam();
    const member = team.member.user_id;
    await createSchedule(team, { shifts: [shift(member, 5, 500)] });
    await env.DB.prepare("DELETE FROM page_members WHERE user_id = ?").bind(member).run();
    await passHours(2);
    expect(await noticesOf(member)).toEqual([]);
  });
});
