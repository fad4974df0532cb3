import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { openDb } from "../../src/data/db.ts";
import { checkGroups, statusIntervals } from "../../src/data/monitors/table.ts";
import { newMachineToken } from "../../src/platform/credentials.ts";
import { CORE, createClient } from "../support/client.ts";
import { type Account, createAccount, createPage } from "../support/factories.ts";
import { joinPage } from "../support/members.ts";
import { insertMonitor } from "../support/monitors.ts";

const db = openDb(env.DB);
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

async function newToken({ client }: Account): Promise<string> {
  const answer = await client.post(`${CORE}/user/metrics-token`);
  expect(answer).toMatchObject({ status: 201, body: { token: expect.stringMatching(/^mt_[0-9A-Za-z]{43}$/) } });
  return answer.body.token;
}

const scrape = (token: string) => createClient(token).get("/metrics");

/** The values of one metric by the id of the monitor, with the labels in full. */
function samplesOf(text: string, metric: string): Record<string, string> {
  const lines = text.split("\n").filter((line) => line.startsWith(`${metric}{`));
  return Object.fromEntries(
    lines.map((line) => [/monitor_id="([^"]+)"/.exec(line)?.[1], line.slice(line.lastIndexOf(" ") + 1)]),
  );
}

describe("POST /user/metrics-token", () => {
  it("replaces the credential that was there before, at once", async () => {
    const account = await createAccount();
    const [first, second] = [await newToken(account), await newToken(account)];
    expect(first).not.toBe(second);
    expect((await scrape(first)).status).toBe(401);
    expect((await scrape(second)).status).toBe(200);
  });

  it("is undone by DELETE, at once, whether there is a credential or not", async () => {
    const account = await createAccount();
    const token = await newToken(account);
    const other = await newToken(await createAccount());
    for (let n = 0; n < 2; n++) expect((await account.client.delete(`${CORE}/user/metrics-token`)).status).toBe(204);
    expect([(await scrape(token)).status, (await scrape(other)).status]).toEqual([401, 200]);
  });

  it("makes a credential that opens nothing else", async () => {
    const account = await createAccount();
    const token = await newToken(account);
    expect((await createClient(token).get(`${CORE}/overview`)).status).toBe(401);
    expect((await scrape(account.token)).status).toBe(401);
    expect((await scrape(newMachineToken("metrics"))).status).toBe(401);
  });
});

describe("GET /metrics", () => {
  it("gives status, latency, uptime and certificate of what its user sees, in the text format", async () => {
    const [account, other] = [await createAccount(), await createAccount()];
    const [shared, hidden] = [await createPage(other), await createPage(other)];
    await joinPage(account, shared, { role: "viewer" });
    const now = Date.now();
    const created_at = now - 2 * DAY;
    const add = (owner: Account, fields: object) => insertMonitor(owner.user_id, { created_at, ...fields });
    const up = await add(account, { name: 'Shop "A"\\', status: "up" });
    const cert = await add(account, { type: "ssl", status: "degraded", certificate_expires_at: now + 9.5 * DAY });
    const down = await add(other, { status: "down", status_page_id: shared });
    await add(other, { status: "up", status_page_id: hidden });
    const interval = { monitor_id: up.id, status: "up" as const };
    await db.insert(statusIntervals).values([
      { ...interval, seq: 1, from_at: now - 30 * HOUR, to_at: now - 6 * HOUR },
      { ...interval, seq: 2, status: "down", from_at: now - 6 * HOUR, to_at: now - 3 * HOUR },
      { ...interval, seq: 3, from_at: now - 3 * HOUR, to_at: null },
    ]);
    await db
      .update(checkGroups)
      .set({ latest: [[up.id, now, 123, "HTTP 200", "default", "success", now]] })
      .where(eq(checkGroups.id, up.check_group_id));

    const answer = await scrape(await newToken(account));
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toMatch(/^text\/plain; version=0\.0\.4/);
    const text: string = answer.body;
    expect(samplesOf(text, "monitor_status")).toEqual({ [up.id]: "1", [cert.id]: "3", [down.id]: "0" });
    expect(samplesOf(text, "monitor_response_time")).toEqual({ [up.id]: "123" });
    expect(Number(samplesOf(text, "monitor_uptime_ratio")[up.id])).toBeCloseTo(21 / 24, 3);
    expect(samplesOf(text, "monitor_uptime_ratio")).not.toHaveProperty(cert.id);
    expect(samplesOf(text, "monitor_cert_days_remaining")).toEqual({ [cert.id]: "9" });
    expect(text).toContain(
      `monitor_status{monitor_id="${up.id}",monitor_name="Shop \\"A\\"\\\\",monitor_type="http"} 1\n`,
    );
    expect(text.match(/^# TYPE \w+ gauge$/gm)).toHaveLength(4);
  });

  it("names every metric with its type for somebody without monitors, and for whom no certificate is known", async () => {
    const account = await createAccount();
    const types = ["status", "response_time", "uptime_ratio", "cert_days_remaining"].map(
      (name) => `# TYPE monitor_${name} gauge`,
    );
    const typesOf = async (token: string) => ((await scrape(token)).body as string).match(/^# TYPE .*$/gm);
    const token = await newToken(account);
    expect(await typesOf(token)).toEqual(types);
    await insertMonitor(account.user_id, { status: "up" });
    expect(await typesOf(token)).toEqual(types);
  });
});
