import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { Uplink } from "../../src/agent/uplink.ts";
import type { StoredResult } from "../../src/contract/prober-object.ts";
import { pageMembers } from "../../src/data/members/table.ts";
import { newApiToken, sha256Hex } from "../../src/platform/credentials.ts";
import { newId } from "../../src/platform/ids.ts";
import { FIRST_OWNER, issueToken, tokenStatement } from "../local/accounts.ts";
import { Refusal } from "../local/command-error.ts";
import type { Execute, Statement } from "../local/database.ts";
import type { StateDir } from "../local/settings.ts";
import { agentOf, DEMO_OWNER_NAME, PEOPLE, type PlannedMonitor } from "./company.ts";
import { beginningOfPast, type Furnished, furnish } from "./furnish.ts";
import { type DemoRecord, HOST_MS, hostAt, measurePresent, playPresent } from "./live.ts";
import { DEMO_OWNER } from "./owner.ts";
import { MINUTE_MS, type Trouble, troublesOf } from "./past.ts";
import { recordPast } from "./record.ts";
import { insert, runAll } from "./rows.ts";
import { type Call, callerOf, listOf } from "./service.ts";
import { OPEN_STORY } from "./stories.ts";

/** Where a service runs, and what reaches behind its API. */
export interface Running {
  url: string;
  execute: Execute;
  /** Keeps results of an agent, as if it had sent them in time. */
  addResults(agentId: string, results: StoredResult[]): Promise<void>;
}

/** How long the service may take for what follows from the first results: composites, the incident of what is down. */
const PATIENCE_MS = 15_000;
const LOOK_MS = 200;
/** Of each host within the last day, and as many as one request takes. */
const HOST_REPORTS = 285;
const REPORTS_AT_ONCE = 100;

export function readRecord({ demonstration }: StateDir): DemoRecord | undefined {
  return existsSync(demonstration) ? (JSON.parse(readFileSync(demonstration, "utf8")) as DemoRecord) : undefined;
}

/** While the file is there, no mail leaves the machine. */
export function writeRecord({ demonstration }: StateDir, record: DemoRecord): void {
  writeFileSync(demonstration, JSON.stringify(record), { mode: 0o600 });
}

export function forgetRecord({ demonstration }: StateDir): void {
  rmSync(demonstration, { force: true });
}

export async function hasDemonstration(execute: Execute): Promise<boolean> {
  const [users = []] = await execute([{ sql: "SELECT 1 FROM users WHERE email = ?", params: [DEMO_OWNER] }]);
  return users.length > 0;
}

/** Fills the service; where an earlier attempt broke off, that is removed before. Gives what plays its present. */
export async function fillDemonstration(running: Running, isBeside: boolean): Promise<DemoRecord> {
  const { url, execute } = running;
  if (await hasDemonstration(execute)) await removeDemonstration(running);
  if (!isBeside) await refuseOthersData(execute);
  const ownerToken = await issueToken(execute, { email: DEMO_OWNER, name: DEMO_OWNER_NAME });
  const call = callerOf(url, ownerToken);
  const now = Date.now();
  const furnished = await furnish({
    url,
    call,
    execute,
    now,
    newPassword: () => randomBytes(24).toString("base64url"),
  });
  await admitOperators(running, furnished, now);
  const troubles = troublesOf(now);
  const [[owner] = []] = await execute([{ sql: "SELECT id FROM users WHERE email = ?", params: [DEMO_OWNER] }]);
  await recordPast({ ...running, furnished, owner_id: String(owner?.id), troubles, now });
  const record = recordOf(furnished);
  await reportPresent(url, furnished, record, now);
  await Promise.all(record.agents.map(({ hostname, token }) => reportHosts(url, { hostname, token, now })));
  await tellOpenStory(running, furnished, now);
  await awaitStatuses(execute);
  await settle(running, furnished, { troubles, now });
  // Setting up had the service write to people of whom none exists; beside other accounts, mail of theirs is among it.
  if (!isBeside) await execute([{ sql: "DELETE FROM mail_outbox WHERE created_at >= ?", params: [now] }]);
  return record;
}

/** The operator of the installation looks around in the demonstration as an admin of its pages. */
async function admitOperators({ execute }: Running, { pages }: Furnished, now: number): Promise<void> {
  const [operators = []] = await execute([{ sql: "SELECT id FROM users WHERE operator = 1", params: [] }]);
  const times = { created_at: now, updated_at: now };
  const memberships = operators.flatMap(({ id }) =>
    Object.values(pages).map((status_page_id) =>
      insert(pageMembers, { id: newId(), status_page_id, user_id: String(id), role: "admin", ...times }),
    ),
  );
  await runAll(execute, memberships);
}

