import type { MonitorRpc } from "../contract/monitor-object.ts";
import type { Env } from "./env.ts";

/** The object that owns the status of this monitor. */
export function monitorObject(env: Env, monitorId: string): MonitorRpc {
  return env.MONITOR.getByName(monitorId);
}

/** Has the object of a deleted monitor keep nothing and take nothing more. */
export async function tombstoneObject(env: Env, monitorId: string): Promise<void> {
  // No configuration is newer, so the object reads the monitor from D1 and finds it deleted.
  await monitorObject(env, monitorId).sync(monitorId, Number.MAX_SAFE_INTEGER);
}

/** How the runtime hides what went wrong in itself, for instance that it may open no more files for objects. */
const PLATFORM_FAULT = /^internal error; reference = \w+$/;

/** Whether a call failed because the object was unreachable or overloaded, not because of its input. */
export function isObjectUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { overloaded, retryable } = error as { overloaded?: boolean; retryable?: boolean };
  return overloaded === true || retryable === true || PLATFORM_FAULT.test(error.message);
}
