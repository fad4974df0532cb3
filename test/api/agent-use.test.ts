import { describe, expect, it, vi } from "vitest";
import { AGENTS, type EnrolledAgent, enrollAgent, submit } from "../support/agents.ts";
import { V1 } from "../support/client.ts";
import { type Account, createAccount, createPage } from "../support/factories.ts";
import { createMember, joinPage } from "../support/members.ts";
import { insertMonitor } from "../support/monitors.ts";
import { PATIENCE } from "../support/patience.ts";

/** People who may have an agent check something reach into the network that it stands in. */

interface Lab {
  owner: Account;
  /** Where the attacker is an editor, and where they only see. */
  own: string;
  seen: string;
  /** On the page that they only see, and on none. */
  agent: EnrolledAgent;
  hidden: EnrolledAgent;
  attacker: Account;
}

async function aLab(): Promise<Lab> {
  const owner = await createAccount();
  const [own, seen] = [await createPage(owner), await createPage(owner)];
  const agent = await enrollAgent(owner, { hostname: "inner" }, `?status_page_id=${seen}`);
  const hidden = await enrollAgent(owner, { hostname: "hidden" });
  const { member: attacker } = await createMember(owner, { role: "editor" }, own);
  await joinPage(attacker, seen, { role: "viewer" });
  return { owner, own, seen, agent, hidden, attacker };
}

const inner = { type: "http", target: "http://10.0.0.1/admin" };

describe("an agent that somebody only sees", () => {
  it("checks nothing for them, by id or by key", async () => {
    const { attacker, own, agent } = await aLab();
    const body = { name: "Inner", ...inner, agent_id: agent.id, status_page_id: own };
    expect((await attacker.client.get(`${AGENTS}/${agent.id}`)).status).toBe(200);
    expect(await attacker.client.post(`${V1}/monitors`, body)).toMatchObject({
      status: 403,
      body: { error: "your role on this status page does not include agents.write" },
    });
    expect((await attacker.client.put(`${V1}/monitors/by-key/inner`, body)).status).toBe(403);
  });

  it("is not taken for a monitor by an update, of one or of many", async () => {
    const { owner, attacker, own, agent } = await aLab();
    const { id } = await insertMonitor(owner.user_id, { status_page_id: own });
    const changes = { ...inner, agent_id: agent.id };
    expect((await attacker.client.put(`${V1}/monitors/${id}`, changes)).status).toBe(403);
    const many = await attacker.client.post(`${V1}/monitors/bulk`, { ids: [id], action: "update", changes });
    expect(many.body).toMatchObject({ updated: 0, failed: [{ id }] });
    expect((await owner.client.get(`${V1}/monitors/${id}`)).body.agent_id).toBeNull();
  });

  it("is not pointed elsewhere by the monitor that it runs already, which can still be renamed", async () => {
    const { owner, attacker, own, agent } = await aLab();
    const { id } = await insertMonitor(owner.user_id, {
      status_page_id: own,
      agent_id: agent.id,
      check_group_id: "",
      target: "http://10.0.0.1/health",
    });
    const path = `${V1}/monitors/${id}`;
    expect((await attacker.client.put(path, { target: "http://10.0.0.1/admin" })).status).toBe(403);
    expect((await attacker.client.put(path, { http_method: "DELETE" })).status).toBe(403);
    expect((await attacker.client.post(`${path}/clone`, {})).status).toBe(403);
    const { body } = await attacker.client.get(path);
    expect((await attacker.client.put(path, { name: "Health", target: body.target, agent_id: agent.id })).status).toBe(
      200,
    );
    expect((await attacker.client.put(path, { agent_id: null, target: "http://shop.example/" })).status).toBe(200);
  });

  it("does not watch what it found for them", async () => {
    const { owner, attacker, own, agent } = await aLab();
    await agent.client.post(`${AGENTS}/discoveries`, {
      discoveries: [{ kind: "redis", name: "cache", target: "10.0.0.2:6379" }],
    });
    const [found] = (await owner.client.get(`${AGENTS}/${agent.id}/discoveries`)).body;
    const watch = (account: Account) =>
      account.client.post(`${AGENTS}/${agent.id}/discoveries/${found.id}/monitor`, { status_page_id: own });
    expect((await watch(attacker)).status).toBe(403);
    expect((await watch(owner)).status).toBe(201);
  });

  it("does not follow its monitors to another page without a person who may use it", async () => {
    const { owner, agent, own } = await aLab();
    const other = await createPage(owner);
    const { id } = await insertMonitor(owner.user_id, { status_page_id: own, agent_id: agent.id, check_group_id: "" });
    const { member: admin } = await createMember(owner, { role: "admin" }, own);
    await joinPage(admin, other, { role: "admin" });
    const move = (account: Account) =>
      account.client.post(`${V1}/status-pages/${own}/monitors/migrate`, {
        target_status_page_id: other,
        monitor_ids: [id],
      });
    expect((await move(admin)).status).toBe(404);
    expect((await move(owner)).status).toBe(200);
  });
});

