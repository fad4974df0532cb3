import { waitUntil } from "cloudflare:workers";
import type { CountedUnit, CountedUnits } from "../contract/capacity.ts";
import type { MeterRpc } from "../contract/meter-object.ts";
import { addUnits, zeroUnits } from "../domain/usage.ts";
import { MINUTE_MS } from "../lib/durations.ts";
import { now } from "./clock.ts";
import type { Env } from "./env.ts";
import { createLogger } from "./logger.ts";
import { meterDatabase, meterNamespace, meterQueue, meterStore } from "./metered-bindings.ts";
import { settingsOf } from "./settings.ts";

/**
 * Counts what the platform bills, in the memory of each isolate, and reports it to one object once a minute, so that
 * counting costs no write per request. What an isolate has not reported when it ends is not counted.
 */
const REPORT_EVERY_MS = MINUTE_MS;

let pending = zeroUnits();
let reportedAt = 0;

export function countUnits(units: Partial<CountedUnits>): void {
  // Only those named, because every request counts a few of many units.
  for (const name in units) {
    const unit = name as CountedUnit;
    pending[unit] += units[unit] ?? 0;
  }
}

function meterObject(env: Env): MeterRpc {
  return env.METER.getByName("meter");
}

const metered = new WeakMap<Env, Env>();

/** The same bindings, but those that the platform bills by the call or the row count it. */
export function meterBindings(env: Env): Env {
  const known = metered.get(env);
  if (known) return known;
  const meters: Env = {
    ...env,
    DB: meterDatabase(env.DB, countUnits),
    PAGES: meterStore(env.PAGES, countUnits),
    MONITOR: meterNamespace(env.MONITOR, countUnits),
    LIMITER: meterNamespace(env.LIMITER, countUnits),
    PROBER: meterNamespace(env.PROBER, countUnits),
    PAGE: meterNamespace(env.PAGE, countUnits),
    AGENT: meterNamespace(env.AGENT, countUnits),
    WITNESS: meterNamespace(env.WITNESS, countUnits),
    METER: meterNamespace(env.METER, countUnits),
    CHECKS: meterQueue(env.CHECKS, countUnits),
    CHECKS_SLOW: meterQueue(env.CHECKS_SLOW, countUnits),
    EVENTS: meterQueue(env.EVENTS, countUnits),
    DELIVERIES: meterQueue(env.DELIVERIES, countUnits),
    DELIVERIES_SLOW: meterQueue(env.DELIVERIES_SLOW, countUnits),
    SUBSCRIBERS: meterQueue(env.SUBSCRIBERS, countUnits),
    MINUTE: meterQueue(env.MINUTE, countUnits),
    MAIL_OUTBOX: meterQueue(env.MAIL_OUTBOX, countUnits),
  };
  metered.set(env, meters);
  return meters;
}

/** Reports once a minute, after the work that calls it. */
export function reportUsageWhenDue(env: Env): void {
  const at = now();
  if (Math.abs(at - reportedAt) < REPORT_EVERY_MS) return;
  reportedAt = at;
  waitUntil(
    reportUsage(env).catch((error: unknown) =>
      createLogger(settingsOf(env)).warn("usage not reported", { cause: String(error) }),
    ),
  );
}

/**
 * On the Workers Free plan isolates have so little to do that they end between two ticks, and with them what they have not
 * reported: there every tick and batch reports at its end.
 */
export async function reportUsageOnFreePlan(env: Env): Promise<void> {
  const settings = settingsOf(env);
  if (settings.PLAN !== "free") return;
  try {
    await reportUsage(env);
  } catch (error) {
    createLogger(settings).warn("usage not reported", { cause: String(error) });
  }
}

/** Reports what is pending; what the object could not store stays pending. */
export async function reportUsage(env: Env): Promise<void> {
  const units = pending;
  pending = zeroUnits();
  try {
    await meterObject(env).add(units, now());
  } catch (error) {
    pending = addUnits(pending, units);
    throw error;
  }
}

export async function readUsage(env: Env, from: number) {
  return meterObject(env).read(from);
}
