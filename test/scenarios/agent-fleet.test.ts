import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { afterEach, beforeEach, expect, inject, it, vi } from "vitest";
import { agents } from "../../src/data/agents/table.ts";
import { openDb } from "../../src/data/db.ts";
import { monitors } from "../../src/data/monitors/table.ts";
import { newMachineToken, sha256Hex } from "../../src/platform/credentials.ts";
import type { Env } from "../../src/platform/env.ts";
import { newId } from "../../src/platform/ids.ts";
import worker from "../../src/worker.ts";
import { enrollAgent } from "../support/agents.ts";
import { V1 } from "../support/client.ts";
import { meter, settledCheck } from "../support/cost-meter.ts";
import { createAccount } from "../support/factories.ts";
import { insertMonitor } from "../support/monitors.ts";

/** Many agents that each run twenty settled monitors a minute, over some minutes of a clock that the test moves. */

/** A thousand in the soak. */
const AGENTS = 100 * inject("effort");
const MONITORS = 20;
/** Metered, after one in which each agent reports for the first time. */
const MINUTES = 2;
const MINUTE = 60_000;
const db = openDb(env.DB);

let T0: number;
beforeEach(() => {
  // All within one hour: at the end of one its aggregate is a row of its own.
  T0 = Math.floor(Date.now() / 3_600_000) * 3_600_000;
  vi.useFakeTimers({ toFake: ["Date"], now: T0 });
});
afterEach(() => vi.useRealTimers());

interface FleetAgent {
  token: string;
  monitor_ids: string[];
}

/** One agent with one monitor that the API made and that came up, and rows like theirs. */
async function aFleet(): Promise<FleetAgent[]> {
  const account = await createAccount();
  const first = await enrollAgent(account);
  const template = await insertMonitor(account.user_id, { agent_id: first.id, check_group_id: "" });
  await report(env, { token: first.token, monitor_ids: [template.id] });
  await vi.waitFor(async () => {
    const [row] = await db.select().from(monitors).where(eq(monitors.id, template.id));
    expect(row).toMatchObject({ status: "up", settled: true });
  });
  const fleet = Array.from({ length: AGENTS }, () => ({
    id: newId(),
    token: newMachineToken("agent"),
    monitor_ids: Array.from({ length: MONITORS }, newId),
  }));
  await copyRows("agents", first.id, {
    rows: fleet.map(({ id, token }) => ({ id, token_hash: sha256Hex(token) })),
    members: ["id", "token_hash"],
  });
  await copyRows("monitors", template.id, {
    rows: fleet.flatMap(({ id, monitor_ids }) => monitor_ids.map((monitor_id) => ({ id: monitor_id, agent_id: id }))),
    members: ["id", "agent_id"],
  });
  expect(await db.$count(agents, eq(agents.owner_id, account.user_id))).toBe(AGENTS + 1);
  return fleet;
}

async function copyRows(
  table: string,
  id: string,
  { rows, members }: { rows: readonly Record<string, string>[]; members: readonly string[] },
): Promise<void> {
  const { results } = await env.DB.prepare("SELECT name FROM pragma_table_info(?)").bind(table).all<{ name: string }>();
  const names = results.map(({ name }) => name).filter((name) => !members.includes(name));
  const columns = [...members, ...names].map((name) => `"${name}"`).join(", ");
  const values = [...members.map((name) => `r.value ->> '${name}'`), ...names.map((name) => `o."${name}"`)].join(", ");
  const PART = 500;
  for (let from = 0; from < rows.length; from += PART) {
    await env.DB.prepare(
      `INSERT INTO ${table} (${columns}) SELECT ${values} FROM json_each(?1) AS r JOIN ${table} AS o ON o.id = ?2`,
    )
      .bind(JSON.stringify(rows.slice(from, from + PART)), id)
      .run();
  }
}

/** What the agent program sends once a minute: one result of each monitor, each with the time at which it was measured. */
async function report(bindings: Env, { token, monitor_ids }: FleetAgent): Promise<void> {
  const results = monitor_ids.map((monitor_id, n) => ({
    monitor_id,
    status: "up",
    latency_ms: 12,
    message: "port 6379 is open",
    details: { port: 6379 },
    checked_at: new Date(Date.now() - n * 1000).toISOString(),
  }));
  const ctx = createExecutionContext();
  const headers = { "x-agent-token": token, "content-type": "application/json" };
  const init = { method: "POST", headers, body: JSON.stringify({ results }) };
  const response = await worker.fetch(new Request(`http://vigil.test${V1}/agents/results`, init), bindings, ctx);
  expect(await response.json()).toEqual({ accepted: results.length, rejected: [] });
  await waitOnExecutionContext(ctx);
}

it(`is ${AGENTS} agents of one account: rows, calls and messages are those of checks from the edge`, {
  timeout: 240_000 * inject("effort"),
}, async () => {
  const fleet = await aFleet();
  const run = async (bindings: Env, minute: number) => {
    vi.setSystemTime(T0 + minute * MINUTE);
    for (const agent of fleet) await report(bindings, agent);
  };
  await run(env, 1);
  const units = await meter(async (metered) => {
    for (let minute = 2; minute < 2 + MINUTES; minute++) await run(metered, minute);
  });
  const results = AGENTS * MONITORS * MINUTES;
  const costs = Object.entries(units).map(([unit, count]): [string, number] => [unit, count / results]);
  // Nothing is sent.
  const limits: Record<string, number> = { ...settledCheck(MONITORS), messages: 0 };
  const over = costs.filter(([unit, cost]) => cost > (limits[unit] ?? 0));
  expect(over, JSON.stringify(costs)).toEqual([]);
});
