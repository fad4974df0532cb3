import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { expect, vi } from "vitest";
import { jobScope } from "../../src/access/scope.ts";
import { packGroups } from "../../src/checks/packing.ts";
import type { Region } from "../../src/contract/monitor-values.ts";
import { SHARD_SIZE } from "../../src/data/check-groups/read.ts";
import { openDb } from "../../src/data/db.ts";
import { checkGroups, monitors, shards } from "../../src/data/monitors/table.ts";
import { sweepCursors } from "../../src/data/sweep-cursors/table.ts";
import {
  type BilledUnits,
  computeListPrice,
  computeUnitsPerCheck,
  OPERATIONS_PER_MESSAGE,
  UNITS_PER_CHECK,
} from "../../src/domain/bill.ts";
import { checkGroupId, shardOf } from "../../src/domain/check-schedule.ts";
import { handleChecks } from "../../src/jobs/checks.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../src/lib/durations.ts";
import type { Env } from "../../src/platform/env.ts";
import { newId } from "../../src/platform/ids.ts";
import { proberObject } from "../../src/platform/prober-objects.ts";
import { insertMany, monitorColumns } from "./backlog.ts";
import { meter, type Units } from "./cost-meter.ts";
import { createAccount } from "./factories.ts";

/**
 * What checks cost once a fleet is as old as its history: each hour writes as many rows as it deletes, and what is sparse
 * was packed. The prices are limits; they may fall, never rise.
 */
const SLOTS_PER_HOUR = 60;
const KEPT_MS = 90 * DAY_MS;
const HANGING = "http://sink.test/hanging";
const db = openDb(env.DB);

/** Targets of which one hangs, in a database without other monitors. */
export async function prepareFleets(): Promise<void> {
  // Of each test, because other files of the same run may have restored what a spy of this module replaced.
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input) => {
    if (String(input instanceof Request ? input.url : input) === HANGING) throw new DOMException("", "TimeoutError");
    return new Response("ok");
  });
  for (const table of [monitors, checkGroups, shards, sweepCursors]) await db.delete(table);
}

export interface Fleet {
  shards: number;
  /** Of each shard. */
  members: number;
  /** Of all monitors. */
  hanging: number;
  regions: Region[];
}

const sizeOf = ({ shards: count, members }: Fleet) => count * members;
const placesOf = ({ regions }: Fleet) => (regions.length === 0 ? ["default"] : regions);

async function insertFleet(fleet: Fleet): Promise<void> {
  const { user_id } = await createAccount();
  const { members, hanging, regions } = fleet;
  for (let shard = 0; shard < fleet.shards; shard++) {
    const shard_id = newId();
    const group = checkGroupId({ shard_id, interval: 60, regions, lane: "normal" });
    const hangingHere =
      Math.floor(((shard + 1) * hanging) / fleet.shards) - Math.floor((shard * hanging) / fleet.shards);
    const created_at = Date.now() - 2 * HOUR_MS;
    await insertMany("monitors", members, {
      ...monitorColumns(shard_id, created_at, { owner_id: `'${user_id}'`, created_by: `'${user_id}'` }),
      shard_id: `'${shard_id}'`,
      check_group_id: `'${group}'`,
      settled: `i >= ${hangingHere}`,
      regions: `'${JSON.stringify(regions)}'`,
      target: `iif(i < ${hangingHere}, '${HANGING}', 'http://sink.test/')`,
    });
    await env.DB.prepare(
      "INSERT INTO status_intervals (monitor_id, seq, status, from_at) SELECT id, 0, status, created_at FROM monitors WHERE shard_id = ?",
    )
      .bind(shard_id)
      .run();
    await db.insert(shards).values({ id: shard_id, interval: 60, regions: regions.join("+"), size: members });
    await db.insert(checkGroups).values({ id: group, shard_id, interval: 60, regions, lane: "normal" });
  }
}

const groupIds = async (lane: "normal" | "slow") =>
  (await db.select({ id: checkGroups.id }).from(checkGroups).where(eq(checkGroups.lane, lane))).map(({ id }) => id);