const LENT = "demonstration";

/** A token for an account that is there, which `endTokens` takes back. */
async function lendToken(execute: Execute, email: string): Promise<string> {
  const token = newApiToken();
  const rename = { sql: "UPDATE api_tokens SET name = ? WHERE token_hash = ?", params: [LENT, sha256Hex(token)] };
  await execute([tokenStatement(token, { email }, Date.now()), rename]);
  return token;
}

async function endTokens(execute: Execute, email: string): Promise<void> {
  const ofAccount = "user_id = (SELECT id FROM users WHERE email = ?)";
  await execute([{ sql: `DELETE FROM api_tokens WHERE name = ? AND ${ofAccount}`, params: [LENT, email] }]);
}

/** Accounts besides the operator's, and what the operator has. */
async function refuseOthersData(execute: Execute): Promise<void> {
  const counts = await execute(
    [`users WHERE email <> '${FIRST_OWNER}'`, "status_pages", "monitors", "webhooks", "agents"].map((table) => ({
      sql: `SELECT count(*) AS count FROM ${table}`,
      params: [],
    })),
  );
  if (counts.every(([row]) => Number(row?.count) === 0)) return;
  throw new Refusal(
    "this installation has data of its own: STATE_DIR=.demo npm start -- --demo makes another one, npm start -- --demo --beside adds the demonstration to this one",
  );
}

function recordOf({ agents, monitors }: Furnished): DemoRecord {
  return {
    agents: Object.values(agents).map(({ hostname, token }) => ({ hostname, token })),
    heartbeats: [...monitors.values()].flatMap(({ heartbeat_path, plan }) => {
      const { expected_interval } = plan.more as { expected_interval?: number };
      return heartbeat_path === null ? [] : [{ path: heartbeat_path, every_seconds: expected_interval ?? 3_600 }];
    }),
  };
}

/** The first results: what is wrong has been so for a while. */
async function reportPresent(
  url: string,
  { agents, monitors }: Furnished,
  record: DemoRecord,
  now: number,
): Promise<void> {
  for (const [key, { token }] of Object.entries(agents)) {
    const checked = [...monitors.values()].filter(({ plan }) => plan.target !== null && agentOf(plan) === key);
    const results = checked.flatMap(({ id, plan }) =>
      agesOf(plan).map((age) => {
        const checked_at = new Date(now - age).toISOString();
        return { monitor_id: id, checked_at, ...measurePresent(plan.name, now - age) };
      }),
    );
    const { rejected } = await new Uplink({ url, token: () => token }).submitResults(results);
    if (rejected.length > 0) throw new Error(`results were not taken: ${JSON.stringify(rejected.slice(0, 3))}`);
  }
  for (const { path } of record.heartbeats) {
    const { status } = await fetch(url + path, { method: "POST" });
    if (status !== 200) throw new Error(`a heartbeat was answered with ${status}`);
  }
}

/** How long ago it was checked. One slow answer does not make a monitor degraded. */
function agesOf({ present }: PlannedMonitor): number[] {
  if (present === "up") return [0];
  return present === "down" ? [sinceOf(present)] : [sinceOf(present), sinceOf(present) / 2];
}

const sinceOf = (present: "down" | "degraded") => (present === "down" ? OPEN_STORY.minutes : 18) * MINUTE_MS;

async function reportHosts(url: string, { hostname, token, now }: { hostname: string; token: string; now: number }) {
  const uplink = new Uplink({ url, token: () => token });
  const reports = Array.from({ length: HOST_REPORTS }, (_, n) => hostAt(hostname, now - (HOST_REPORTS - n) * HOST_MS));
  for (let from = 0; from < reports.length; from += REPORTS_AT_ONCE) {
    await uplink.reportMetrics(reports.slice(from, from + REPORTS_AT_ONCE));
  }
}

/** The incident that the service opened by itself, as people then took care of it. */
async function tellOpenStory(
  { url, execute }: Running,
  { pages, people, monitors }: Furnished,
  now: number,
): Promise<void> {
  const { email } = PEOPLE[OPEN_STORY.assignee];
  const call = callerOf(url, await lendToken(execute, email));
  const monitor = monitors.get(OPEN_STORY.monitors[0] ?? "")?.id ?? "";
  const incident = await awaitIncident(call, pages[OPEN_STORY.page], monitor);
  const { title, severity, impact, assignee } = OPEN_STORY;
  const path = `/incidents/${incident}`;
  await call("PUT", path, { title, severity, impact, assigned_to_id: people[assignee], is_public: true });
  const began = now - OPEN_STORY.minutes * MINUTE_MS;
  const times: Statement[] = [
    {
      sql: "UPDATE incident_updates SET created_at = ?, updated_at = ? WHERE incident_id = ?",
      params: [began, began, incident],
    },
    { sql: "UPDATE incidents SET started_at = ?, created_at = ? WHERE id = ?", params: [began, began, incident] },
  ];
  await call("POST", `${path}/acknowledge`);
  for (const [minutes, status, , message] of OPEN_STORY.updates) {
    const { id } = await call("POST", `${path}/updates`, { status, message });
    const at = began + minutes * MINUTE_MS;
    times.push({
      sql: "UPDATE incident_updates SET created_at = ?, updated_at = ? WHERE id = ?",
      params: [at, at, id],
    });
  }
  const acknowledged = began + 4 * MINUTE_MS;
  times.push({ sql: "UPDATE incidents SET acknowledged_at = ? WHERE id = ?", params: [acknowledged, incident] });
  await execute(times);
  await endTokens(execute, email);
}

