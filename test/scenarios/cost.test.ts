import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { REGIONS, type Region } from "../../src/contract/monitor-values.ts";
import { SHARD_SIZE } from "../../src/data/check-groups/read.ts";
import { openDb } from "../../src/data/db.ts";
import { checkGroups, monitors } from "../../src/data/monitors/table.ts";
import { type BilledUnits, computeListPrice, OPERATIONS_PER_MESSAGE, UNITS_PER_CHECK } from "../../src/domain/bill.ts";
import { checkGroupId, inLane, shardOf } from "../../src/domain/check-schedule.ts";
import { handleChecks } from "../../src/jobs/checks.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../src/lib/durations.ts";
import type { Env } from "../../src/platform/env.ts";
import { newId } from "../../src/platform/ids.ts";
import { proberObject } from "../../src/platform/prober-objects.ts";
import { meter, type Units } from "../support/cost-meter.ts";
import { createAccount } from "../support/factories.ts";
import { insertMonitor } from "../support/monitors.ts";

/**
 * What checks cost once a shard is as old as its history: each hour writes as many rows as it deletes. The prices are
 * limits; they may fall, never rise.
 */
const SLOTS_PER_HOUR = 60;
const KEPT_MS = 90 * DAY_MS;
const HANGING = "http://sink.test/hanging";
const db = openDb(env.DB);
const outside = vi.spyOn(globalThis, "fetch");

beforeEach(() => {
  outside.mockReset().mockImplementation(async (input) => {
    if (String(input instanceof Request ? input.url : input) === HANGING) throw new DOMException("", "TimeoutError");
    return new Response("ok");
  });
});

interface Shard {
  members: number;
  hanging: number;
  regions: Region[];
}

async function insertShard({ members, hanging, regions }: Shard): Promise<string> {
  const { user_id } = await createAccount();
  const shard_id = newId();
  const check_group_id = checkGroupId({ shard_id, interval: 60, regions, lane: "normal" });
  const created_at = Date.now() - HOUR_MS;
  for (let n = 0; n < members; n++) {
    const target = n < hanging ? HANGING : `http://sink.test/${n}`;
    await insertMonitor(user_id, { shard_id, check_group_id: `${n}/60/any/normal`, regions, target, created_at });
  }
  await db.update(monitors).set({ check_group_id }).where(eq(monitors.shard_id, shard_id));
  await db.delete(checkGroups).where(eq(checkGroups.shard_id, shard_id));
  await db.insert(checkGroups).values({ id: check_group_id, shard_id, interval: 60, regions, lane: "normal" });
  return check_group_id;
}

/** One slot of a group in every region. */
async function runSlot(bindings: Env, groupId: string, { regions, slot_at }: { regions: Region[]; slot_at: number }) {
  for (const region of regions.length === 0 ? ["default"] : regions) {
    const body = { group_id: groupId, region, slot_at, attempt: 0 };
    const message = { id: newId(), timestamp: new Date(), attempts: 1, body, ack() {}, retry() {} };
    // The runner uses no other member of a batch.
    await handleChecks({ queue: "checks", messages: [message] } as unknown as MessageBatch, bindings);
  }
}

/** An hour of history that is deleted at the end of this one. */
async function insertOldHour(groupId: string, regions: Region[], hour: number) {
  const entry = { monitor_id: newId(), outcome: "success" as const, latency_ms: 1, message: "200 OK" };
  for (const region of regions.length === 0 ? ["default"] : regions) {
    for (let n = 0; n < SLOTS_PER_HOUR; n++) {
      const slot_at = hour - KEPT_MS + n * MINUTE_MS;
      const entries = [{ ...entry, checked_at: slot_at }];
      await proberObject(env, shardOf(groupId), region).record({ slot_at, attempt: 0, key: "", entries });
    }
  }
}

/** Units of an hour: of an ordinary slot, and of the first one of the next hour, which closes it. */
async function meterHour(shard: Shard): Promise<BilledUnits> {
  const { regions } = shard;
  const hour = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - HOUR_MS;
  const normal = await insertShard(shard);
  const groups = shard.hanging === 0 ? [normal] : [normal, inLane(normal, "slow")];
  await insertOldHour(normal, regions, hour);
  const run = async (bindings: Env, slot_at: number) => {
    for (const group of groups) await runSlot(bindings, group, { regions, slot_at });
  };
  // Until all are settled, those that hang in the slow lane.
  for (let n = 0; n < 8; n++) await run(env, hour + n * MINUTE_MS);
  const ordinary = await meter((metered) => run(metered, hour + 9 * MINUTE_MS));
  const closing = await meter((metered) => run(metered, hour + HOUR_MS));
  const messages = groups.length * Math.max(1, regions.length);
  const each = (unit: keyof Units) => (SLOTS_PER_HOUR - 1) * ordinary[unit] + closing[unit];
  return {
    d1RowsRead: each("rows_read"),
    d1RowsWritten: each("rows_written"),
    objectRequests: each("object_requests"),
    objectRowsWritten: each("object_rows_written"),
    queueOperations: OPERATIONS_PER_MESSAGE * SLOTS_PER_HOUR * messages,
    workerRequests: SLOTS_PER_HOUR * messages,
    cpuMs: UNITS_PER_CHECK.cpuMs * checksOf(shard),
  };
}

const checksOf = ({ members, regions }: Shard) => members * SLOTS_PER_HOUR * Math.max(1, regions.length);
const THREE = REGIONS.slice(0, 3);

describe("a million checks of a shard whose history is full", () => {
  it.each<[name: string, shard: Shard, usdMax: number]>([
    ["full", { members: SHARD_SIZE, hanging: 0, regions: [] }, 0.12],
    ["full, in three regions", { members: SHARD_SIZE, hanging: 0, regions: THREE }, 0.1],
    ["full, one target hanging", { members: SHARD_SIZE, hanging: 1, regions: [] }, 0.18],
    ["full, one target hanging, in three regions", { members: SHARD_SIZE, hanging: 1, regions: THREE }, 0.18],
    ["half full", { members: SHARD_SIZE / 2, hanging: 0, regions: [] }, 0.18],
    ["half full, one target hanging", { members: SHARD_SIZE / 2, hanging: 1, regions: [] }, 0.34],
  ])("%s", async (_name, shard, usdMax) => {
    const units = await meterHour(shard);
    const usd = (1e6 * computeListPrice(units)) / checksOf(shard);
    expect(usd, JSON.stringify(units)).toBeLessThanOrEqual(usdMax);
  });

  it("takes no more units than the bill is computed with", async () => {
    const shard: Shard = { members: SHARD_SIZE, hanging: 0, regions: [] };
    const units = await meterHour(shard);
    const over = Object.entries(UNITS_PER_CHECK).filter(([unit, limit]) => {
      return (units[unit as keyof typeof UNITS_PER_CHECK] ?? 0) > limit * checksOf(shard) + 1e-6;
    });
    expect(over, JSON.stringify(units)).toEqual([]);
  });
});
