import { env } from "cloudflare:workers";
import { and, eq, ne } from "drizzle-orm";
import { expect, vi } from "vitest";
import type { StoredResult } from "../../src/contract/prober-object.ts";
import { auditLog } from "../../src/data/audit/table.ts";
import { openDb } from "../../src/data/db.ts";
import { monitors, transitions } from "../../src/data/monitors/table.ts";
import { agentHistory } from "../../src/platform/prober-objects.ts";
import { type Client, createClient, V1 } from "./client.ts";
import { type Account, createAccount } from "./factories.ts";
import { insertMonitor } from "./monitors.ts";
import { PATIENCE } from "./patience.ts";

const db = openDb(env.DB);

export const AGENTS = `${V1}/agents`;

export interface EnrolledAgent {
  id: string;
  token: string;
  client: Client;
}

/** A client that sends this credential as agents do. */
export function agentClient(token: string): Client {
  const { request } = createClient();
  const send: Client["request"] = (method, path, body, headers = {}) =>
    request(method, path, body, { "x-agent-token": token, ...headers });
  return {
    request: send,
    get: (path) => send("GET", path),
    post: (path, body, headers) => send("POST", path, body, headers),
    put: (path, body) => send("PUT", path, body),
    patch: (path, body) => send("PATCH", path, body),
    delete: (path) => send("DELETE", path),
  };
}

export async function mintInstallToken({ client }: Pick<Account, "client">, query = ""): Promise<string> {
  const answer = await client.get(`${AGENTS}/token${query}`);
  expect(answer.status).toBe(200);
  return answer.body.install_token;
}

export async function enrollAgent(
  account: Pick<Account, "client">,
  body: Record<string, unknown> = { hostname: "db-1" },
  query = "",
): Promise<EnrolledAgent> {
  const install = await mintInstallToken(account, query);
  const answer = await agentClient(install).post(`${AGENTS}/enroll`, body);
  expect(answer).toMatchObject({ status: 201 });
  const { agent_id: id, agent_token: token } = answer.body;
  return { id, token, client: agentClient(token) };
}

/** What was done to an object and by whom, oldest first. */
/** What people and agents did to it; changes of status come when they come. */
export async function auditOf(targetId: string): Promise<string[]> {
  const rows = await db
    .select()
    .from(auditLog)
    .where(and(eq(auditLog.target_id, targetId), ne(auditLog.actor_type, "system")))
    .orderBy(auditLog.created_at);
  return rows.map(({ event_type, actor_type }) => `${event_type} by ${actor_type}`);
}

export interface Stage {
  account: Account;
  agent: EnrolledAgent;
  monitor: { id: string };
}

/** A monitor that an agent runs each minute; two failures bring it down. */
export async function aStage(fields: Parameters<typeof insertMonitor>[1] = {}): Promise<Stage> {
  const account = await createAccount();
  const agent = await enrollAgent(account);
  const monitor = await insertMonitor(account.user_id, { agent_id: agent.id, check_group_id: "", ...fields });
  return { account, agent, monitor };
}

/** Submits results of the stage's monitor as its agent. */
export const submit = ({ agent, monitor }: Stage, body: unknown) =>
  agent.client.post(`${V1}/monitors/${monitor.id}/status`, body);

export async function readMonitor({ monitor }: Stage) {
  const [row] = await db.select().from(monitors).where(eq(monitors.id, monitor.id));
  if (!row) throw new Error("no such monitor");
  return row;
}

/** What the object of the stage's agent keeps of its monitor, newest first. */
export function listKept({ agent, monitor }: Stage): Promise<StoredResult[]> {
  const everything = { from: 0, to: Number.MAX_SAFE_INTEGER, limit: 1000 };
  return agentHistory(env, agent.id).list({ monitor_id: monitor.id, ...everything });
}

/** Waits until the consumer of events has recorded everything that the monitor went through. */
export async function settle(stage: Stage) {
  await vi.waitFor(async () => {
    const recorded = await db.$count(transitions, eq(transitions.monitor_id, stage.monitor.id));
    expect(recorded).toBe((await readMonitor(stage)).state_seq);
  }, PATIENCE);
}
