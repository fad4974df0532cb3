import ICAL from "ical.js";
import { describe, expect, it } from "vitest";
import { CORE, createClient, V1 } from "../support/client.ts";
import { createAccount } from "../support/factories.ts";
import { createSchedule, createTeam, type Team } from "../support/on-call.ts";

const DAY = 86_400_000;
const NOW = Math.floor(Date.now() / DAY) * DAY;
const at = (days: number) => new Date(NOW + days * DAY).toISOString();
const visitor = createClient();

/** As a calendar program reads it. */
async function readCalendar(url: string) {
  const answer = await visitor.get(new URL(url).pathname);
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toBe("text/calendar; charset=utf-8");
  const calendar = new ICAL.Component(ICAL.parse(answer.body));
  return calendar.getAllSubcomponents("vevent").map((component) => {
    const event = new ICAL.Event(component);
    return [event.summary, event.startDate.toJSDate().toISOString(), event.endDate.toJSDate().toISOString()];
  });
}

async function createStage() {
  const team = await createTeam();
  const schedule = await createSchedule(team, {
    name: "Nights; first, line",
    shifts: [
      { user_id: team.account.user_id, start_at: at(-2), end_at: at(1) },
      { user_id: team.member.user_id, start_at: at(2), end_at: at(5) },
    ],
  });
  return { ...team, schedule, path: `${V1}/status-pages/${team.page}/on-call/schedules/${schedule.id}/calendar` };
}

const refused = async (url: string) => (await visitor.get(new URL(url).pathname)).status;
const addressOf = async (client: Team["account"]["client"], path: string) => (await client.post(path)).body.url;

describe("the calendar of a schedule", () => {
  it("lists shifts and gaps in a form that calendar programs read", async () => {
    const stage = await createStage();
    const events = await readCalendar(await addressOf(stage.member.client, stage.path));
    // It begins with the first shift: nobody was to be on call before it.
    expect(events.slice(0, 3)).toEqual([
      ["Test user on call", at(-2), at(1)],
      ["Nobody on call", at(1), at(2)],
      ["Test user on call", at(2), at(5)],
    ]);
  });

  it("has an address for each user, which a new one replaces and DELETE ends", async () => {
    const { account, member, path } = await createStage();
    const [first, other] = [await addressOf(account.client, path), await addressOf(member.client, path)];
    const second = await addressOf(account.client, path);
    expect([await refused(first), await refused(second), await refused(other)]).toEqual([404, 200, 200]);
    expect((await account.client.delete(path)).status).toBe(204);
    expect([await refused(second), await refused(other)]).toEqual([404, 200]);
  });

  it("ends for a user who leaves the team", async () => {
    const { account, member, page, path } = await createStage();
    const url = await addressOf(member.client, path);
    const { body: members } = await account.client.get(`${V1}/status-pages/${page}/members`);
    const { id } = members.find(({ user_id }: { user_id: string }) => user_id === member.user_id);
    expect((await account.client.delete(`${V1}/status-pages/${page}/members/${id}`)).status).toBe(200);
    expect(await refused(url)).toBe(404);
  });

  it("cannot be created by an outsider, nor guessed", async () => {
    const { path } = await createStage();
    expect((await (await createAccount()).client.post(path)).status).toBe(404);
    expect(await refused(`http://vigil.test/calendar/cal_${"a".repeat(43)}`)).toBe(404);
  });
});

describe("the calendar of a user", () => {
  it("lists the shifts of all schedules, and no one else's", async () => {
    const stage = await createStage();
    await createSchedule(stage, {
      name: "Days",
      shifts: [{ user_id: stage.member.user_id, start_at: at(7), end_at: at(8) }],
    });
    const url = await addressOf(stage.member.client, `${CORE}/user/on-call-calendar`);
    expect(await readCalendar(url)).toEqual([
      ["On call: Days (Page)", at(7), at(8)],
      ["On call: Nights; first, line (Page)", at(2), at(5)],
    ]);
    expect((await stage.member.client.delete(`${CORE}/user/on-call-calendar`)).status).toBe(204);
    expect(await refused(url)).toBe(404);
  });
});
