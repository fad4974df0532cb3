import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { Capability } from "../../src/contract/member.ts";
import { auditLog } from "../../src/data/audit/table.ts";
import { openDb } from "../../src/data/db.ts";
import { apiTokens } from "../../src/data/users/table.ts";
import type { AccessTeam } from "../support/access-team.ts";
import { CORE, createClient, V1 } from "../support/client.ts";
import { type Account, createAccount, createPage } from "../support/factories.ts";
import { createBrowser } from "../support/forms.ts";
import { createGitHub } from "../support/github-actions.ts";
import { mailsTo } from "../support/mail.ts";
import { createAccountWithPassword, createMember, emailOf, insertBrowser } from "../support/members.ts";
import { useSink } from "../support/sink.ts";

const db = openDb(env.DB);
const sink = useSink();
const FORM = "/app/account/workflows";
const TRUSTED = `${CORE}/user/trusted-workflows`;
const AUDIENCE = "http://vigil.test";
const MINUTE = 60_000;
const JOB = {
  repository: "Shop/Site",
  repository_id: "4711",
  repository_owner: "Shop",
  ref: "refs/heads/main",
  environment: "production",
};

let github: AccessTeam;
beforeAll(async () => {
  github = await createGitHub(sink, "repo:Shop/Site:environment:production", JOB);
});
let owner: Account;
beforeEach(async () => {
  owner = await createAccount();
});
afterEach(() => void vi.useRealTimers());

const trust = async (change: object = {}, account = owner): Promise<string> => {
  const body = { repository: "shop/site", branch: "main", scopes: ["monitors.write"], ...change };
  const answer = await account.client.post(TRUSTED, body);
  expect(answer.status).toBe(201);
  return answer.body.id;
};
const exchange = (trusted_workflow_id: string, token: string) =>
  createClient().post(`${CORE}/auth/workflow-token`, { trusted_workflow_id, token });
const seconds = (ms: number) => Math.floor((Date.now() + ms) / 1000);

describe("a run of a trusted workflow", () => {
  it("gets a token of its scopes for minutes, and no other", async () => {
    const page = await createPage(owner);
    const id = await trust({ environment: "production", status_page_ids: [page], lifetime_minutes: 5 });
    const answer = await exchange(id, await github.assert({}));
    expect(answer).toMatchObject({ status: 201, body: { token: expect.stringMatching(/^sk_svc_/) } });
    expect(Date.parse(answer.body.expires_at) - Date.now()).toBeGreaterThan(4 * MINUTE);
    const run = createClient(answer.body.token);
    const monitor = { name: "Shop", type: "http", target: "http://sink.test/", paused: true };
    expect((await run.post(`${V1}/monitors`, { ...monitor, status_page_id: page })).status).toBe(201);
    expect((await run.post(`${V1}/monitors`, monitor)).status).toBe(403);
    expect((await run.post(`${V1}/webhooks`, { url: "https://hook.test/" })).status).toBe(403);
    expect((await run.post(`${CORE}/user/api-tokens`, { name: "stays" })).status).toBe(403);
    expect((await run.post(TRUSTED, { repository: "evil/site", scopes: ["read"] })).status).toBe(403);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.parse(answer.body.expires_at) });
    expect((await run.get(`${CORE}/auth/me`)).status).toBe(401);
  });

  it("is audited with what GitHub says of it, and shown with when it was last", async () => {
    const id = await trust();
    await exchange(id, await github.assert({}));
    const entries = await db.select().from(auditLog).where(eq(auditLog.owner_id, owner.user_id));
    expect(entries.at(-1)).toMatchObject({
      event_type: "workflow.token_made",
      summary: "a run of Shop/Site at refs/heads/main got an API token",
      data: { repository_id: "4711", environment: "production" },
    });
    expect((await owner.client.get(TRUSTED)).body).toMatchObject([
      { id, repository: "shop/site", audience: AUDIENCE, last_used_at: expect.any(String) },
    ]);
    expect((await mailsTo(emailOf(owner))).at(-1)?.text).toContain("shop/site");
  });

  it.each<[string, () => Promise<string>, number, object?]>([
    ["a statement that is not GitHub's", () => github.forge({}), 401],
    ["one of another issuer", () => github.assert({ iss: "https://evil.example" }), 401],
    ["one for another service", () => github.assert({ aud: "https://other.example" }), 401],
    ["one that is over", () => github.assert({ exp: seconds(-MINUTE) }), 401],
    ["one that is not yet valid", () => github.assert({ nbf: seconds(10 * MINUTE) }), 401],
    ["an unsigned one", async () => `${btoa('{"alg":"none"}')}.${(await github.assert({})).split(".")[1]}.`, 401],
    ["no statement at all", async () => "nothing", 401],
    ["one without a repository", () => github.assert({ repository: undefined }), 401],
    ["a run of another repository", () => github.assert({ repository: "evil/site" }), 403],
    ["a run of another branch", () => github.assert({ ref: "refs/heads/feature" }), 403],
    ["a run of a pull request", () => github.assert({ ref: "refs/pull/7/merge" }), 403],
    ["a run of a tag that is called as the branch", () => github.assert({ ref: "refs/tags/main" }), 403],
    ["a job of another environment", () => github.assert({ environment: "staging" }), 403],
    ["a job without environment", () => github.assert({ environment: undefined }), 403],
  ])("%s gets no token", async (_name, make, status) => {
    const id = await trust({ environment: "production" });
    expect((await exchange(id, await make())).status).toBe(status);
    expect(await db.select().from(apiTokens).where(eq(apiTokens.trusted_workflow_id, id))).toEqual([]);
  });

  it("gets one token for each statement of GitHub, also where it is sent twice at once", async () => {
    const id = await trust();
    const statement = await github.assert({});
    const answers = await Promise.all([exchange(id, statement), exchange(id, statement)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 401]);
    expect((await exchange(id, statement)).status).toBe(401);
  });

  it("is the repository that used it first, not a later one of its name", async () => {
    const id = await trust();
    expect((await exchange(id, await github.assert({}))).status).toBe(201);
    const taken = await exchange(id, await github.assert({ repository_id: "9999" }));
    expect(taken).toMatchObject({ status: 403, body: { error: expect.stringContaining("another than the one") } });
  });

  it("leaves no tokens of runs before it among those of the account", async () => {
    const id = await trust({ lifetime_minutes: 1 });
    await exchange(id, await github.assert({}));
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 2 * MINUTE });
    await exchange(id, await github.assert({}));
    expect(await db.select().from(apiTokens).where(eq(apiTokens.trusted_workflow_id, id))).toHaveLength(1);
  });

  it("never has more rights than who trusts it has at the time", async () => {
    const { id: page, member, membership_id } = await createMemberWith(["monitors.write"]);
    const id = await trust({ status_page_ids: [page] }, member);
    const { body } = await exchange(id, await github.assert({}));
    const run = createClient(body.token);
    const monitor = { name: "Shop", type: "http", target: "http://sink.test/", paused: true, status_page_id: page };
    expect((await run.post(`${V1}/monitors`, monitor)).status).toBe(201);
    expect((await owner.client.delete(`${V1}/status-pages/${page}/members/${membership_id}`)).status).toBeLessThan(300);
    expect((await run.post(`${V1}/monitors`, monitor)).status).toBe(400);
    expect((await run.get(`${V1}/status-pages/${page}`)).status).toBe(404);
  });
});

