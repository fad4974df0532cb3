import { DurableObject } from "cloudflare:workers";
import type { CountedUnits } from "../contract/capacity.ts";
import type { MeterRpc, UsageReport } from "../contract/meter-object.ts";
import { addUnits, zeroUnits } from "../domain/usage.ts";
import { DAY_MS, MINUTE_MS } from "../lib/durations.ts";
import type { Env } from "../platform/env.ts";

const BUCKET_MS = 5 * MINUTE_MS;
const KEPT_MS = DAY_MS + BUCKET_MS;
const PREFIX = "bucket ";

/** Fixed width, so that keys sort by time. */
const keyOf = (at: number) => `${PREFIX}${String(Math.floor(at / BUCKET_MS) * BUCKET_MS).padStart(15, "0")}`;
const startOf = (key: string) => Number(key.slice(PREFIX.length));

/** Adds up the units that isolates report about once a minute, in buckets that are kept for a day. */
export class MeterObject extends DurableObject<Env> implements MeterRpc {
  async add(units: CountedUnits, now: number): Promise<void> {
    const { kv } = this.ctx.storage;
    const key = keyOf(now);
    const known = kv.get<Partial<CountedUnits>>(key);
    kv.put(key, addUnits(known ?? {}, units));
    if (known) return;
    const expired = [...kv.list({ prefix: PREFIX, end: keyOf(now - KEPT_MS) })];
    for (const [old] of expired) kv.delete(old);
  }

  async read(from: number): Promise<UsageReport> {
    let units = zeroUnits();
    let counted_from: number | null = null;
    const buckets = this.ctx.storage.kv.list<Partial<CountedUnits>>({
      prefix: PREFIX,
      start: keyOf(from + BUCKET_MS - 1),
    });
    for (const [key, counted] of buckets) {
      units = addUnits(units, counted);
      counted_from ??= startOf(key);
    }
    return { counted_from, units };
  }
}
