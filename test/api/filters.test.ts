import { env, exports } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { openDb } from "../../src/data/db.ts";
import { findMonitor } from "../../src/data/monitors/read.ts";
import { proberObject } from "../../src/platform/prober-objects.ts";
import { CORE, V1 } from "../support/client.ts";
import { type Account, createAccount, createMonitor, createPage } from "../support/factories.ts";
import { insertMonitor } from "../support/monitors.ts";
import { insertIncident } from "../support/pages.ts";
import { createWebhook } from "../support/webhooks.ts";

const DAY = 86_400_000;
const iso = (at: number) => encodeURIComponent(new Date(at).toISOString());

/** The names of what a filtered list holds, sorted, after checking its total. */
async function namesIn({ client }: Account, path: string, query: string, name = "name"): Promise<string[]> {
  const answer = await client.get(`${V1}${path}?${query}`);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  expect(answer.headers.get("x-total-count")).toBe(String(answer.body.length));
  return answer.body.map((entry: Record<string, unknown>) => entry[name]).sort();
}

describe("GET /monitors", () => {
  it("narrows the list by every filter, several values being alternatives", async () => {
    const account = await createAccount();
    const now = Date.now();
    const status_page_id = await createPage(account);
    const group = await account.client.post(`${V1}/groups`, { name: "G", status_page_id });
    const add = (name: string, fields: object) => insertMonitor(account.user_id, { name, ...fields });
    const placed = { status_page_id, group_id: group.body.id };
    await add("Shop", { status: "up", tags: ["eu", "paid"], target: "https://shop.example/", external_key: "shop" });
    await add("Mail", { status: "down", type: "smtp", tags: ["eu"], target: "mx.example:25", ...placed });
    await add("Cert", { status: "degraded", type: "ssl", certificate_expires_at: now + 5 * DAY, external_key: "a,b" });
    await add("Name", { status: "up", type: "domain", domain_expires_at: now + 50 * DAY });
    const of = (query: string) => namesIn(account, "/monitors", query);

    expect(await of("status=down")).toEqual(["Mail"]);
    expect(await of("status=down,degraded")).toEqual(["Cert", "Mail"]);
    expect(await of("type=ssl,domain")).toEqual(["Cert", "Name"]);
    expect(await of("tag=paid")).toEqual(["Shop"]);
    expect(await of("tag=eu,other")).toEqual(["Mail", "Shop"]);
    expect(await of(`group_id=${group.body.id}`)).toEqual(["Mail"]);
    expect(await of("external_key=shop,none")).toEqual(["Shop"]);
    expect(await of("q=SHOP")).toEqual(["Shop"]);
    expect(await of("q=example")).toEqual(["Mail", "Shop"]);
    expect(await of(`certificate_expires_before=${iso(now + 6 * DAY)}`)).toEqual(["Cert"]);
    expect(await of(`certificate_expires_before=${iso(now + 4 * DAY)}`)).toEqual([]);
    expect(await of(`domain_expires_before=${iso(now + 60 * DAY)}`)).toEqual(["Name"]);
    expect(await of("status=up&tag=eu&q=shop")).toEqual(["Shop"]);
    expect(await namesIn(account, `/status-pages/${status_page_id}/monitors`, "status=down")).toEqual(["Mail"]);
    expect(await namesIn(account, `/status-pages/${status_page_id}/monitors`, "status=up")).toEqual([]);
  });

  it("keeps the filter in the link to the next page", async () => {
    const account = await createAccount();
    for (const name of ["A", "B", "C"]) await insertMonitor(account.user_id, { name, status: "down" });
    const { headers } = await account.client.get(`${V1}/monitors?status=down,up&limit=2`);
    const next = /<([^>]+)>; rel="next"/.exec(headers.get("link") ?? "")?.[1] ?? "";
    const rest = await account.client.get(next);
    expect(rest.body.map(({ name }: { name: string }) => name)).toEqual(["C"]);
    expect(rest.headers.get("link")).toMatch(/rel="prev"/);
  });

  it("refuses a group of somebody else among several", async () => {
    const [account, other] = [await createAccount(), await createAccount()];
    const group = async (of: Account) =>
      (await of.client.post(`${V1}/groups`, { name: "G", status_page_id: await createPage(of) })).body.id;
    const query = `group_id=${await group(account)},${await group(other)}`;
    expect(await account.client.get(`${V1}/monitors?${query}`)).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining("group_id") },
    });
  });
});

