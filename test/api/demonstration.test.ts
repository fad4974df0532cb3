import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { openDb } from "../../src/data/db.ts";
import { users } from "../../src/data/users/table.ts";
import { CORE, createClientUnder, V1 } from "../support/client.ts";
import { type Account, createAccount, createMonitor, createPage } from "../support/factories.ts";
import { createMember, emailOf, joinPage } from "../support/members.ts";

const URL = `${CORE}/demonstration`;
const db = openDb(env.DB);

/** An operator of an installation whose demonstration belongs to an account with a page, a monitor and somebody it opened. */
async function prepare() {
  const [owner, operator] = [await createAccount(), await createAccount({ operator: true })];
  const { id: page, member: person } = await createMember(owner);
  await db.update(users).set({ vouched_by: owner.user_id }).where(eq(users.id, person.user_id));
  const { id: monitor } = await createMonitor(owner.client, { status_page_id: page });
  await joinPage(operator, page, { role: "admin" });
  const under = (account: Account) => createClientUnder({ DEMONSTRATION: emailOf(owner) }, account.token);
  return { owner, operator, person, page, monitor, under };
}

const isThere = async ({ user_id }: Account) => (await db.select().from(users).where(eq(users.id, user_id))).length > 0;

describe("DELETE /demonstration", () => {
  it("removes its owner, people, pages and monitors, and nothing else", async () => {
    const { owner, operator, person, page, monitor, under } = await prepare();
    const own = await createMonitor(operator.client);
    const otherPage = await createPage(operator);
    const friend = await createAccount();
    await joinPage(friend, page, { role: "viewer" });
    expect((await under(operator).delete(URL)).status).toBe(204);
    expect(await Promise.all([owner, person, operator, friend].map(isThere))).toEqual([false, false, true, true]);
    const statusOf = async (path: string) => (await operator.client.get(V1 + path)).status;
    expect(await statusOf(`/status-pages/${page}`)).toBe(404);
    expect(await statusOf(`/monitors/${monitor}`)).toBe(404);
    expect(await statusOf(`/status-pages/${otherPage}`)).toBe(200);
    expect(await statusOf(`/monitors/${own.id}`)).toBe(200);
    const { body } = await operator.client.get(`${V1}/audit/logs?event_type=demonstration.removed`);
    expect(JSON.stringify(body)).toContain("the demonstration was removed");
    expect((await under(operator).delete(URL)).status).toBe(404);
  });

  it("is for operators alone, also against the one who owns it", async () => {
    const { owner, person, under } = await prepare();
    for (const account of [owner, person, await createAccount()]) {
      expect(await under(account).delete(URL)).toMatchObject({ status: 403, body: { code: "forbidden" } });
    }
    expect(await isThere(owner)).toBe(true);
  });

  it("finds nothing where none was made", async () => {
    const { client } = await createAccount({ operator: true });
    expect((await client.delete(URL)).status).toBe(404);
  });
});

describe("the dashboard of a demonstration", () => {
  it("says so above every view, and offers operators to remove it", async () => {
    const { operator, person, under } = await prepare();
    const open = async (account: Account) => (await under(account).get("/app/monitors")).body;
    const button = 'action="/app/demonstration/remove"';
    expect(await open(operator)).toContain("<strong>Demonstration.</strong>");
    expect(await open(operator)).toContain(button);
    expect(await open(person)).toContain("<strong>Demonstration.</strong>");
    expect(await open(person)).not.toContain(button);
    expect((await operator.client.get("/app/monitors")).body).not.toContain("Demonstration.");
  });

  it("removes it by one click", async () => {
    const { owner, operator, under } = await prepare();
    const type = { "content-type": "application/x-www-form-urlencoded" };
    const clicked = await under(operator).post("/app/demonstration/remove", "", type);
    expect({ status: clicked.status, to: clicked.headers.get("location") }).toEqual({ status: 303, to: "/app" });
    expect(await isThere(owner)).toBe(false);
  });
});
