import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { jobScope } from "../../src/access/scope.ts";
import { auditLog } from "../../src/data/audit/table.ts";
import { openDb } from "../../src/data/db.ts";
import { events } from "../../src/data/events/table.ts";
import { storedTexts } from "../../src/data/stored-texts/table.ts";
import { sweepCursors } from "../../src/data/sweep-cursors/table.ts";
import { newId } from "../../src/platform/ids.ts";
import { settingsOf } from "../../src/platform/settings.ts";
import { sweepPastBudgets } from "../../src/sweeps/past-budgets.ts";
import { CORE, createClientUnder, V1 } from "../support/client.ts";
import { type Account, createAccount, createPage } from "../support/factories.ts";
import { insertMonitor } from "../support/monitors.ts";
import { freshSlug } from "../support/pages.ts";

const db = openDb(env.DB);
const OFF = "all=off";

async function limited(rateLimits: string, plan: "free" | "self_hosted" = "free") {
  const account = await createAccount({ plan });
  const page = await createPage(account);
  return { account, page, client: createClientUnder({ RATE_LIMITS: rateLimits }, account.token) };
}

describe("rows that people write", () => {
  it("end with the budget of the hour, while what protects or takes away goes on", async () => {
    const { client, page } = await limited(`${OFF},written_rows=40`);
    const incident = await client.post(`${V1}/incidents`, { title: "Down", status_page_id: page });
    const token = await client.post(`${CORE}/user/api-tokens`, { name: "CI" });
    expect([incident.status, token.status]).toEqual([201, 201]);
    const path = `${V1}/status-pages/${page}`;
    const statuses: number[] = [];
    for (let n = 0; n < 12; n++) statuses.push((await client.put(path, { name: `Page ${n}` })).status);
    expect(statuses.at(-1)).toBe(429);
    const refused = await client.put(path, { name: "Once more" });
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await client.get(path)).body.name).not.toBe("Once more");
    expect((await client.post(`${V1}/incidents/${incident.body.id}/acknowledge`, {})).status).toBe(200);
    expect((await client.delete(`${CORE}/user/api-tokens/${token.body.id}`)).status).toBe(204);
    expect((await client.delete(`${V1}/incidents/${incident.body.id}`)).status).toBe(204);
  });

  it("are counted as they are written, also by one statement for many things", async () => {
    const { account, client } = await limited(`${OFF},written_rows=1000000`);
    const ids: string[] = [];
    for (let n = 0; n < 60; n++) ids.push((await insertMonitor(account.user_id, {})).id);
    const used = async () => (await client.get(`${CORE}/uptime/tier-info`)).body.usage.written_rows;
    const before = await used();
    const changes = { tags: ["checkout"] };
    const answer = await client.post(`${V1}/monitors/bulk`, { ids, action: "update", changes });
    expect(answer.body).toMatchObject({ updated: 60 });
    expect((await used()) - before).toBeGreaterThanOrEqual(60);
  });

  it("are no stranger's to use up", async () => {
    const { account } = await limited(OFF);
    await db.insert(storedTexts).values({ owner_id: account.user_id, bytes: 0 });
    const stranger = createClientUnder({ RATE_LIMITS: OFF });
    const slug = freshSlug();
    await createPage(account, { slug });
    const reader = { channel: "email", endpoint: `reader-${newId()}@example.com` };
    expect((await stranger.post(`/status/${slug}/subscribers`, reader)).status).toBe(202);
    const [row] = await db.select().from(storedTexts).where(eq(storedTexts.owner_id, account.user_id));
    expect(row).toMatchObject({ written_rows: 0, agent_rows: 0 });
    expect(row?.audit_bytes).toBeGreaterThan(0);
  });

  it("are not counted where the plan has no limits", async () => {
    const { account, client, page } = await limited("", "self_hosted");
    expect((await client.put(`${V1}/status-pages/${page}`, { name: "Page" })).status).toBe(200);
    expect(await db.select().from(storedTexts).where(eq(storedTexts.owner_id, account.user_id))).toEqual([]);
  });
});

