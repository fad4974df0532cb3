import { env } from "cloudflare:workers";
import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { mapConcurrently } from "../../src/lib/map-concurrently.ts";
import { monitorObject } from "../../src/platform/monitor-objects.ts";
import { insertMany, monitorColumns } from "../support/backlog.ts";
import { createAccount } from "../support/factories.ts";
import { tick } from "../support/minute.ts";
import { recordMonitors } from "../support/monitor-port.ts";

const MINUTE = 60_000;
/** 100,000 and 2,000 in the soak. */
const MONITORS = 10_000 * inject("effort");
const REAL = 200 * inject("effort");
const GROUP_SIZE = 30;
const T0 = Date.parse("2026-11-20T10:00:00Z");

const realIds = Array.from({ length: REAL }, (_, n) => `silent-${String(n).padStart(6, "0")}`);
const isReal = new Set(realIds);
const port = recordMonitors((id) => isReal.has(id));

/** All were checked at T0 and are up; the real objects know it. */
beforeAll(async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: T0 });
  const { user_id } = await createAccount();
  const group = (n: string) => `printf('group-%05d/60/any/normal', ${n})`;
  await insertMany("check_groups", Math.ceil(MONITORS / GROUP_SIZE), {
    id: group("i"),
    shard_id: "printf('group-%05d', i)",
    interval: 60,
    regions: "'[]'",
    lane: "'normal'",
    last_slot_at: T0,
    latest: "'[]'",
  });
  const owner = { owner_id: `'${user_id}'`, created_by: `'${user_id}'` };
  const member = { ...owner, check_group_id: group(`i / ${GROUP_SIZE}`), settled: 1 };
  await insertMany("monitors", MONITORS, monitorColumns("silent", T0, member));
  const result = { region: "default", slot_at: T0, attempt: 0, checked_at: T0, latency_ms: 1, message: "" };
  await mapConcurrently(realIds, 6, (id) => monitorObject(env, id).report(id, 1, [{ ...result, outcome: "success" }]));
});
afterAll(() => vi.useRealTimers());

async function countUnknown(): Promise<number> {
  const { results } = await env.DB.prepare("SELECT count(*) AS total FROM monitors WHERE status = 'unknown'").all<{
    total: number;
  }>();
  return results[0]?.total ?? 0;
}

describe(`${MONITORS} monitors that stop being checked at once`, () => {
  it("keep their status for three minutes and are all unknown within five", async () => {
    const unknown: number[] = [];
    for (let minute = 1; minute <= 5; minute++) {
      vi.setSystemTime(T0 + minute * MINUTE);
      await tick(T0 + minute * MINUTE, { MONITOR: port.namespace });
      unknown.push(await countUnknown());
    }
    expect(unknown).toEqual([0, 0, 0, MONITORS, MONITORS]);
    const marked = port.calls.filter(({ verb }) => verb === "markStale").map(({ monitor_id }) => monitor_id);
    expect(marked).toHaveLength(MONITORS - REAL);
    expect(new Set(marked).size).toBe(MONITORS - REAL);
  }, 600_000);
});