async function createMemberWith(capabilities: Capability[]) {
  const { id, member } = await createMember(owner, { role: "custom", capabilities });
  const { body } = await owner.client.get(`${V1}/status-pages/${id}/members`);
  return { id, member, membership_id: body[0].id };
}

describe("a trusted workflow", () => {
  it("is seen and removed by its account alone", async () => {
    const id = await trust();
    const other = await createAccount();
    expect((await other.client.get(TRUSTED)).body).toEqual([]);
    expect((await other.client.delete(`${TRUSTED}/${id}`)).status).toBe(404);
    expect((await owner.client.get(TRUSTED)).body).toHaveLength(1);
  });

  it("is added, listed and removed in the dashboard", async () => {
    const page = await createPage(owner);
    const browser = createBrowser(await insertBrowser(owner));
    const refused = await browser.submit(FORM, { repository: "Shop/Site" });
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining("Scopes")]);
    const fields = { repository: "Shop/Site", branch: "main", scopes: "monitors.write", status_page_ids: page };
    const added = await browser.submit(FORM, fields);
    const [{ id, status_page_ids }] = (await owner.client.get(TRUSTED)).body;
    expect([added.status, status_page_ids]).toEqual([200, [page]]);
    for (const text of [id, AUDIENCE]) expect(added.text).toContain(text);
    const shown = (await browser.open("/app/account")).text;
    for (const text of ["shop/site", "branch main", "on 1 page"]) expect(shown).toContain(text);
    expect((await browser.submit(`${FORM}/${id}/delete`, { confirmation: "shop/site" })).status).toBe(303);
    expect((await owner.client.get(TRUSTED)).body).toEqual([]);
    expect((await browser.open(`${FORM}/${id}/delete`)).status).toBe(404);
  });

  it.each<[string, object]>([
    ["no repository", { repository: "site" }],
    ["no scopes", { scopes: [] }],
    ["a lifetime of more than an hour", { lifetime_minutes: 61 }],
  ])("is refused with %s", async (_name, change) => {
    const body = { repository: "shop/site", scopes: ["read"], ...change };
    expect((await owner.client.post(TRUSTED, body)).status).toBe(400);
    expect((await owner.client.get(TRUSTED)).body).toEqual([]);
  });

  it.each<[string, (account: Account, id: string) => Promise<unknown>]>([
    ["its removal", (account, id) => account.client.delete(`${TRUSTED}/${id}`)],
    ["ending all", (account) => account.client.post(`${CORE}/auth/revoke-all`)],
    [
      "its account's deactivation",
      async (account) =>
        (await createAccount({ operator: true })).client.post(`${CORE}/deactivated-accounts`, {
          email: emailOf(account),
        }),
    ],
  ])("ends with its tokens by %s", async (_name, end) => {
    const account = await createAccountWithPassword();
    const id = await trust({}, account);
    const { body } = await exchange(id, await github.assert({}));
    expect((await createClient(body.token).get(`${CORE}/auth/me`)).status).toBe(200);
    await end(account, id);
    expect((await createClient(body.token).get(`${CORE}/auth/me`)).status).toBe(401);
    expect((await exchange(id, await github.assert({}))).status).toBe(401);
  });
});
