import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { openDb } from "../../src/data/db.ts";
import { users } from "../../src/data/users/table.ts";
import { V1 } from "../support/client.ts";
import { browserOf } from "../support/dashboard-crawl.ts";
import { type Account, createAccount } from "../support/factories.ts";
import { createMember } from "../support/members.ts";
import { createPage, createVisitor } from "../support/pages.ts";
import { createHeartbeat } from "../support/pushes.ts";

const send = createVisitor();
const ping = async (path: string, method = "GET"): Promise<[number, string]> => {
  const { status, text } = await send(`/ping/${path}`, {}, { method });
  return [status, text];
};

async function createKeyed(account: Account) {
  const page = await createPage(account);
  const { body } = await account.client.put(`${V1}/status-pages/${page.id}/ping-key`, {});
  return { page, key: body.key as string, body };
}

const monitorsOf = async (account: Account, pageId: string) =>
  (await account.client.get(`${V1}/monitors?status_page_id=${pageId}`)).body;

describe("a page's ping key", () => {
  it("takes heartbeats for the page's monitors by their keys, in every form of Healthchecks", async () => {
    const account = await createAccount();
    const { page, key, body } = await createKeyed(account);
    expect(body.ping_url).toMatch(new RegExp(`/ping/${key}/\\{key\\}$`));
    const { id } = await createHeartbeat(account, { status_page_id: page.id, external_key: "nightly-backup" });
    const status = async () => (await account.client.get(`${V1}/monitors/${id}`)).body.status;
    expect(await ping(`${key}/nightly-backup`)).toEqual([200, "OK"]);
    expect(await status()).toBe("up");
    expect(await ping(`${key}/nightly-backup/start`, "POST")).toEqual([200, "OK"]);
    expect(await ping(`${key}/nightly-backup/3`)).toEqual([200, "OK"]);
    expect(await status()).toBe("down");
    expect(await ping(`${key}/nightly-backup/0?rid=0199c0de-0000-7000-8000-000000000001`)).toEqual([200, "OK"]);
    expect(await status()).toBe("up");
    expect(await ping(`${key}/nightly-backup/300`)).toEqual([400, "invalid url format"]);
    expect(await ping(`${key}/nightly-backup/later`)).toEqual([404, "not found"]);
    expect(await ping(`${key}/another`)).toEqual([404, "not found"]);
    expect(await ping(`${key}x/nightly-backup`)).toEqual([404, "not found"]);
    expect(await ping(key)).toEqual([404, "not found"]);
  });

  it("makes the monitor that a first ping asks for, once, on this page", async () => {
    const account = await createAccount();
    const { page, key } = await createKeyed(account);
    expect(await ping(`${key}/db-dump?create=0`)).toEqual([404, "not found"]);
    const answers = await Promise.all([1, 2, 3].map(() => ping(`${key}/db-dump/start?create=1`)));
    expect(answers.map(([status]) => status).sort()).toEqual([200, 200, 201]);
    expect(await ping(`${key}/db-dump?create=1`)).toEqual([200, "OK"]);
    const made = await monitorsOf(account, page.id);
    expect(made).toMatchObject([
      {
        name: "db-dump",
        type: "heartbeat",
        external_key: "db-dump",
        expected_interval: 86_400,
        grace_seconds: 3600,
        status: "up",
      },
    ]);
    expect(await ping(`${key}/DB-dump?create=1`)).toEqual([400, "invalid url format"]);
  });

  it("reaches no monitor of another page and none of another kind", async () => {
    const account = await createAccount();
    const { page, key } = await createKeyed(account);
    await createHeartbeat(account, { external_key: "elsewhere" });
    await account.client.post(`${V1}/monitors`, {
      name: "Shop",
      type: "http",
      target: "http://sink.test/",
      status_page_id: page.id,
      external_key: "shop",
    });
    expect(await ping(`${key}/elsewhere`)).toEqual([404, "not found"]);
    expect(await ping(`${key}/elsewhere?create=1`)).toEqual([409, "external_key is taken by another monitor"]);
    expect(await ping(`${key}/shop?create=1`)).toEqual([404, "not found"]);
  });

  it("may be that of another tool, belongs to one page, and ends when it is replaced or removed", async () => {
    const account = await createAccount();
    const { page, key } = await createKeyed(account);
    const other = await createKeyed(await createAccount());
    await createHeartbeat(account, { status_page_id: page.id, external_key: "job" });
    const set = (value: unknown) => account.client.put(`${V1}/status-pages/${page.id}/ping-key`, { key: value });
    expect((await set(other.key)).status).toBe(409);
    expect((await set("too-short")).status).toBe(400);
    expect(await ping(`${key}/job`)).toEqual([200, "OK"]);
    expect((await set("fqOOd6-F4MMNuCEnzTU01w")).body).toMatchObject({ key: "fqOOd6-F4MMNuCEnzTU01w" });
    expect([(await ping(`${key}/job`))[0], (await ping("fqOOd6-F4MMNuCEnzTU01w/job"))[0]]).toEqual([404, 200]);
    expect((await set(null)).body).toEqual({ status_page_id: page.id, key: null, ping_url: null });
    expect((await ping("fqOOd6-F4MMNuCEnzTU01w/job"))[0]).toBe(404);
  });

  it("creates by the present rights of the person who made it, and takes heartbeats regardless", async () => {
    const owner = await createAccount();
    const { id, member } = await createMember(owner);
    const { body } = await member.client.put(`${V1}/status-pages/${id}/ping-key`, {});
    expect(await ping(`${body.key}/first?create=1`)).toEqual([201, "Created"]);
    await openDb(env.DB).update(users).set({ deactivated_at: 1 }).where(eq(users.id, member.user_id));
    expect(await ping(`${body.key}/first`)).toEqual([200, "OK"]);
    expect((await ping(`${body.key}/second?create=1`))[0]).toBe(403);
    expect(await monitorsOf(owner, id)).toHaveLength(1);
  });

  it("creates no more than the owner's plan includes", async () => {
    const account = await createAccount({ plan: "free" });
    const { page, key } = await createKeyed(account);
    let made = 0;
    while ((await ping(`${key}/job-${made}?create=1`))[0] === 201) made++;
    expect(await ping(`${key}/job-${made}?create=1`)).toEqual([
      403,
      expect.stringContaining("the free plan includes at most"),
    ]);
    expect(await monitorsOf(account, page.id)).toHaveLength(made);
  });

  it("creates so many an hour, so that who comes upon it fills no account at once", async () => {
    const { key } = await createKeyed(await createAccount());
    const hourly = createVisitor({ RATE_LIMITS: "all=off,push_alias=2" });
    const statuses: number[] = [];
    for (let n = 0; n < 3; n++) statuses.push((await hourly(`/ping/${key}/job-${n}?create=1`)).status);
    expect(statuses).toEqual([201, 201, 429]);
  });

  it("is not found by guessing: wrong ones are counted by address", async () => {
    const guess = createVisitor({ RATE_LIMITS: "all=off,bad_credential=2" });
    const statuses: number[] = [];
    for (let n = 0; n < 4; n++) statuses.push((await guess(`/ping/a-guess-of-a-key-${n}/job`)).status);
    expect(statuses).toEqual([404, 404, 429, 429]);
  });

  it("is made, replaced and removed in the dashboard, which shows it once, in lines to paste", async () => {
    const account = await createAccount();
    const browser = await browserOf(account);
    const { id } = await createPage(account);
    const path = `/app/pages/${id}/ping-key`;
    expect((await browser.open(`/app/pages/${id}/services`)).text).toContain(`href="${path}"`);
    expect((await browser.open(path)).text).not.toContain("Remove the key");
    const made = await browser.submit(path, [["key", ""]]);
    const [, key = ""] = /\/ping\/([\w-]+)\/nightly-backup\?create=1/.exec(made.text) ?? [];
    expect(await ping(`${key}/nightly-backup?create=1`)).toEqual([201, "Created"]);
    expect((await browser.open(path)).text).not.toContain(key);
    await browser.submit(path, [["key", "0123456789abcdefghijkl"]]);
    expect((await ping(`${key}/nightly-backup`))[0]).toBe(404);
    expect((await ping("0123456789abcdefghijkl/nightly-backup"))[0]).toBe(200);
    expect((await browser.submit(path, [["key", "short"]])).text).toContain("16 to 100 letters");
    await browser.submit(`${path}/remove`, []);
    expect((await ping("0123456789abcdefghijkl/nightly-backup"))[0]).toBe(404);
  });
});
