import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { issueToken } from "../../scripts/local/accounts.ts";
import { agents } from "../../src/data/agents/table.ts";
import { openDb } from "../../src/data/db.ts";
import { users } from "../../src/data/users/table.ts";
import { webhooks } from "../../src/data/webhooks/table.ts";
import { newId } from "../../src/platform/ids.ts";
import { agentClient, enrollAgent } from "../support/agents.ts";
import { CORE, createClient, createClientUnder, V1 } from "../support/client.ts";
import { createAccount, createPage } from "../support/factories.ts";
import { insertBrowser, joinPage, openUnderForeignAddress, proveAddress, STOLEN } from "../support/members.ts";
import { createVisitor } from "../support/pages.ts";
import { createWebhook, sinkUrl } from "../support/webhooks.ts";

const db = openDb(env.DB);
const visit = createVisitor();

/** The database as the commands of the operator use it. */
async function execute(statements: { sql: string; params: (string | number | null)[] }[]) {
  const answers = await env.DB.batch<Record<string, unknown>>(
    statements.map(({ sql, params }) => env.DB.prepare(sql).bind(...params)),
  );
  return answers.map(({ results }) => results);
}

async function findUserByEmail(email: string): Promise<{ id: string }> {
  const [user] = await db.select({ id: users.id }).from(users).where(eq(users.email, email));
  if (!user) throw new Error(`no account for ${email}`);
  return user;
}

