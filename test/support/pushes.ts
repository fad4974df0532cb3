import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { vi } from "vitest";
import { createClient } from "./client.ts";
import { type Account, createMonitor } from "./factories.ts";

/** Tests of pushes move the clock, which only goes forward, to within their own hours. */
export function holdClock(): void {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
}

export function moveClock(ms: number): number {
  const moved = Date.now() + ms;
  vi.setSystemTime(moved);
  return moved;
}

/** A running monitor that beats are sent to, as its creator sees it. */
export function createHeartbeat(account: Account, fields: Record<string, unknown> = {}) {
  const body = { name: "Backup", type: "heartbeat", target: undefined, paused: false };
  return createMonitor(account.client, { ...body, expected_interval: 60, grace_seconds: 6, ...fields });
}

export interface Pushed {
  id: string;
  heartbeat_token: string;
  push_key: string;
}

/** A beat by a holder of the token. */
export function beat({ id, heartbeat_token }: Pushed, body: unknown = undefined) {
  return createClient(heartbeat_token).post(`/heartbeat/${id}`, body);
}

export const stubOf = (id: string) => env.MONITOR.get(env.MONITOR.idFromName(id));

export const alarmOf = (id: string) =>
  runInDurableObject(stubOf(id), (_object, state) => state.storage.getAlarm()) as Promise<number | null>;

export const dropAlarm = (id: string) =>
  runInDurableObject(stubOf(id), (_object, state) => state.storage.deleteAlarm());

export const fireAlarm = (id: string) => runDurableObjectAlarm(stubOf(id));

/** Everything that was pushed to a monitor and is kept, newest first. */
export const keptOf = (id: string) =>
  runInDurableObject(stubOf(id), (_object, state) =>
    state.storage.sql
      .exec<{ n: number; entry: string }>("SELECT n, entry FROM pushes ORDER BY n DESC")
      .toArray()
      .map((row) => JSON.parse(row.entry)),
  );