describe("POST /monitors/bulk", () => {
  it("judges every id of its changes as an update does", async () => {
    const { owner, attacker, own, hidden, seen } = await aLab();
    const foreign = await createPage(await createAccount());
    const { id } = await insertMonitor(owner.user_id, { status_page_id: own });
    const update = (changes: object) =>
      attacker.client.post(`${V1}/monitors/bulk`, { ids: [id], action: "update", changes });
    expect(await update({ ...inner, agent_id: hidden.id })).toMatchObject({
      status: 400,
      body: { error: "changes.agent_id does not exist or is not visible to you" },
    });
    expect((await update({ status_page_id: foreign })).status).toBe(400);
    expect((await update({ status_page_id: seen })).status).toBe(403);
    expect((await update({ group_id: crypto.randomUUID() })).status).toBe(400);
    expect((await update({ child_ids: [crypto.randomUUID()] })).status).toBe(400);
    expect((await owner.client.get(`${V1}/monitors/${id}`)).body).toMatchObject({
      agent_id: null,
      status_page_id: own,
    });
  });
});

describe("what an agent saw inside its network", () => {
  it("is quoted to those who may read secrets, without what looks like a credential", async () => {
    const { owner, seen, agent } = await aLab();
    const monitor = await insertMonitor(owner.user_id, {
      status_page_id: seen,
      agent_id: agent.id,
      check_group_id: "",
      failure_threshold: 1,
    });
    const { member: viewer } = await createMember(owner, { role: "viewer" }, seen);
    const { member: editor } = await createMember(owner, { role: "editor" }, seen);
    const excerpt = '{"Code":"Success","SecretAccessKey":"sEcReT/abc","Host":"inner-7"}';
    const evidence = { status_line: "HTTP 200", excerpt, addresses: ["10.0.0.1"] };
    const failed = { status: "down", message: "expected_body is missing", evidence };
    await submit({ account: owner, agent, monitor }, failed);
    const paths = [`${V1}/monitors/${monitor.id}/outages`, `${V1}/status-pages/${seen}/outages`];
    await vi.waitFor(async () => expect((await owner.client.get(paths[0] ?? "")).body).toHaveLength(1), PATIENCE);
    for (const path of paths) {
      const quoted = [
        { evidence: { ...evidence, excerpt: '{"Code":"Success","SecretAccessKey":"***","Host":"inner-7"}' } },
      ];
      expect((await owner.client.get(path)).body).toMatchObject(quoted);
      expect((await editor.client.get(path)).body).toMatchObject(quoted);
      expect((await viewer.client.get(path)).body).toMatchObject([{ evidence: { ...evidence, excerpt: null } }]);
    }
    // What was seen then stays inside when the agent is gone.
    await owner.client.put(`${V1}/monitors/${monitor.id}`, { agent_id: null, target: "http://shop.example/" });
    expect((await viewer.client.get(paths[0] ?? "")).body[0].evidence.excerpt).toBeNull();
  });
});
