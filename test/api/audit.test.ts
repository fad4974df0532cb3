import { env, exports } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import type { auditLog } from "../../src/data/audit/table.ts";
import { insertAudit } from "../../src/data/audit/write.ts";
import { openDb, runBatch } from "../../src/data/db.ts";
import { newId } from "../../src/platform/ids.ts";
import { CORE, V1 } from "../support/client.ts";
import { type Account, createAccount, createMonitor, createPage } from "../support/factories.ts";
import { createMember } from "../support/members.ts";

const DAY = 24 * 60 * 60 * 1000;
const LOGS = `${V1}/audit-logs`;

let owner: Account;
let outsider: Account;
beforeEach(async () => {
  [owner, outsider] = [await createAccount(), await createAccount()];
});

async function insertEntries(...entries: Partial<typeof auditLog.$inferInsert>[]) {
  const db = openDb(env.DB);
  const fallback = {
    owner_id: owner.user_id,
    event_type: "page.updated",
    actor_type: "user" as const,
    actor_id: owner.user_id,
    actor_name: "Ann",
    monitor_id: null,
    status_page_id: null,
    target_type: "status_page",
    target_id: null,
    summary: "changed a page",
    data: {},
    ip: null,
    created_at: Date.now(),
  };
  await runBatch(
    db,
    entries.map((entry) => insertAudit(db, { id: newId(), ...fallback, ...entry } as typeof auditLog.$inferSelect)),
  );
}