describe("GET /incidents", () => {
  it("narrows the list by every filter", async () => {
    const account = await createAccount();
    const now = Date.now();
    const status_page_id = await createPage(account);
    const monitor = await insertMonitor(account.user_id, { status_page_id });
    const placed = { owner_id: account.user_id, status_page_id };
    await insertIncident({ ...placed, title: "Old", status: "resolved", resolved_at: now, started_at: now - 9 * DAY });
    await insertIncident({ ...placed, title: "Slow", severity: "critical", started_at: now - DAY, tags: ["db"] });
    await insertIncident({ ...placed, title: "Auto", status: "monitoring", started_at: now, origin_outage_id: "o" });
    const made = { status_page_id, title: "Made", severity: "major", monitor_ids: [monitor.id] };
    expect(await account.client.post(`${V1}/incidents`, made)).toMatchObject({ status: 201 });
    const of = (query: string) => namesIn(account, "/incidents", query, "title");

    expect(await of("status=resolved,monitoring")).toEqual(["Auto", "Old"]);
    expect(await of("severity=critical")).toEqual(["Slow"]);
    expect(await of("tag=db")).toEqual(["Slow"]);
    expect(await of(`monitor_id=${monitor.id}`)).toEqual(["Made"]);
    expect(await of("created_automatically=true")).toEqual(["Auto"]);
    expect(await of("created_automatically=false&q=s")).toEqual(["Slow"]);
    expect(await of(`from=${iso(now - 2 * DAY)}&to=${iso(now)}`)).toEqual(["Slow"]);
    expect(await of("q=OLD")).toEqual(["Old"]);
    expect(await namesIn(account, `/status-pages/${status_page_id}/incidents`, "status=resolved", "title")).toEqual([
      "Old",
    ]);
  });
});

describe("GET /webhooks and GET /agents", () => {
  it("narrow the list by what they hold", async () => {
    const account = await createAccount();
    const url = "https://sink.test/ops";
    await createWebhook(account, { name: "Generic", url });
    const slack = await createWebhook(account, { name: "Slack", url, provider: "slack" });
    await account.client.patch(`${V1}/webhooks/${slack.id}/toggle`);
    expect(await namesIn(account, "/webhooks", "provider=slack,generic")).toEqual(["Generic", "Slack"]);
    expect(await namesIn(account, "/webhooks", "provider=slack")).toEqual(["Slack"]);
    expect(await namesIn(account, "/webhooks", "is_active=true")).toEqual(["Generic"]);
    await account.client.post(`${V1}/agents`, { name: "Rack" });
    expect(await namesIn(account, "/agents", "status=offline,online")).toEqual(["Rack"]);
    expect(await namesIn(account, "/agents", "status=online")).toEqual([]);
  });
});

describe("GET /maintenance", () => {
  it("narrows the list by status and by when windows take place", async () => {
    const account = await createAccount();
    const status_page_id = await createPage(account);
    const at = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
    const plan = (title: string, start: number, end: number, more = {}) =>
      account.client.post(`${V1}/maintenance`, {
        status_page_id,
        title,
        start_time: at(start),
        end_time: at(end),
        ...more,
      });
    await plan("Over", -4, -3);
    await plan("Now", -1, 1);
    await plan("Soon", 2, 3);
    await plan("Daily", -47, -46, { recurrence_type: "daily" });
    const of = async (query: string) => {
      const { body } = await account.client.get(`${V1}/maintenance?${query}`);
      return body.map(({ title }: { title: string }) => title).sort();
    };
    expect(await of("status=completed")).toEqual(["Over"]);
    expect(await of("status=in_progress")).toEqual(["Now"]);
    expect(await of("status=scheduled,completed")).toEqual(["Daily", "Over", "Soon"]);
    expect(await of(`from=${at(-2)}&to=${at(1.5)}`)).toEqual(["Daily", "Now"]);
    expect(await of(`from=${at(1.5)}`)).toEqual(["Soon"]);
    const onPage = await account.client.get(`${V1}/status-pages/${status_page_id}/maintenance?status=in_progress`);
    expect(onPage.body).toMatchObject([{ title: "Now", status: "in_progress" }]);
  });
});

