import { env, exports } from "cloudflare:workers";
import { Buffer } from "node:buffer";
import { eq } from "drizzle-orm";
import { describe, expect, it, vi } from "vitest";
import { openDb } from "../../src/data/db.ts";
import { monitors } from "../../src/data/monitors/table.ts";
import { V1 } from "../support/client.ts";
import { createAccount } from "../support/factories.ts";
import { insertMonitor, insertPage } from "../support/monitors.ts";
import { useVirtualClock } from "../support/on-call.ts";
import { insertIntervals } from "../support/pages.ts";

/** The numbers of reports while their month goes on and after it, regardless of changes meanwhile. */

const db = openDb(env.DB);
const clock = useVirtualClock("2026-11-01T03:00:00Z");
const at = (text: string) => Date.parse(text);
const CLOSED = "from=2026-10-01T00:00:00Z&to=2026-11-01T00:00:00Z";

/** A page whose only monitor is 268 s down in the first hours of November, and was two hours in October. */
async function createStage() {
  const account = await createAccount();
  const status_page_id = await insertPage(account.user_id);
  const created_at = at("2026-10-01T00:00:00Z");
  const monitor = await insertMonitor(account.user_id, { status_page_id, created_at, status: "up", name: "Shop" });
  await insertIntervals(monitor.id, [
    [created_at, "up"],
    [at("2026-10-10T10:00:00Z"), "down"],
    [at("2026-10-10T12:00:00Z"), "up"],
    [at("2026-11-01T01:00:00Z"), "down"],
    [at("2026-11-01T01:04:28Z"), "up"],
  ]);
  const { client } = account;
  const path = `${V1}/status-pages/${status_page_id}`;
  const read = async (query: string) => (await client.get(`${path}/sla?${query}`)).body;
  return { account, client, status_page_id, path, read, monitor_id: monitor.id };
}

describe("the error budget of a month that goes on", () => {
  it("is that of the whole month, so that the first hours overdraw nothing", async () => {
    const { read, monitor_id } = await createStage();
    const { overall, monitors: listed, period } = await read("period=month");
    const figures = {
      downtime_seconds: 268,
      outages: 1,
      error_budget_seconds: 2592,
      error_budget_remaining_seconds: 2592 - 268,
      meets_target: true,
    };
    expect(overall).toMatchObject(figures);
    expect(listed).toMatchObject([{ monitor_id, name: "Shop", ...figures }]);
    expect(period).toEqual({ from: "2026-11-01T00:00:00.000Z", to: "2026-11-01T03:00:00.000Z" });
  });

  it("begins with the monitor's creation, and is overdrawn by more than it holds", async () => {
    const { account, status_page_id, read } = await createStage();
    const created_at = at("2026-11-01T02:00:00Z");
    const young = await insertMonitor(account.user_id, { status_page_id, created_at, status: "down" });
    await insertIntervals(young.id, [[created_at, "down"]]);
    const { monitors: listed } = await read("period=month");
    const month = 30 * 86_400;
    expect(listed.find(({ monitor_id }: { monitor_id: string }) => monitor_id === young.id)).toMatchObject({
      downtime_seconds: 3600,
      error_budget_seconds: Math.round((month - 7200) / 1000),
      meets_target: false,
    });
  });
});

