import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { agentCommands, agentReports } from "../../src/data/agents/table.ts";
import { openDb } from "../../src/data/db.ts";
import { monitors } from "../../src/data/monitors/table.ts";
import { AGENTS, type EnrolledAgent, enrollAgent, readMonitor } from "../support/agents.ts";
import { V1 } from "../support/client.ts";
import { type Account, createAccount, createMonitor } from "../support/factories.ts";
import { insertMonitor } from "../support/monitors.ts";

/** What somebody can do who stole the token of one agent. */

const db = openDb(env.DB);

interface Lab {
  account: Account;
  stolen: EnrolledAgent;
  sibling: EnrolledAgent;
  stranger: EnrolledAgent;
  own: string;
  /** Monitors that are not the stolen agent's: a sibling's, one that the edge checks, and one of another account. */
  foreign: string[];
  commands: string[];
}
let lab: Lab;

beforeEach(async () => {
  const [account, elsewhere] = [await createAccount(), await createAccount()];
  const stolen = await enrollAgent(account, { hostname: "a" });
  const sibling = await enrollAgent(account, { hostname: "b" });
  const stranger = await enrollAgent(elsewhere);
  const runBy = (agent: EnrolledAgent, owner: Account) =>
    insertMonitor(owner.user_id, { agent_id: agent.id, check_group_id: "", target: "secret.lan:1" });
  const command = async (agent: EnrolledAgent, owner: Account) =>
    (await owner.client.post(`${AGENTS}/${agent.id}/commands`, { type: "rotate_token" })).body.id;
  lab = {
    account,
    stolen,
    sibling,
    stranger,
    own: (await runBy(stolen, account)).id,
    foreign: [
      (await runBy(sibling, account)).id,
      (await insertMonitor(account.user_id)).id,
      (await runBy(stranger, elsewhere)).id,
    ],
    commands: [await command(sibling, account), await command(stranger, elsewhere)],
  };
});

describe("a stolen agent token", () => {
  it("reads the monitors and commands of its agent, and of no other", async () => {
    const { stolen, own } = lab;
    const read = await stolen.client.get(`${AGENTS}/monitors`);
    expect(read.body.map(({ id }: { id: string }) => id)).toEqual([own]);
    expect((await stolen.client.get(`${AGENTS}/commands?wait=0`)).body).toEqual([]);
  });

  it("writes results of its own monitors, and of no other by either route", async () => {
    const { stolen, own, foreign } = lab;
    const ids = [own, ...foreign];
    const results = ids.map((monitor_id) => ({ monitor_id, status: "down", message: "forged" }));
    const bulk = await stolen.client.post(`${AGENTS}/results`, { results });
    expect(bulk).toMatchObject({ status: 200, body: { accepted: 1 } });
    expect(bulk.body.rejected.map(({ index }: { index: number }) => index)).toEqual([1, 2, 3]);
    // Nothing distinguishes a monitor of another account from one that does not exist.
    expect(new Set(bulk.body.rejected.map(({ error }: { error: string }) => error)).size).toBe(1);
    for (const id of foreign) {
      const answer = await stolen.client.post(`${V1}/monitors/${id}/status`, { status: "down", message: "forged" });
      expect([403, 404]).toContain(answer.status);
      const kept = await readMonitor({ account: lab.account, agent: stolen, monitor: { id } });
      expect(kept).toMatchObject({ status: "pending", status_message: null });
    }
  });

  it("acknowledges no command of another agent, and so gets no credential of it", async () => {
    const { stolen, commands } = lab;
    for (const id of commands) {
      const answer = await stolen.client.post(`${AGENTS}/commands/${id}/ack`, { ok: true });
      expect([answer.status, answer.body.agent_token]).toEqual([404, undefined]);
      expect(await db.select().from(agentCommands).where(eq(agentCommands.id, id))).toMatchObject([{ acked_at: null }]);
    }
  });

  it("reports of its own host alone, regardless of what else the body names", async () => {
    const { stolen, sibling } = lab;
    const named = { agent_id: sibling.id };
    expect((await stolen.client.post(`${AGENTS}/metrics`, { ...named, cpu_percent: 1 })).status).toBe(200);
    expect((await stolen.client.post(`${AGENTS}/events`, { ...named, events: [{ message: "x" }] })).status).toBe(200);
    const found = [{ kind: "redis", name: "x", target: "127.0.0.1:1", ...named }];
    expect((await stolen.client.post(`${AGENTS}/discoveries`, { ...named, discoveries: found })).status).toBe(200);
    expect((await stolen.client.post(`${AGENTS}/handshake`, { ...named, hostname: "forged" })).body.agent_id).toBe(
      stolen.id,
    );
    expect(await db.select().from(agentReports).where(eq(agentReports.agent_id, sibling.id))).toEqual([]);
    expect((await lab.account.client.get(`${AGENTS}/${sibling.id}`)).body.hostname).toBe("b");
  });

  it("is worth nothing to a person's routes, in any header", async () => {
    const { stolen, own, account } = lab;
    const { id } = await createMonitor(account.client);
    const places: Record<string, string>[] = [{ authorization: `Bearer ${stolen.token}` }, {}];
    for (const headers of places) {
      for (const [method, path, body] of [
        ["GET", `${V1}/monitors`],
        ["GET", `${V1}/monitors/${own}`],
        ["PUT", `${V1}/monitors/${id}`, { name: "forged" }],
        ["DELETE", `${V1}/monitors/${own}`],
        ["GET", `${AGENTS}/token`],
        ["POST", `${AGENTS}/${stolen.id}/commands`, { type: "update" }],
        ["GET", `${AGENTS}/${stolen.id}/discoveries`],
      ] as const) {
        expect([path, (await stolen.client.request(method, path, body, headers)).status]).toEqual([path, 401]);
      }
    }
    expect(await db.$count(monitors, eq(monitors.owner_id, account.user_id))).toBe(4);
  });
});