async function awaitIncident(call: Call, page: string, monitor: string): Promise<string> {
  const deadline = Date.now() + PATIENCE_MS;
  while (Date.now() < deadline) {
    const [incident] = await listOf(
      call,
      `/incidents?status_page_id=${page}&monitor_id=${monitor}&status=investigating`,
    );
    if (incident) return incident.id;
    await sleep(LOOK_MS);
  }
  throw new Error("the service did not open the incident of the demonstration");
}

/** Until every monitor has a status. */
async function awaitStatuses(execute: Execute): Promise<void> {
  const sql = `SELECT m.name FROM monitors m JOIN users u ON u.id = m.owner_id
    WHERE u.email = ? AND m.status IN ('pending', 'unknown') LIMIT 1`;
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const [[monitor] = []] = await execute([{ sql, params: [DEMO_OWNER] }]);
    if (!monitor) return;
    if (Date.now() > deadline) throw new Error(`${monitor.name} of the demonstration has no status`);
    await sleep(LOOK_MS);
  }
}

/** Joins the past and what checks found: the first checks of the service were not the first that its monitors had. */
async function settle(
  { execute }: Running,
  { monitors }: Furnished,
  { troubles, now }: { troubles: Map<string, Trouble[]>; now: number },
): Promise<void> {
  const began = beginningOfPast(now);
  const joined = [...monitors.values()].flatMap(({ id, plan }): Statement[] => {
    const upSince = (troubles.get(plan.name) ?? []).at(-1)?.to ?? began;
    const since = plan.present === "degraded" ? now - sinceOf("degraded") : upSince;
    // What is down is so since its first failed check, which the service knows.
    if (plan.present === "down") return [];
    return [
      { sql: "UPDATE monitors SET status_since = ? WHERE id = ?", params: [since, id] },
      {
        sql: "UPDATE transitions SET decided_at = ?, effective_at = ? WHERE monitor_id = ?",
        params: [since, since, id],
      },
    ];
  });
  await runAll(execute, [
    ...joined,
    {
      sql: `UPDATE subscribers SET confirmed_at = ?, created_at = ?
        WHERE owner_id = (SELECT id FROM users WHERE email = ?)`,
      params: [began, began, DEMO_OWNER],
    },
    {
      sql: "UPDATE status_pages SET created_at = ?, version = version + 1 WHERE owner_id = (SELECT id FROM users WHERE email = ?)",
      params: [began, DEMO_OWNER],
    },
    {
      sql: "DELETE FROM api_tokens WHERE user_id = (SELECT id FROM users WHERE email = ?)",
      params: [DEMO_OWNER],
    },
  ]);
}

/** By the one verb of the service that does, as the operator. */
export async function removeDemonstration({ url, execute }: Pick<Running, "url" | "execute">): Promise<void> {
  const [operators = []] = await execute([{ sql: "SELECT email FROM users WHERE operator = 1 LIMIT 1", params: [] }]);
  const email = String(operators[0]?.email ?? FIRST_OWNER);
  const token = await lendToken(execute, email);
  try {
    await callerOf(url, token)("DELETE", "/api/core/v1/demonstration");
  } finally {
    await endTokens(execute, email);
  }
}

/** Plays the present until the service stops or the demonstration is removed. */
export function keepAlive(url: string, record: DemoRecord, stateDir: StateDir): AsyncDisposable {
  const ending = new AbortController();
  const onRemoved = () => {
    forgetRecord(stateDir);
    console.log("the demonstration was removed; with the next start mail leaves this machine again");
  };
  const playing = playPresent(url, record, { signal: ending.signal, onRemoved }).catch((error: unknown) => {
    if (!ending.signal.aborted) console.error("the demonstration stands still:", error);
  });
  return {
    async [Symbol.asyncDispose]() {
      ending.abort();
      await playing;
    },
  };
}