describe("the audit log of an account", () => {
  const settings = settingsOf({ ...env, RATE_LIMITS: `${OFF},audit_bytes=100000` });
  async function sweep(): Promise<void> {
    await db.delete(sweepCursors);
    await sweepPastBudgets({ ...jobScope(env, "test"), settings });
  }
  const entriesOf = ({ user_id }: Account) =>
    db.select().from(auditLog).where(eq(auditLog.owner_id, user_id)).orderBy(auditLog.created_at, auditLog.id);

  /** Entries of half a kilobyte, a second apart. */
  async function fillLog(account: Account, count: number, from: number): Promise<void> {
    await env.DB.prepare(
      `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?)
       INSERT INTO audit_log (id, owner_id, event_type, actor_type, actor_name, target_type, summary, created_at)
       SELECT ? || '-' || i, ?, 'page.updated', 'user', 'x', 'page', ?, ? + 1000 * i FROM n`,
    )
      .bind(count, newId(), account.user_id, "x".repeat(198), from)
      .run();
    await db
      .insert(storedTexts)
      .values({ owner_id: account.user_id, bytes: 0, audit_bytes: 500 * count })
      .onConflictDoUpdate({ target: storedTexts.owner_id, set: { audit_bytes: 500 * count } });
  }

  it("stays within the bytes of its plan: one entry says what became of the oldest", async () => {
    const account = await createAccount({ plan: "free" });
    const other = await createAccount({ plan: "free" });
    const before = (await entriesOf(account)).length;
    await fillLog(account, 400, 1_000_000);
    await fillLog(other, 100, 1_000_000);
    await sweep();
    const [first, ...rest] = await entriesOf(account);
    const removed = 400 + before - rest.length;
    expect(first).toMatchObject({
      event_type: "audit.summarized",
      actor_type: "system",
      summary: `removed the ${removed} oldest entries, because the audit log has the size that the plan includes`,
      data: { entries: removed, from: new Date(1_000_000).toISOString() },
    });
    expect(rest.length).toBeGreaterThan(150);
    expect(rest.length).toBeLessThan(200);
    expect((await entriesOf(other)).some(({ event_type }) => event_type === "audit.summarized")).toBe(false);

    await fillLog(account, 200, 500_000_000);
    await sweep();
    const summaries = (await entriesOf(account)).filter(({ event_type }) => event_type === "audit.summarized");
    expect(summaries).toHaveLength(1);
    const left = (await entriesOf(account)).length - 1;
    expect(summaries[0]?.data).toMatchObject({
      entries: 600 + before - left,
      from: new Date(1_000_000).toISOString(),
    });
  });

  it("is measured before anything goes, because what was deleted was counted, too", async () => {
    const account = await createAccount({ plan: "free" });
    await fillLog(account, 50, 1_000_000);
    await db.update(storedTexts).set({ audit_bytes: 999_999 }).where(eq(storedTexts.owner_id, account.user_id));
    const before = await entriesOf(account);
    await sweep();
    expect(await entriesOf(account)).toEqual(before);
    const [row] = await db.select().from(storedTexts).where(eq(storedTexts.owner_id, account.user_id));
    expect(row?.audit_bytes).toBeLessThan(50_000);
  });

  it("names what changed where the change itself is too long for a log", async () => {
    const { account, client, page } = await limited(OFF);
    const long = "x".repeat(200);
    const tags = Array.from({ length: 60 }, (_, n) => `${n}${long}`.slice(0, 50));
    for (let n = 0; n < 3; n++) await client.put(`${V1}/status-pages/${page}`, { description: `${n}${tags.join("")}` });
    for (const { data, summary } of await entriesOf(account)) {
      expect(JSON.stringify(data).length + summary.length).toBeLessThan(5_000);
    }
  });
});

describe("events with texts of people", () => {
  it("go, the oldest first, when they have more bytes than the plan's texts, and small ones stay", async () => {
    const account = await createAccount({ plan: "free" });
    const settings = settingsOf({ ...env, RATE_LIMITS: `${OFF},stored_text=50000` });
    const eventOf = (n: number, description: string) => ({
      id: newId(),
      owner_id: account.user_id,
      name: "custom",
      classification: "team_only" as const,
      data: { description },
      created_at: n,
      processed_at: n === 19 ? null : n,
    });
    const large = Array.from({ length: 20 }, (_, n) => eventOf(n, "x".repeat(5_000)));
    const small = eventOf(0, "small");
    for (const event of [...large, small]) await db.insert(events).values({ ...event, wake_at: 0 });
    await db.insert(storedTexts).values({ owner_id: account.user_id, bytes: 0, event_bytes: 100_000 });
    await db.delete(sweepCursors);
    await sweepPastBudgets({ ...jobScope(env, "test"), settings });
    const left = await db.select().from(events).where(eq(events.owner_id, account.user_id)).orderBy(events.created_at);
    expect(left.map(({ id }) => id)).toEqual([small.id, ...large.slice(12).map(({ id }) => id)]);
    const [row] = await db.select().from(storedTexts).where(eq(storedTexts.owner_id, account.user_id));
    expect(row?.event_bytes).toBeLessThan(50_000);
  });

  it("are counted with the request that brings them, and not when they are removed from what is stored", async () => {
    const { account, client, page } = await limited(`${OFF},stored_text=1000000`);
    const { id } = (await client.post(`${V1}/incidents`, { title: "Slow", status_page_id: page })).body;
    await client.put(`${V1}/incidents/${id}`, { description: "x".repeat(9_000) });
    await client.delete(`${V1}/incidents/${id}`);
    const [row] = await db.select().from(storedTexts).where(eq(storedTexts.owner_id, account.user_id));
    expect(row?.event_bytes).toBeGreaterThan(9_000);
  });
});