describe("GET /webhooks/:id/deliveries", () => {
  it("narrows the list by state and event", async () => {
    vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response("ok"));
    const account = await createAccount();
    const { id } = await createWebhook(account);
    await account.client.post(`${V1}/webhooks/${id}/test`);
    const count = async (query: string) =>
      (await account.client.get(`${V1}/webhooks/${id}/deliveries?${query}`)).body.length;
    expect(await count("state=delivered")).toBe(1);
    expect(await count("state=failed,expired")).toBe(0);
    expect(await count("event=test_event,monitor.down&state=delivered,failed")).toBe(1);
    expect(await count("event=monitor.down")).toBe(0);
    for (const query of ["state=lost", "event=monitor.sideways"]) {
      expect((await account.client.get(`${V1}/webhooks/${id}/deliveries?${query}`)).status).toBe(400);
    }
  });
});

describe("several values of status_page_id", () => {
  it("list the monitors and agents of these pages", async () => {
    const account = await createAccount();
    const pages = [await createPage(account), await createPage(account), await createPage(account)];
    for (const [n, status_page_id] of pages.entries()) {
      await createMonitor(account.client, { name: `M${n}`, status_page_id });
      await account.client.post(`${V1}/agents`, { name: `A${n}`, status_page_id });
    }
    const query = `status_page_id=${pages[0]},${pages[2]}`;
    expect(await namesIn(account, "/monitors", query)).toEqual(["M0", "M2"]);
    expect(await namesIn(account, "/agents", query)).toEqual(["A0", "A2"]);
  });
});

async function readPart<Entry>(account: Account, path: string) {
  const headers = { authorization: `Bearer ${account.token}` };
  const response = await exports.default.fetch(`http://vigil.test${path}`, { headers });
  const next = /<([^>]+)>; rel="next"/.exec(response.headers.get("link") ?? "")?.[1];
  return { status: response.status, body: (await response.json()) as Entry[], next };
}

const COUNT = 10_150;
const START = Date.now() - 30 * 86_400_000;
const TIMES = Array.from({ length: COUNT }, (_, n) => START + (n >> 1) * 2_000);

/** Histories of one monitor, two entries at each instant. */
const HISTORIES: Record<string, (monitorId: string) => Promise<unknown>> = {
  outages: (id) =>
    env.DB.prepare(
      `INSERT INTO outages (id, monitor_id, seq, started_at, ended_at, cause, in_maintenance)
       SELECT format('00000000-0000-4000-8000-%012d', key), ?, key, value, value + 1, 'HTTP 503', 0 FROM json_each(?)`,
    )
      .bind(id, JSON.stringify(TIMES))
      .run(),
  events: (id) =>
    env.DB.prepare(
      `INSERT INTO transitions (monitor_id, seq, from_status, to_status, decided_at, effective_at, message)
       SELECT ?, key + 1, 'up', 'degraded', value, value, 'slow' FROM json_each(?)`,
    )
      .bind(id, JSON.stringify(TIMES))
      .run(),
  results: async (id) => {
    const shard = (await findMonitor(openDb(env.DB), id))?.shard_id ?? "";
    const check = { monitor_id: id, outcome: "success", latency_ms: 20, message: "HTTP 200" } as const;
    const instants = [...new Set(TIMES)].map((at) => at + 29 * 86_400_000);
    for (const region of ["default", "weur"]) {
      await proberObject(env, shard, region).add(
        instants.map((checked_at) => ({ ...check, checked_at })),
        [],
      );
    }
  },
};

