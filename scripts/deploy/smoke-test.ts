import { sha256Hex } from "../../src/platform/credentials.ts";
import { issueToken } from "../local/accounts.ts";
import { Refusal } from "../local/command-error.ts";
import type { Execute } from "../local/database.ts";
import type { Platform } from "./platform.ts";

/** A new name on workers.dev and a new certificate take about a minute. */
const ANSWER_ATTEMPTS = 60;
const STATUS_ATTEMPTS = 15;
/** Two minutes; https://developers.cloudflare.com/workers/configuration/cron-triggers/ allows a change 15. */
const TICK_ATTEMPTS = 60;
const PAUSE_MS = 2_000;
const TOKEN_LIFE_MS = 3_600_000;

export interface SmokeTest {
  platform: Pick<Platform, "fetch" | "sleep">;
  url: string;
  execute: Execute;
  /** An address that the service shall check. */
  target: string;
}

/** Uses the service as its first user would: creates monitors, checks one, reports to the other, deletes both. */
export async function checkService(test: SmokeTest): Promise<string[]> {
  await waitForAnswer(test);
  const [users] = await test.execute([{ sql: "SELECT email FROM users ORDER BY created_at, id LIMIT 1", params: [] }]);
  if (!users?.[0]) return ["it answers; nobody has an account yet who could use it"];
  const email = String(users[0].email);
  const token = await issueToken(test.execute, { email, expiresAt: Date.now() + TOKEN_LIFE_MS });
  const created: string[] = [];
  try {
    const create = async (body: object) => {
      const monitor = await call(test, token, "POST", "/monitors", { name: "Deployment check", ...body });
      created.push(String(monitor.id));
      return monitor;
    };
    const { target } = test;
    const page = await create({ type: target.replace(/:.*/, ""), target }).catch(refusedByPlan);
    if (page === null) return ["no monitor was made to try it, because every place for one is taken"];
    const { status, message } = await call(test, token, "POST", `/monitors/${page.id}/check`);
    if (status === "unknown") throw new Refusal(`the service cannot check ${target}: ${message}`);
    const heartbeat = await create({ type: "heartbeat" });
    await request(test, `${test.url}/ping/${heartbeat.heartbeat_token}`, { method: "POST" });
    await waitForUp(test, token, String(heartbeat.id));
    return [`${target} was checked: ${status}`, "a heartbeat was received"];
  } finally {
    for (const id of created) await call(test, token, "DELETE", `/monitors/${id}`);
    await test.execute([{ sql: "DELETE FROM api_tokens WHERE token_hash = ?", params: [sha256Hex(token)] }]);
  }
}

/** Null for the refusal of an installation that is full; anything else is thrown. */
function refusedByPlan(error: unknown): null {
  if (error instanceof Refusal && /: 403 .*"plan_limit"/.test(error.message)) return null;
  throw error;
}

export async function waitForAnswer({ platform, url }: Pick<SmokeTest, "platform" | "url">): Promise<void> {
  let reason: unknown;
  for (let attempt = 0; attempt < ANSWER_ATTEMPTS; attempt++) {
    try {
      const response = await platform.fetch(`${url}/health`);
      await response.body?.cancel();
      if (response.ok) return;
      reason = `status ${response.status}`;
    } catch (error) {
      reason = error;
    }
    await platform.sleep(PAUSE_MS);
  }
  throw new Refusal(`${url}/health gives no answer: ${reason}`);
}

/** What `/health` says of the clock once it has ticked, or that it has not. */
export async function waitForTick({ platform, url }: Pick<SmokeTest, "platform" | "url">): Promise<string> {
  for (let attempt = 0; attempt < TICK_ATTEMPTS; attempt++) {
    const response = await platform.fetch(`${url}/health`);
    const { scheduler } = (await response.json()) as { scheduler?: { last_tick_age_s: number | null } };
    if (scheduler && scheduler.last_tick_age_s !== null) return "its clock ticks: checks run every minute";
    await platform.sleep(PAUSE_MS);
  }
  return `its clock has not ticked yet, which a new cron trigger may take 15 minutes for: ${url}/health is degraded until then`;
}

async function waitForUp(test: SmokeTest, token: string, id: string): Promise<void> {
  for (let attempt = 0; attempt < STATUS_ATTEMPTS; attempt++) {
    const { status } = await call(test, token, "GET", `/monitors/${id}`);
    if (status === "up") return;
    await test.platform.sleep(PAUSE_MS);
  }
  throw new Refusal(`the heartbeat sent to ${test.url} was accepted, but its monitor is not up`);
}

async function call(test: SmokeTest, token: string, method: string, path: string, body?: object) {
  const text = await request(test, `${test.url}/api/uptime/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
  return (text === "" ? {} : JSON.parse(text)) as Record<string, unknown>;
}

async function request({ platform }: SmokeTest, url: string, init: RequestInit): Promise<string> {
  const response = await platform.fetch(url, init);
  const text = await response.text();
  if (!response.ok)
    throw new Refusal(`${init.method} ${new URL(url).pathname.slice(0, 60)}: ${response.status} ${text}`);
  return text;
}
