import { existsSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { FIRST_OWNER, issueToken } from "../../scripts/local/accounts.ts";
import { runNpm, type Service, START_TIMEOUT_MS, startService, temporaryDir } from "./support.ts";

interface Body {
  [member: string]: unknown;
}

async function countOf({ execute }: Service, from: string): Promise<number> {
  const [rows = []] = await execute([{ sql: `SELECT count(*) AS n FROM ${from}`, params: [] }]);
  return Number(rows[0]?.n);
}

describe("npm start -- --demo", () => {
  let service: Service;
  let token: string;
  /** An SMTP server that nobody may reach: what is sent there fails the mail. */
  const env = { SMTP_URL: "smtp://127.0.0.1:9", MAIL_FROM: "vigil@northwind.example" };
  const read = async <Answer = Body>(path: string, credential = token): Promise<Answer> => {
    const address = service.url + (path.startsWith("/api") ? path : `/api/uptime/v1${path}`);
    const response = await fetch(address, { headers: { authorization: `Bearer ${credential}` } });
    expect(response.status, path).toBe(200);
    return (await response.json()) as Answer;
  };
  beforeAll(async () => {
    service = await startService({ args: ["--demo"], env });
    token = await issueToken(service.execute, { email: FIRST_OWNER });
  }, START_TIMEOUT_MS);

  it("shows the first account sixty monitors of many types on three pages, with something wrong", async () => {
    const monitors = await read<Body[]>("/monitors?limit=100");
    const counted = Object.entries(Object.groupBy(monitors, ({ status }) => String(status)));
    expect(monitors).toHaveLength(60);
    expect(new Set(monitors.map(({ type }) => type)).size).toBeGreaterThan(18);
    expect(Object.fromEntries(counted.map(([status, list = []]) => [status, list.length]))).toEqual({
      up: 58,
      down: 1,
      degraded: 1,
    });
    expect(await read<Body[]>("/status-pages")).toHaveLength(3);
  });

  it("shows visitors that it is one, with an incident and ninety days", async () => {
    const page = await (await fetch(`${service.url}/status/northwind`)).text();
    expect(page).toContain("This is a demonstration");
    expect(page).toContain("Parcel tracking is not available");
    expect(page).toMatch(/in 90 days/);
    expect((await fetch(`${service.url}/status/northwind-internal`)).status).toBe(401);
  });

  it("has a past in reports, latencies and incidents", async () => {
    const [shop] = (await read<Body[]>("/status-pages")).filter(({ slug }) => slug === "northwind");
    const report = await read<{ monitors: Body[] }>(`/status-pages/${shop?.id}/sla?period=90d`);
    const checkout = report.monitors.find(({ name }) => name === "Checkout");
    expect(Number(checkout?.uptime_percentage)).toBeGreaterThan(99.8);
    expect(Number(checkout?.uptime_percentage)).toBeLessThan(100);
    const latency = await read<{ series: Body[] }>(`/monitors/${checkout?.monitor_id}/latency?period=90d`);
    expect(JSON.stringify(latency).length).toBeGreaterThan(5_000);
    const incidents = await read<Body[]>("/incidents?limit=100");
    expect(incidents.filter(({ status }) => status === "resolved").length).toBeGreaterThan(20);
  });

  it("is the same when it is started again, and neither grows nor sends anything", async () => {
    const tables = ["monitors", "status_pages", "incidents", "users", "outages"];
    const before = await Promise.all(tables.map((table) => countOf(service, table)));
    await service.stop();
    service = await startService({ args: ["--demo"], env: { ...env, STATE_DIR: service.stateDir } });
    expect(await Promise.all(tables.map((table) => countOf(service, table)))).toEqual(before);
    expect(service.logs()).toContain("SMTP_URL is not used while the demonstration is here");
    expect(await countOf(service, "mail_outbox WHERE error IS NOT NULL")).toBe(0);
    expect(await countOf(service, "webhooks WHERE is_active = 1")).toBe(0);
  });

  it("is removed by one command while it runs, and leaves the account and what is its own", async () => {
    const own = { name: "My own", type: "heartbeat", expected_interval: 3600 };
    const made = await fetch(`${service.url}/api/uptime/v1/monitors`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify(own),
    });
    expect(made.status).toBe(201);
    const removal = await runNpm(["start", "--", "--demo", "remove"], { env: { STATE_DIR: service.stateDir } });
    expect(removal).toMatchObject({ code: 0, stdout: expect.stringContaining("the demonstration was removed") });
    expect(await read<Body[]>("/monitors")).toMatchObject([{ name: "My own" }]);
    expect((await fetch(`${service.url}/status/northwind`)).status).toBe(404);
    const tables = ["status_pages", "incidents", "outages", "agents", "subscribers", "escalations", "page_members"];
    const left = await Promise.all(tables.map(async (table) => [table, await countOf(service, table)]));
    expect(left).toEqual(tables.map((table) => [table, 0]));
    expect(await countOf(service, "users")).toBe(1);
    await expect.poll(() => existsSync(join(service.stateDir, "demonstration.json")), { timeout: 60_000 }).toBe(false);
  });

  it("refuses an installation that has data of its own", async () => {
    await service.stop();
    const refused = await runNpm(["start", "--", "--demo"], { env: { STATE_DIR: service.stateDir, PORT: "0" } });
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("has data of its own") });
    expect(existsSync(join(service.stateDir, "demonstration.json"))).toBe(false);
  });

  it("says how it is used where it does not understand", async () => {
    const env = { STATE_DIR: temporaryDir() };
    const wrong = await runNpm(["start", "--", "--demo", "tidy"], { env });
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining("usage: npm start") });
  });
});
