import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { openDb } from "../../src/data/db.ts";
import { notifications } from "../../src/data/notifications/table.ts";
import { V1 } from "../support/client.ts";
import { insertMonitor } from "../support/monitors.ts";
import { createTeam, noticesOf, reportTransition, setPolicy, toUser, useVirtualClock } from "../support/on-call.ts";

const db = openDb(env.DB);
const clock = useVirtualClock("2026-03-02T02:00:00Z");

/** A page of two teams: the member answers for the group of the shop, the owner for everything else. */
async function twoTeams({ has_active = true } = {}) {
  const team = await createTeam({ auto_create_incident: true });
  const { account, member, page } = team;
  const group_id: string = (await account.client.post(`${V1}/groups`, { name: "Shop", status_page_id: page })).body.id;
  const stepOf = (userId: string) => [{ level: 1, contacts: toUser(userId) }];
  if (has_active) await setPolicy(team, stepOf(account.user_id), { name: "Everything" });
  const shop = await setPolicy(team, stepOf(member.user_id), {
    name: "Shop",
    is_default: false,
    group_ids: [group_id],
  });
  const add = async (name: string, fields: object = {}) =>
    (await insertMonitor(account.user_id, { status_page_id: page, name, created_at: clock.now, ...fields })).id;
  const down = (id: string, seq = 1) => reportTransition(id, { seq, to: "down", at: clock.now });
  return { ...team, shop, group_id, add, down };
}

const pagesOf = async (userId: string) =>
  (await db.select().from(notifications).where(eq(notifications.user_id, userId)))
    .filter(({ type }) => type === "oncall.notified")
    .map(({ title, message }) => `${title}\n${message}`);

describe("two teams on one page", () => {
  it("are each notified on call of their own services alone", async () => {
    const { account, member, group_id, add, down } = await twoTeams();
    await down(await add("Cart", { group_id }));
    await clock.pass(1);
    expect([(await pagesOf(member.user_id)).length, (await pagesOf(account.user_id)).length]).toEqual([1, 0]);
    await down(await add("Mail"));
    await clock.pass(1);
    expect([(await pagesOf(member.user_id)).length, (await pagesOf(account.user_id)).length]).toEqual([1, 1]);
  });

  it("are each notified once, of their own, when many services of both fail together", async () => {
    const { account, member, group_id, add, down } = await twoTeams();
    const ids: string[] = [];
    for (let n = 1; n <= 4; n++) ids.push(await add(`Cart ${n}`, { group_id }), await add(`Mail ${n}`));
    for (const id of ids) await down(id);
    await clock.pass(1);
    const [shop, others] = [await pagesOf(member.user_id), await pagesOf(account.user_id)];
    expect([shop.length, others.length]).toEqual([1, 1]);
    for (let n = 1; n <= 4; n++) {
      expect(shop[0]).toContain(`Cart ${n}`);
      expect(others[0]).toContain(`Mail ${n}`);
    }
    expect(shop[0]).not.toContain("Mail");
    expect(others[0]).not.toContain("Cart");
  });

  it("leave an incident of the whole page to the active policy", async () => {
    const { account, member, page } = await twoTeams();
    await account.client.post(`${V1}/incidents`, { status_page_id: page, title: "Everything fails" });
    await clock.settle();
    expect([(await pagesOf(member.user_id)).length, (await pagesOf(account.user_id)).length]).toEqual([0, 1]);
  });

  it("do not leave an incident of the whole page to nobody where no policy is active", async () => {
    const { account, member, page } = await twoTeams({ has_active: false });
    await account.client.post(`${V1}/incidents`, { status_page_id: page, title: "Everything fails" });
    await clock.settle();
    expect([(await pagesOf(member.user_id)).length, (await pagesOf(account.user_id)).length]).toEqual([1, 0]);
  });

  it("do not fall silent when the limited policy is deleted before its next step", async () => {
    const { account, member, page, shop, group_id, add, down } = await twoTeams();
    const steps = [
      { level: 1, contacts: toUser(member.user_id) },
      { level: 2, wait_minutes: 10, contacts: toUser(member.user_id) },
    ];
    const policy = `${V1}/status-pages/${page}/on-call/policies/${shop.id}`;
    expect((await account.client.put(policy, { steps })).status).toBe(200);
    await down(await add("Cart", { group_id }));
    await clock.pass(1);
    expect((await account.client.delete(policy)).status).toBe(204);
    await clock.passSteadily(12);
    expect(await noticesOf(account.user_id)).toContain("oncall.exhausted");
  });
});
