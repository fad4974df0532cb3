import { env } from "cloudflare:workers";
import { openDb } from "../../src/data/db.ts";
import type { NewMonitor } from "../../src/data/monitors/read.ts";
import { checkGroups, monitors, statusIntervals } from "../../src/data/monitors/table.ts";
import { statusPages } from "../../src/data/status-pages/table.ts";
import { checkGroupId } from "../../src/domain/check-schedule.ts";
import { newId } from "../../src/platform/ids.ts";

/** A monitor as its row, for tests below the API; its check group is its own. */
export async function insertMonitor(owner_id: string, fields: Partial<NewMonitor> = {}) {
  const db = openDb(env.DB);
  const now = fields.created_at ?? Date.now();
  const id = newId();
  const shard_id = newId();
  const interval = fields.interval ?? 60;
  const check_group_id = checkGroupId({ shard_id, interval, regions: fields.regions ?? [], lane: "normal" });
  await db.insert(monitors).values({
    id,
    owner_id,
    created_by: owner_id,
    name: "Shop",
    type: "http",
    target: "http://sink.test/",
    interval,
    timeout_seconds: 10,
    failure_threshold: 2,
    recovery_threshold: 1,
    shard_id,
    check_group_id,
    status_since: now,
    created_at: now,
    updated_at: now,
    ...fields,
  });
  await db.insert(statusIntervals).values({ monitor_id: id, seq: 0, status: "pending", from_at: now });
  await db
    .insert(checkGroups)
    .values({ id: check_group_id, shard_id, interval, regions: fields.regions ?? [], lane: "normal" });
  return { id, check_group_id };
}

export async function insertPage(owner_id: string, fields: Partial<typeof statusPages.$inferInsert> = {}) {
  const id = newId();
  const now = Date.now();
  await openDb(env.DB)
    .insert(statusPages)
    .values({
      id,
      owner_id,
      created_by: owner_id,
      name: "Page",
      slug: `p-${id}`,
      created_at: now,
      updated_at: now,
      ...fields,
    });
  return id;
}