describe("a list beyond what an offset reaches", () => {
  it.each(Object.keys(HISTORIES))("goes through all %s of a monitor, each once", async (list) => {
    const account = await createAccount();
    const { id } = await createMonitor(account.client, { regions: ["weur"] });
    await HISTORIES[list]?.(id);
    const entries: unknown[] = [];
    const path = `${V1}/monitors/${id}/${list}?limit=997`;
    let part = await readPart<unknown>(account, path);
    for (; part.next !== undefined; part = await readPart(account, part.next)) {
      expect(part).toMatchObject({ status: 200, body: { length: 997 } });
      entries.push(...part.body);
    }
    entries.push(...part.body);
    expect(new Set(entries.map((entry) => JSON.stringify(entry)))).toHaveLength(COUNT);
    expect(entries).toHaveLength(COUNT);
    for (const cursor of ["x", "e30", btoa('[1,"x"]'), btoa('[1,"1e9"]')]) {
      const { status } = await readPart(account, `${path}&cursor=${cursor}`);
      expect([200, 400]).toContain(status);
    }
    expect((await readPart(account, `${path}&cursor=x`)).status).toBe(400);
  });

  it("goes on by the cursor of its next link, each entry once, with additions meanwhile", async () => {
    const account = await createAccount();
    const { user_id } = account;
    const times = Array.from({ length: 10_150 }, (_, n) => ({
      id: `n-${String(n).padStart(6, "0")}`,
      at: 1_000 + (n >> 1),
    }));
    const insert = (rows: typeof times) =>
      env.DB.prepare(
        `INSERT INTO notifications (id, user_id, type, title, message, created_at, updated_at)
         SELECT value ->> 'id', ?, 'test', 'T', 'M', value ->> 'at', value ->> 'at' FROM json_each(?)`,
      )
        .bind(user_id, JSON.stringify(rows))
        .run();
    await insert(times);
    const read = (path: string) => readPart<{ created_at: string }>(account, path);
    const last = await read(`${CORE}/notifications?limit=60&offset=9990`);
    expect(last.next).toContain("cursor=");
    await insert([{ id: "newer", at: 900_000 }]);
    const rest = [];
    for (let next = last.next; next !== undefined; ) {
      const part = await read(next);
      rest.push(...part.body);
      next = part.next;
    }
    expect(rest).toHaveLength(100);
    const all = [...last.body, ...rest].map(({ created_at }) => created_at);
    expect(all).toEqual([...all].sort().reverse());
    expect(all.at(-1)).toBe(new Date(1_000).toISOString());
    expect((await read(`${CORE}/notifications?offset=10001`)).status).toBe(400);
    for (const cursor of ["", "x", "W10", "e30", "%F0%9F%98%80"]) {
      expect((await read(`${CORE}/notifications?cursor=${cursor}`)).status).toBe(400);
    }
  });
});

describe("a filter", () => {
  it.each([
    ["/maintenance", "status=planned"],
    ["/maintenance", "to=later"],
    ["/monitors", "status=sleeping"],
    ["/monitors", "status=up,"],
    ["/monitors", "type=http,fax"],
    ["/monitors", "group_id=all"],
    ["/monitors", "certificate_expires_before=soon"],
    ["/incidents", "status=closed"],
    ["/incidents", "severity=tiny"],
    ["/incidents", "created_automatically=maybe"],
    ["/incidents", "from=yesterday"],
    ["/webhooks", "provider=pigeon"],
    ["/webhooks", "is_active=1"],
    ["/agents", "status=away"],
  ])("of %s refuses what it does not know: %s", async (path, query) => {
    const { client } = await createAccount();
    expect(await client.get(`${V1}${path}?${query}`)).toMatchObject({ status: 400 });
  });
});