describe("a report", () => {
  it("lists no hidden members of composites", async () => {
    const { account, status_page_id, read, monitor_id } = await createStage();
    const created_at = at("2026-10-01T00:00:00Z");
    const type = "composite" as const;
    const parent = await insertMonitor(account.user_id, { status_page_id, created_at, type, name: "All" });
    await db.update(monitors).set({ parent_monitor_id: parent.id }).where(eq(monitors.id, monitor_id));
    expect((await read(CLOSED)).monitors.map(({ name }: { name: string }) => name)).toEqual(["All"]);
  });

  it("counts a monitor's time for the page that it was on at that time", async () => {
    const { account, client, path, read, monitor_id } = await createStage();
    const target = await insertPage(account.user_id);
    clock.now = at("2026-11-01T01:02:00Z");
    await clock.pass(0);
    await client.post(`${path}/monitors/migrate`, { monitor_ids: [monitor_id], target_status_page_id: target });
    clock.now = at("2026-11-01T03:00:00Z");
    await clock.pass(0);
    const there = (await client.get(`${V1}/status-pages/${target}/sla?period=month`)).body;
    expect([(await read("period=month")).overall, there.overall]).toMatchObject([
      { downtime_seconds: 120, outages: 1 },
      { downtime_seconds: 148, outages: 1 },
    ]);
    expect((await client.get(`${V1}/status-pages/${target}/sla?${CLOSED}`)).body.monitors).toEqual([]);
  });

  /** As a request at this time gives it, byte by byte. */
  async function readPdf({ account, path }: Stage, now: number): Promise<string> {
    vi.setSystemTime(now);
    const response = await exports.default.fetch(`http://vigil.test${path}/sla/export?format=pdf&${CLOSED}`, {
      headers: { authorization: `Bearer ${account.token}` },
    });
    const bytes = new Uint8Array(await response.arrayBuffer());
    vi.setSystemTime(clock.now);
    expect(new TextDecoder("latin1").decode(bytes.subarray(0, 8))).toBe("%PDF-1.7");
    return Buffer.from(bytes).toString("hex");
  }

  type Stage = Awaited<ReturnType<typeof createStage>>;
  const setTarget = ({ client, path, monitor_id }: Stage, target_percentage: number) =>
    client.put(`${path}/sla-targets`, { targets: [{ monitor_id, target_percentage }] });

  it.each<[string, (stage: Stage) => Promise<{ status: number }>]>([
    ["renamed", ({ client, monitor_id }) => client.put(`${V1}/monitors/${monitor_id}`, { name: "Other" })],
    ["deleted", ({ client, monitor_id }) => client.delete(`${V1}/monitors/${monitor_id}`)],
    [
      "moved to another page",
      async ({ account, client, path, monitor_id }) => {
        const target_status_page_id = await insertPage(account.user_id);
        return client.post(`${path}/monitors/migrate`, { monitor_ids: [monitor_id], target_status_page_id });
      },
    ],
    [
      "moved and then deleted",
      async ({ account, client, monitor_id }) => {
        const status_page_id = await insertPage(account.user_id);
        await client.put(`${V1}/monitors/${monitor_id}`, { status_page_id });
        return client.delete(`${V1}/monitors/${monitor_id}`);
      },
    ],
    ["given another target", (stage) => setTarget(stage, 50)],
    [
      "joined by another one",
      ({ client, status_page_id }) =>
        client.post(`${V1}/monitors`, { name: "B", type: "heartbeat", interval: 300, status_page_id }),
    ],
    [
      "measured by another policy",
      async ({ client, path }) => {
        const rules = { name: "Lax", target_percentage: 50, exclude_maintenance: false };
        const { body } = await client.post(`${V1}/sla-policies`, rules);
        return client.put(`${path}/sla-policy`, { policy_id: body.id });
      },
    ],
  ])("of a month that is over stays the same to the byte when the monitor is %s", async (_name, act) => {
    const stage = await createStage();
    const { client, path, status_page_id, monitor_id } = stage;
    const times = { start_time: "2026-10-10T11:00:00Z", end_time: "2026-10-10T12:00:00Z" };
    const targets = [{ target_type: "monitor", target_id: monitor_id }];
    await client.post(`${V1}/maintenance`, { status_page_id, title: "Disks", targets, ...times });
    await setTarget(stage, 99.5);
    const { body: policy } = await client.post(`${V1}/sla-policies`, { name: "Gold", target_percentage: 99.9 });
    await client.put(`${path}/sla-policy`, { policy_id: policy.id });
    const made_at = at("2026-11-03T10:00:00Z");
    const documents = async () => [
      // As it is when it is made at the same time, which it says.
      await readPdf(stage, made_at),
      JSON.stringify((await client.get(`${path}/sla?${CLOSED}`)).body),
      JSON.stringify((await client.get(`${path}/sla/history?${CLOSED}`)).body),
      String((await client.get(`${path}/sla/export?format=csv&${CLOSED}`)).body),
    ];
    clock.now = made_at;
    await clock.pass(0);
    const before = await documents();
    expect(before[1]).toContain('"downtime_seconds":3600');
    expect(before[1]).toContain('"target_percentage":99.5');
    await clock.pass(1);
    expect((await act(stage)).status).toBeLessThan(300);
    expect(await documents()).toEqual(before);
  });
});
