import { describe, expect, it } from "vitest";
import { AGENTS, agentClient, enrollAgent, mintInstallToken } from "../support/agents.ts";
import { V1 } from "../support/client.ts";
import { type Account, createAccount, createMonitor, createPage } from "../support/factories.ts";
import { createMember, joinPage } from "../support/members.ts";

const SECRET = "hunter2-of-the-other-page";

/** An agent of an open page that also runs a monitor with a password on a page that the attacker is not on. */
async function createAgentWithSecret() {
  const owner = await createAccount();
  const open = await createPage(owner);
  const agent = await enrollAgent(owner, { hostname: "db-1" }, `?status_page_id=${open}`);
  const monitor = { target: `http://root:${SECRET}@10.0.0.1/`, agent_id: agent.id, paused: false };
  await createMonitor(owner.client, { ...monitor, status_page_id: await createPage(owner) });
  return { owner, open, agent };
}

const CUSTOM = { role: "custom" as const, capabilities: ["agents.write" as const] };

/** Tries to become the agent, and gives what that reads. */
async function steal(attacker: Pick<Account, "client">, token: string, body = {}): Promise<string> {
  const enrolled = await agentClient(token).post(`${AGENTS}/enroll`, body);
  if (enrolled.status !== 201) return "";
  const read = await agentClient(enrolled.body.agent_token).get(`${AGENTS}/monitors`);
  return JSON.stringify([read.body, (await attacker.client.get(AGENTS)).body]);
}

describe("the credential of an agent that runs monitors of other pages", () => {
  it("is not given to a member who may only write agents", async () => {
    const { owner, open, agent } = await createAgentWithSecret();
    const { member } = await createMember(owner, CUSTOM, open);
    const answer = await member.client.get(`${AGENTS}/token?agent_id=${agent.id}`);
    expect(answer).toMatchObject({ status: 403, body: { error: expect.stringContaining("secrets.read") } });
    expect((await agent.client.get(`${AGENTS}/monitors`)).status).toBe(200);
  });

  it("is given to a member who may read the secrets of all of those pages, and to its owner", async () => {
    const { owner, open, agent } = await createAgentWithSecret();
    const { member } = await createMember(owner, { role: "admin" }, open);
    expect((await member.client.get(`${AGENTS}/token?agent_id=${agent.id}`)).status).toBe(403);
    const pages = (await owner.client.get(`${V1}/status-pages`)).body.map(({ id }: { id: string }) => id);
    for (const id of pages.filter((each: string) => each !== open)) await joinPage(member, id, { role: "editor" });
    expect((await member.client.get(`${AGENTS}/token?agent_id=${agent.id}`)).status).toBe(200);
    expect((await owner.client.get(`${AGENTS}/token?agent_id=${agent.id}`)).status).toBe(200);
  });

  it("is refused at enrolment when the agent was given such a monitor after the token was created", async () => {
    const owner = await createAccount();
    const open = await createPage(owner);
    const agent = await enrollAgent(owner, { hostname: "db-1" }, `?status_page_id=${open}`);
    const { member } = await createMember(owner, CUSTOM, open);
    const token = await mintInstallToken(member, `?agent_id=${agent.id}`);
    const monitor = { target: `http://root:${SECRET}@10.0.0.1/`, agent_id: agent.id };
    await createMonitor(owner.client, { ...monitor, status_page_id: await createPage(owner) });
    expect(await steal(member, token)).not.toContain(SECRET);
    expect((await agent.client.get(`${AGENTS}/monitors`)).status).toBe(200);
  });

  it("is refused for an agent that waits for its host under the name that the caller gives", async () => {
    const owner = await createAccount();
    const open = await createPage(owner);
    const { member } = await createMember(owner, CUSTOM, open);
    const waiting = { name: "Rack", hostname: "db-7", status_page_id: open };
    const { body } = await owner.client.post(AGENTS, waiting);
    const monitor = { target: `http://root:${SECRET}@10.0.0.1/`, agent_id: body.id };
    await createMonitor(owner.client, { ...monitor, status_page_id: await createPage(owner) });
    const token = await mintInstallToken(member, `?status_page_id=${open}`);
    expect(await steal(member, token, { hostname: "db-7" })).not.toContain(SECRET);
  });

  it.each([
    ["removal", (owner: Account, path: string) => owner.client.delete(path)],
    ["demotion", (owner: Account, path: string) => owner.client.put(path, { role: "viewer" })],
  ])("ends with the membership: %s revokes the install tokens that the member created", async (_name, change) => {
    const owner = await createAccount();
    const { id, member, member_id } = await createMember(owner, { role: "editor" });
    const token = await mintInstallToken(member, `?status_page_id=${id}`);
    expect((await change(owner, `${V1}/status-pages/${id}/members/${member_id}`)).status).toBeLessThan(300);
    expect((await agentClient(token).post(`${AGENTS}/enroll`, { hostname: "db-9" })).status).toBe(401);
  });
});