describe("an account whose address nobody proved", () => {
  const REFUSED = { status: 403, body: { code: "email_unverified" } };

  it("owns nothing: no page, monitor, webhook or agent", async () => {
    const { stolen, page, victim } = await openUnderForeignAddress();
    const monitor = { name: "Shop", type: "http", target: "http://sink.test/", paused: true };
    const attempts: [string, unknown][] = [
      ["/status-pages", { name: "Mine", slug: `m-${newId().slice(-20)}` }],
      ["/monitors", monitor],
      ["/webhooks", { name: "Ear", url: sinkUrl() }],
      ["/agents", { name: "Rack" }],
    ];
    for (const [path, body] of attempts)
      expect([path, await stolen.post(V1 + path, body)]).toMatchObject([path, REFUSED]);
    const shared = await stolen.post(`${V1}/monitors`, { ...monitor, status_page_id: page });
    expect(shared.status).toBe(201);
    expect(await stolen.post(`${V1}/monitors/${shared.body.id}/clone`, { status_page_id: null })).toMatchObject(
      REFUSED,
    );
    expect(await stolen.put(`${V1}/monitors/by-key/mine`, monitor)).toMatchObject(REFUSED);
    expect(await stolen.get(`${V1}/agents/token`)).toMatchObject(REFUSED);
    await proveAddress(victim);
    const session = await insertBrowser({ user_id: (await findUserByEmail(victim)).id });
    const page_of_own = { name: "Mine", slug: `m-${newId().slice(-20)}` };
    expect((await createClient().request("POST", `${V1}/status-pages`, page_of_own, session)).status).toBe(201);
  });

  it("works on the page that it was opened for as its role says, and with tokens of its own", async () => {
    const { stolen, page } = await openUnderForeignAddress();
    const on = { status_page_id: page };
    const made = await Promise.all([
      stolen.post(`${V1}/webhooks`, { name: "Ear", url: sinkUrl(), ...on }),
      stolen.post(`${V1}/agents`, { name: "Rack", ...on }),
      stolen.post(`${V1}/incidents`, { title: "Slow", ...on }),
      stolen.post(`${V1}/status-pages/${page}/members`, { email: `${newId()}@example.com`, role: "viewer" }),
      stolen.post(`${CORE}/user/metrics-token`),
    ]);
    expect(made.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
    expect((await stolen.get(`${V1}/agents/token?status_page_id=${page}`)).status).toBe(200);
  });

  it("cannot open others, and of those that one owner opens there are so many for good", async () => {
    const owner = await createAccount({ plan: "free" });
    const client = createClientUnder({ RATE_LIMITS: "" }, owner.token);
    const page = await createPage(owner);
    const team = `${V1}/status-pages/${page}/members`;
    const open = () =>
      client.post(team, { email: `${newId()}@example.com`, role: "viewer", password: STOLEN, confirmed: true });
    const remove = async () => {
      const [member] = (await client.get(team)).body;
      expect((await client.delete(`${team}/${member.id}`)).status).toBe(204);
    };
    for (let n = 0; n < 5; n++) {
      expect((await open()).status).toBe(201);
      await remove();
    }
    expect(await open()).toMatchObject({
      status: 403,
      body: {
        code: "plan_limit",
        error: "the free plan includes at most 5 accounts that their page's owner opened with a password",
      },
    });
    const invited = await client.post(team, { email: `${newId()}@example.com`, role: "viewer" });
    expect(invited).toMatchObject({ status: 201, body: { status: "pending" } });
  });

  it("holds that number against requests at the same time", async () => {
    const owner = await createAccount({ plan: "business" });
    await db.update(users).set({ opened_accounts: 4_999 }).where(eq(users.id, owner.user_id));
    const client = createClientUnder({ RATE_LIMITS: "" }, owner.token);
    const team = `${V1}/status-pages/${await createPage(owner)}/members`;
    const answers = await Promise.all(
      Array.from({ length: 4 }, () =>
        client.post(team, { email: `${newId()}@example.com`, role: "viewer", password: STOLEN, confirmed: true }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 403, 403, 403]);
  });
});

describe("what is planted in an account before its address is proven", () => {
  /** As a release before could have left it: today such an account is refused all that it would own. */
  async function plant() {
    const { attacker, page, victim, stolen } = await openUnderForeignAddress();
    const account = { ...attacker, client: stolen, user_id: (await stolen.get(`${CORE}/auth/me`)).body.id };
    const own = await createPage(account);
    await joinPage(attacker, own, { role: "admin" });
    const webhook = await createWebhook(attacker);
    await db.update(webhooks).set({ owner_id: account.user_id }).where(eq(webhooks.id, webhook.id));
    const agent = await enrollAgent(attacker);
    await db.update(agents).set({ owner_id: account.user_id }).where(eq(agents.id, agent.id));
    const metrics = (await stolen.post(`${CORE}/user/metrics-token`)).body.token;
    const calendar = new URL((await stolen.post(`${CORE}/user/on-call-calendar`)).body.url).pathname;
    const install = (await stolen.get(`${V1}/agents/token?status_page_id=${page}`)).body.install_token;
    return { attacker, page, victim, own, webhook, agent, metrics, calendar, install };
  }

  it.each(["the mailed link", "the command line"])("ends with the proof by %s", async (way) => {
    const planted = await plant();
    const scrape = async () => (await createClient(planted.metrics).get("/metrics")).status;
    const follow = async () => (await visit(planted.calendar)).status;
    const enrol = (token: string) => agentClient(token).post(`${V1}/agents/enroll`, { hostname: "host" });
    expect([await scrape(), await follow()]).toEqual([200, 200]);
    if (way === "the mailed link") await proveAddress(planted.victim);
    else await issueToken(execute, { email: planted.victim });
    expect([await scrape(), await follow(), (await enrol(planted.install)).status]).toEqual([401, 404, 401]);
    expect((await planted.attacker.client.get(`${V1}/status-pages/${planted.own}`)).status).toBe(404);
    expect(await db.$count(webhooks, eq(webhooks.id, planted.webhook.id))).toBe(0);
    expect((await planted.agent.client.get(`${V1}/agents/monitors`)).status).toBe(401);
    // What it was opened for stays.
    const team = await planted.attacker.client.get(`${V1}/status-pages/${planted.page}/members`);
    expect(team.body).toMatchObject([{ email: planted.victim, role: "admin" }]);
  });
});
