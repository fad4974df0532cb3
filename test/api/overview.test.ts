import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { auditLog } from "../../src/data/audit/table.ts";
import { openDb } from "../../src/data/db.ts";
import { newId } from "../../src/platform/ids.ts";
import { CORE, V1 } from "../support/client.ts";
import { browserOf } from "../support/dashboard-crawl.ts";
import { createAccount, createPage } from "../support/factories.ts";
import { insertNotice, joinPage } from "../support/members.ts";
import { insertMonitor } from "../support/monitors.ts";
import { insertIncident } from "../support/pages.ts";

const db = openDb(env.DB);

describe("GET /overview", () => {
  it("counts and names what is wrong with what somebody sees, and nothing else", async () => {
    const [account, other] = [await createAccount(), await createAccount()];
    const [own, shared, hidden] = [await createPage(account), await createPage(other), await createPage(other)];
    await joinPage(account, shared, { role: "viewer" });
    const since = Date.now() - 60_000;
    const add = (owner: typeof account, fields: object) =>
      insertMonitor(owner.user_id, { status_since: since, ...fields });
    await add(account, { name: "fine", status: "up" });
    const slow = await add(account, { name: "slow", status: "degraded" });
    const down = await add(other, { name: "down", status: "down", status_page_id: shared });
    const longer = await add(account, { name: "down longer", status: "down", status_since: since - 1 });
    await add(other, { name: "hidden", status: "down", status_page_id: hidden });
    await insertIncident({ owner_id: account.user_id, status_page_id: own, title: "Ours" });
    await insertIncident({ owner_id: account.user_id, status_page_id: own, status: "resolved", resolved_at: since });
    await insertIncident({ owner_id: other.user_id, status_page_id: hidden, title: "Theirs" });
    await insertNotice(account.user_id);

    const answer = await account.client.get(`${CORE}/overview`);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      monitors: { total: 4, by_status: { up: 1, degraded: 1, down: 2, unknown: 0, pending: 0, paused: 0 } },
      status_pages: { owned: 1, shared: 1 },
      incidents: { open: 1 },
      open_incidents: [{ title: "Ours" }],
      unread_notifications: 1,
    });
    const worst = answer.body.worst_monitors.map(({ id }: { id: string }) => id);
    expect(worst).toEqual([longer.id, down.id, slow.id]);
    expect((await account.client.get(`${V1}/overview`)).body).toEqual(answer.body);
  });
});

describe("the uptime on the overview", () => {
  beforeAll(() => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2031-01-01T10:07:00Z") });
    return () => vi.useRealTimers();
  });

  it.each([
    [20, /Uptime, 30 days<\/dt><dd class="figure">–<\/dd><\/div>/, /class="is-up" x="94"/],
    [120, /Uptime, 30 days<\/dt><dd class="figure">100%<\/dd><dd class="quiet">since <time/, /class="is-up" x="87"/],
    [60 * 24 * 40, /Uptime, 30 days<\/dt><dd class="figure">100%<\/dd><\/div>/, /class="is-up" x="0"/],
  ])("and its strip say of %i minutes what they cover", async (minutes, figure, drawn) => {
    const account = await createAccount();
    const created_at = Date.now() - minutes * 60_000;
    await insertMonitor(account.user_id, { created_at, status: "up", status_since: created_at });
    const { text } = await (await browserOf(account)).open("/app");
    expect([text.match(figure), text.match(drawn)]).not.toContain(null);
  });
});

describe("notifications", () => {
  it("are read and unread by the person they are for", async () => {
    const [account, other] = [await createAccount(), await createAccount()];
    const id = await insertNotice(account.user_id);
    const at = `${CORE}/notifications/${id}`;
    expect((await account.client.get(`${CORE}/notifications`)).body).toMatchObject([
      { id, is_read: false, read_at: null },
    ]);
    const read = await account.client.patch(at, { is_read: true });
    expect(read).toMatchObject({ status: 200, body: { id, is_read: true, read_at: expect.any(String) } });
    expect((await account.client.patch(at, { is_read: true })).body.read_at).toBe(read.body.read_at);
    expect((await account.client.patch(at, { is_read: false })).body).toMatchObject({ is_read: false, read_at: null });
    expect((await other.client.patch(at, { is_read: true })).status).toBe(404);
    expect((await account.client.patch(`${CORE}/notifications/${newId()}`, { is_read: true })).status).toBe(404);
    expect((await other.client.get(`${CORE}/notifications`)).body).toEqual([]);
    const log = await db.select().from(auditLog).where(eq(auditLog.target_id, id));
    expect(log).toHaveLength(3);
  });
});