/** One slot of groups in every region. */
async function runSlot(bindings: Env, groups: readonly string[], fleet: Fleet, slot_at: number) {
  for (const group_id of groups) {
    for (const region of placesOf(fleet)) {
      const body = { group_id, region, slot_at, attempt: 0 };
      const retry = vi.fn();
      const message = { id: newId(), timestamp: new Date(), attempts: 1, body, ack() {}, retry };
      // The runner uses no other member of a batch.
      await handleChecks({ queue: "checks", messages: [message] } as unknown as MessageBatch, bindings, () => {});
      expect(retry).not.toHaveBeenCalled();
    }
  }
}

/** An hour of history that is deleted at the end of this one. */
async function insertOldHour(groups: readonly string[], fleet: Fleet, hour: number) {
  const entry = { monitor_id: newId(), outcome: "success" as const, latency_ms: 1, message: "200 OK" };
  for (const group of groups) {
    for (const region of placesOf(fleet)) {
      for (let quarter = 0; quarter < 4; quarter++) {
        const slot_at = hour - KEPT_MS + quarter * 15 * MINUTE_MS;
        const entries = [{ ...entry, checked_at: slot_at }];
        await proberObject(env, shardOf(group), region).record({ slot_at, attempt: 0, key: group, entries });
      }
    }
  }
}

/** Units of an hour: of an ordinary slot, and of the first one of the next hour, which closes it. */
async function meterHour(fleet: Fleet): Promise<BilledUnits> {
  const hour = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - HOUR_MS;
  await insertFleet(fleet);
  await runSlot(env, await groupIds("normal"), fleet, hour);
  // Until all are settled, those that hang in the slow lane.
  for (let n = 1; n < 3; n++) await runSlot(env, await groupIds("slow"), fleet, hour + n * MINUTE_MS);
  await packGroups(jobScope(env, "test"));
  const groups = [...(await groupIds("normal")), ...(await groupIds("slow"))];
  await insertOldHour(groups, fleet, hour);
  await runSlot(env, groups, fleet, hour + 3 * MINUTE_MS);
  const ordinary = await meter((metered) => runSlot(metered, groups, fleet, hour + 4 * MINUTE_MS));
  const closing = await meter((metered) => runSlot(metered, groups, fleet, hour + HOUR_MS));
  const messages = groups.length * placesOf(fleet).length * SLOTS_PER_HOUR;
  const each = (unit: keyof Units) => (SLOTS_PER_HOUR - 1) * ordinary[unit] + closing[unit];
  return {
    d1RowsRead: each("rows_read"),
    d1RowsWritten: each("rows_written"),
    objectRequests: each("object_requests"),
    objectRowsWritten: each("object_rows_written"),
    queueOperations: OPERATIONS_PER_MESSAGE * messages,
    workerRequests: messages,
    cpuMs: UNITS_PER_CHECK.cpuMs * checksOf(fleet),
  };
}

const checksOf = (fleet: Fleet) => sizeOf(fleet) * SLOTS_PER_HOUR * placesOf(fleet).length;

/** As many monitors, and 2 % of them hanging, in full and in half-full shards. */
export const FLEETS: Record<string, Omit<Fleet, "regions">> = {
  "in full shards": { shards: 1, members: SHARD_SIZE, hanging: 0 },
  "in half-full shards": { shards: 2, members: SHARD_SIZE / 2, hanging: 0 },
  "in full shards, 2 % hanging": { shards: 5, members: SHARD_SIZE, hanging: 6 },
  "in half-full shards, 2 % hanging": { shards: 10, members: SHARD_SIZE / 2, hanging: 6 },
};

/** The list price of a million checks, of which none takes more units than the bill is computed with. */
export async function priceMillion(fleet: Fleet): Promise<number> {
  const units = await meterHour(fleet);
  const hanging_share = fleet.hanging / sizeOf(fleet);
  const billed = computeUnitsPerCheck({ hanging_share, hanging_per_message: fleet.hanging });
  const over = Object.entries(billed).filter(([unit, limit]) => {
    return (units[unit as keyof BilledUnits] ?? 0) > limit * checksOf(fleet) + 1e-6;
  });
  expect(over, JSON.stringify(units)).toEqual([]);
  return (1e6 * computeListPrice(units)) / checksOf(fleet);
}