describe("GET /audit-logs", () => {
  it("says who did what to what, newest first, without secrets", async () => {
    const { body: token } = await owner.client.post(`${CORE}/user/api-tokens`, { name: "CI" });
    await owner.client.delete(`${CORE}/user/api-tokens/${token.id}`);
    const { body, headers } = await owner.client.get(LOGS);
    expect(body).toEqual([
      expect.objectContaining({ event_type: "token.revoked", target_id: token.id }),
      {
        id: expect.any(String),
        event_type: "token.created",
        actor: { type: "token", id: expect.any(String), name: `${owner.user_id}@example.com` },
        monitor_id: null,
        status_page_id: null,
        target_type: "token",
        target_id: token.id,
        summary: 'created API token "CI"',
        data: { token_prefix: token.token_prefix },
        ip: null,
        created_at: token.created_at,
      },
    ]);
    expect(headers.get("x-total-count")).toBe("2");
  });

  it("answers the same under /audit/logs", async () => {
    await insertEntries({});
    expect((await owner.client.get(`${V1}/audit/logs`)).body).toEqual((await owner.client.get(LOGS)).body);
  });

  it("without a filter is the caller's own account and nobody else's", async () => {
    await insertEntries({}, { owner_id: outsider.user_id });
    expect((await owner.client.get(LOGS)).body).toHaveLength(1);
  });

  it("keeps to a person and a period", async () => {
    const now = Date.now();
    await insertEntries(
      { actor_name: "ann@example.com", created_at: now - 3 * DAY, summary: "old" },
      { actor_name: "ann@example.com", created_at: now - DAY, summary: "new" },
      { actor_name: "bob@example.com", created_at: now - DAY, summary: "other" },
    );
    const listed = async (query: Record<string, string>) => {
      const { body, headers } = await owner.client.get(`${LOGS}?${new URLSearchParams(query)}`);
      expect(headers.get("x-total-count")).toBe(String(body.length));
      return body.map(({ summary }: { summary: string }) => summary).sort();
    };
    const [from, to] = [2 * DAY, DAY].map((ago) => new Date(now - ago).toISOString());
    expect(await listed({ actor: "ann@example.com" })).toEqual(["new", "old"]);
    expect(await listed({ from: from ?? "" })).toEqual(["new", "other"]);
    expect(await listed({ to: to ?? "" })).toEqual(["old"]);
    expect(await listed({ actor: "bob@example.com", from: from ?? "" })).toEqual(["other"]);
    expect((await owner.client.get(`${LOGS}?from=yesterday`)).status).toBe(400);
  });

  it("keeps to a monitor, a status page or an event type", async () => {
    const [page, { id: monitor }] = [await createPage(owner), await createMonitor(owner.client)];
    await insertEntries(
      { status_page_id: page, event_type: "page.updated" },
      { status_page_id: page, event_type: "page.deleted" },
      { monitor_id: monitor, event_type: "monitor.updated" },
    );
    const types = async (query: string) =>
      (await owner.client.get(`${LOGS}?${query}`)).body.map((entry: { event_type: string }) => entry.event_type).sort();
    expect(await types(`status_page_id=${page}`)).toEqual(["page.deleted", "page.updated"]);
    expect(await types(`monitor_id=${monitor}`)).toEqual(["monitor.created", "monitor.updated"]);
    expect(await types(`status_page_id=${page}&event_type=page.deleted`)).toEqual(["page.deleted"]);
    expect(await types("event_type=page.updated")).toEqual(["page.updated"]);
  });

  it.each(["monitor_id", "status_page_id"])("refuses a %s that the caller does not see", async (name) => {
    const id = name === "monitor_id" ? (await createMonitor(owner.client)).id : await createPage(owner);
    expect(await outsider.client.get(`${LOGS}?${name}=${id}`)).toMatchObject({
      status: 400,
      body: { error: `${name} does not exist or is not visible to you` },
    });
  });

  it("gives 50 entries unless asked for up to 500, and links to the next", async () => {
    await insertEntries(...Array.from({ length: 51 }, () => ({})));
    const first = await owner.client.get(LOGS);
    expect(first.body).toHaveLength(50);
    expect(first.headers.get("link")).toBe(`<${LOGS}?offset=50>; rel="next"`);
    expect((await owner.client.get(`${LOGS}?limit=500`)).body).toHaveLength(51);
    expect((await owner.client.get(`${LOGS}?limit=501`)).status).toBe(400);
    expect((await owner.client.get(`${LOGS}?offset=10001`)).status).toBe(400);
  });

  it("stops counting at 10,000", async () => {
    await env.DB.prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10005)
       INSERT INTO audit_log (id, owner_id, event_type, actor_type, actor_name, target_type, summary, created_at)
       SELECT ?1 || i, ?1, 'page.updated', 'system', 'system', 'status_page', 'x', i FROM n`,
    )
      .bind(outsider.user_id)
      .run();
    const { status, headers } = await outsider.client.request("HEAD", LOGS);
    expect([status, headers.get("x-total-count")]).toEqual([200, "10000"]);
  });
});

describe("GET /audit/stats", () => {
  it("counts events and actors of the last days", async () => {
    await insertEntries(
      {},
      {},
      { event_type: "page.created", actor_type: "system" },
      { created_at: Date.now() - 31 * DAY },
    );
    const { body } = await owner.client.get(`${V1}/audit/stats`);
    expect(body).toMatchObject({
      total: 3,
      by_event_type: [
        { event_type: "page.updated", count: 2 },
        { event_type: "page.created", count: 1 },
      ],
      by_actor_type: [
        { actor_type: "user", count: 2 },
        { actor_type: "system", count: 1 },
      ],
    });
    expect(Date.parse(body.to) - Date.parse(body.from)).toBe(30 * DAY);
    expect((await owner.client.get(`${V1}/audit/stats?days=60`)).body.total).toBe(4);
  });
});

describe("GET /audit/status-page/{id}/daily-events", () => {
  it("has a row for every day, also for one without an event", async () => {
    const page = await createPage(owner);
    const midnight = Math.floor(Date.now() / DAY) * DAY;
    await insertEntries(
      { status_page_id: page, created_at: midnight },
      { status_page_id: page, created_at: midnight - 1, event_type: "page.created" },
      { status_page_id: page, created_at: midnight - 1 },
      { status_page_id: page, created_at: midnight - 3 * DAY },
    );
    const { body } = await owner.client.get(`${V1}/audit/status-page/${page}/daily-events?days=3`);
    const date = (daysAgo: number) => new Date(midnight - daysAgo * DAY).toISOString().slice(0, 10);
    expect(body).toEqual([
      { date: date(2), total: 0, events: {} },
      { date: date(1), total: 2, events: { "page.created": 1, "page.updated": 1 } },
      { date: date(0), total: 1, events: { "page.updated": 1 } },
    ]);
    const path = `${V1}/audit/status-page/${page}/daily-events?days=3`;
    const part = await owner.client.get(`${path}&limit=1&offset=1`);
    expect(part.body).toEqual([body[1]]);
    expect(part.headers.get("x-total-count")).toBe("3");
    expect(part.headers.get("link")).toContain(`limit=1&offset=2>; rel="next"`);
  });

  it("is 404 for people who do not see the page", async () => {
    const page = await createPage(owner);
    expect((await outsider.client.get(`${V1}/audit/status-page/${page}/daily-events`)).status).toBe(404);
  });
});

describe("GET /audit/monitor/{id}/events", () => {
  it("is the timeline of one monitor", async () => {
    const { id } = await createMonitor(owner.client);
    await owner.client.put(`${V1}/monitors/${id}`, { name: "Store" });
    const { body } = await owner.client.get(`${V1}/audit/monitor/${id}/events`);
    expect(body.map((entry: { event_type: string }) => entry.event_type)).toEqual([
      "monitor.updated",
      "monitor.created",
    ]);
    expect((await outsider.client.get(`${V1}/audit/monitor/${id}/events`)).status).toBe(404);
  });
});

describe("GET /audit/export", () => {
  const EXPORT = `${V1}/audit/export`;
  const linesOf = (text: string) =>
    text
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line));

  it("gives a line for each entry as the list shows it, and as many as there are", async () => {
    const now = Date.now();
    const entries = Array.from({ length: 1203 }, (_, n) => ({
      created_at: now - Math.floor(n / 7),
      summary: `entry ${n}`,
    }));
    for (let n = 0; n < entries.length; n += 50) await insertEntries(...entries.slice(n, n + 50));
    const { body, headers } = await owner.client.get(EXPORT);
    expect(headers.get("content-type")).toBe("application/x-ndjson; charset=utf-8");
    const lines = linesOf(body);
    expect([lines.length, new Set(lines.map(({ id }) => id)).size]).toEqual([1203, 1203]);
    expect(lines.slice(0, 500)).toEqual((await owner.client.get(`${LOGS}?limit=500`)).body);
  });

  it("keeps to what the list is filtered by", async () => {
    const now = Date.now();
    await insertEntries(
      { event_type: "page.updated", created_at: now - DAY, summary: "wanted" },
      { event_type: "page.updated", created_at: now - 9 * DAY },
      { event_type: "page.created", created_at: now - DAY },
      { event_type: "page.updated", created_at: now - DAY, actor_name: "Bob" },
    );
    const from = new Date(now - 2 * DAY).toISOString();
    const { body } = await owner.client.get(`${EXPORT}?event_type=page.updated&actor=Ann&from=${from}`);
    expect(linesOf(body).map(({ summary }) => summary)).toEqual(["wanted"]);
  });

  it("is the caller's own account or what they see, and nobody else's", async () => {
    const page = await createPage(owner);
    await insertEntries({ status_page_id: page });
    expect((await outsider.client.get(EXPORT)).body).toBe("");
    expect((await outsider.client.get(`${EXPORT}?status_page_id=${page}`)).status).toBe(400);
    expect(linesOf((await owner.client.get(`${EXPORT}?status_page_id=${page}`)).body)).not.toEqual([]);
  });

  it("keeps addresses of other members for those who manage members", async () => {
    const page = await createPage(owner);
    const { member: viewer } = await createMember(owner, { role: "viewer" }, page);
    await insertEntries({ status_page_id: page, ip: "203.0.113.7" });
    const seenBy = async ({ client }: Account) =>
      linesOf((await client.get(`${EXPORT}?status_page_id=${page}`)).body).some(({ ip }) => ip === "203.0.113.7");
    expect([await seenBy(owner), await seenBy(viewer)]).toEqual([true, false]);
  });

  it("that runs shows nothing of what happens after it began", async () => {
    const rows = Array.from({ length: 600 }, (_, n) => ({ created_at: Date.now() - 1000 - n }));
    for (let n = 0; n < rows.length; n += 50) await insertEntries(...rows.slice(n, n + 50));
    const request = new Request(`http://vigil.test${EXPORT}`, { headers: { authorization: `Bearer ${owner.token}` } });
    const reader = (await exports.default.fetch(request)).body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = (await reader?.read())?.value ?? "";
    await insertEntries({ summary: "later" });
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) text += part.value;
    expect(linesOf(text)).toHaveLength(600);
    expect(text).not.toContain("later");
  });
});
