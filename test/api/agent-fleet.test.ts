import { exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { AGENTS, enrollAgent } from "../support/agents.ts";
import { createClient, V1 } from "../support/client.ts";
import { browserOf } from "../support/dashboard-crawl.ts";
import { createAccount, createPage } from "../support/factories.ts";
import { createAccountWithPassword, joinPage } from "../support/members.ts";
import { insertPage } from "../support/monitors.ts";

const MONITORS = `${V1}/monitors`;
const HTTPS = { name: "Shop", type: "https", target: "https://shop.example/" };
const HETZNER = { asn: 24940, asOrganization: "Hetzner Online GmbH", country: "DE" };

/** Calls as an agent of this network, as Cloudflare describes it. */
const callFrom = (cf: object) =>
  createClient(undefined, (request) =>
    exports.default.fetch(new Request(request, { cf: cf as IncomingRequestCfProperties })),
  );

describe("the network of an agent", () => {
  it("is that of the address it calls from, which is kept and shown nowhere", async () => {
    const account = await createAccount();
    const agent = await enrollAgent(account);
    const headers = { "x-agent-token": agent.token, "cf-connecting-ip": "203.0.113.77" };
    const said = { version: "1.0.0" };
    expect((await callFrom(HETZNER).post(`${AGENTS}/handshake`, said, headers)).status).toBe(200);
    const network = { asn: 24940, name: "Hetzner Online GmbH", country: "DE" };
    expect((await account.client.get(`${AGENTS}/${agent.id}`)).body).toMatchObject({ network });
    // It moved; one that the platform says nothing of has not.
    await callFrom({ ...HETZNER, country: "FI" }).post(`${AGENTS}/handshake`, said, headers);
    await callFrom({}).post(`${AGENTS}/handshake`, said, headers);
    const detail = await account.client.get(`${AGENTS}/${agent.id}/detail`);
    expect(detail.body).toMatchObject({ network: { ...network, country: "FI" } });
    expect(JSON.stringify(detail.body)).not.toContain("203.0.113.77");
  });

  it("is unknown where the service does not run on Cloudflare", async () => {
    const account = await createAccount();
    const agent = await enrollAgent(account);
    expect((await account.client.get(`${AGENTS}/${agent.id}`)).body).toMatchObject({ network: null });
  });
});

describe("the fleet", () => {
  it("says of each agent how much it does, whether it keeps up and whether its clock is right", async () => {
    const owner = await createAccountWithPassword();
    const busy = await enrollAgent(owner, { name: "Busy", hostname: "busy", version: "1.2.3" });
    await enrollAgent(owner, { name: "Idle", hostname: "idle" });
    const reported = { cpu_percent: 3, checks_per_minute: 980.5, lateness_ms: 12, clock_offset_ms: -1800 };
    const now = Date.now();
    const metrics = [
      { ...reported, checks_per_minute: 1, collected_at: new Date(now - 60_000).toISOString() },
      { ...reported, collected_at: new Date(now).toISOString() },
    ];
    expect((await busy.client.post(`${AGENTS}/metrics`, metrics)).status).toBe(200);
    const pace = { checks_per_minute: 980.5, lateness_ms: 12, clock_offset_ms: -1800 };
    const listed = await owner.client.get(AGENTS);
    expect(listed.body.find(({ id }: { id: string }) => id === busy.id)).toMatchObject({ pace });
    expect(listed.body.find(({ name }: { name: string }) => name === "Idle")).toMatchObject({ pace: null });
    expect((await owner.client.get(`${AGENTS}/${busy.id}`)).body).toMatchObject({ pace });
    expect((await owner.client.get(`${AGENTS}/${busy.id}/metrics`)).body[0]).toMatchObject({ ...pace, cpu_percent: 3 });

    const { text } = await (await browserOf(owner)).open("/app/agents");
    for (const shown of ["1.2.3", "980.5", "12 ms", "1 s ahead, corrected", "Unknown"]) expect(text).toContain(shown);
  });

  it("refuses figures that cannot be", async () => {
    const agent = await enrollAgent(await createAccount());
    for (const figure of [{ checks_per_minute: -1 }, { lateness_ms: "late" }]) {
      expect((await agent.client.post(`${AGENTS}/metrics`, figure)).status).toBe(400);
    }
  });
});

describe("the button that installs an agent", () => {
  const PATH = "/app/agents";
  const fieldOf = (html: string) => {
    const [, form] = /action="\/app\/agents\/install"(.*?)<\/form>/s.exec(html) ?? [];
    return form === undefined ? "none" : (/name="status_page_id" value="([^"]*)"/.exec(form)?.[1] ?? "own");
  };

  it.each([
    ["viewer", "own", "none"],
    ["editor", "theirs", "theirs"],
    ["admin", "theirs", "theirs"],
  ] as const)("offers to who is %s of somebody else's page an agent: %s, and where that page is shown: %s", async (role, ...offered) => {
    const [owner, member] = [await createAccount(), await createAccount()];
    const page = await createPage(owner);
    await joinPage(member, page, { role });
    const browser = await browserOf(member);
    for (const [n, path] of [PATH, `${PATH}?page=${page}`].entries()) {
      const { status, text } = await browser.open(path);
      expect([status, fieldOf(text)]).toEqual([200, offered[n] === "theirs" ? page : offered[n]]);
    }
    const made = await browser.submit(`${PATH}/install`, { status_page_id: page });
    expect(made.status).toBe(role === "viewer" ? 403 : 200);
    if (role !== "viewer") expect(made.text).toContain(`href="${PATH}?page=${page}"`);
  });

  it("offers an owner one of their own, or of the page that is shown", async () => {
    const owner = await createAccount();
    const [page] = [await createPage(owner), await createPage(owner)];
    const browser = await browserOf(owner);
    expect(fieldOf((await browser.open(PATH)).text)).toBe("own");
    expect(fieldOf((await browser.open(`${PATH}?page=${page}`)).text)).toBe(page);
    const stranger = await browserOf(await createAccount());
    expect(fieldOf((await stranger.open(PATH)).text)).toBe("own");
    expect((await stranger.submit(`${PATH}/install`, { status_page_id: page })).status).toBe(400);
  });
});

describe("an agent that serves its own page alone", () => {
  async function twoPages() {
    const account = await createAccount({ plan: "pro" });
    const [own, other] = [await insertPage(account.user_id), await insertPage(account.user_id)];
    const agent = await enrollAgent(account, { hostname: "cellar", name: "Cellar" }, `?status_page_id=${own}`);
    return { ...account, own, other, agent };
  }
  const restrict = (client: Awaited<ReturnType<typeof createAccount>>["client"], id: string, own_page_only = true) =>
    client.put(`${AGENTS}/${id}`, { own_page_only });

  it("serves all pages of its owner until that is restricted", async () => {
    const { client, own, other, agent } = await twoPages();
    for (const status_page_id of [own, other, null]) {
      expect((await client.post(MONITORS, { ...HTTPS, agent_id: agent.id, status_page_id })).status).toBe(201);
    }
  });

  it("is refused to monitors of other pages, alone and among locations, and when they move", async () => {
    const { client, own, other, agent } = await twoPages();
    await client.put(`${AGENTS}/${agent.id}`, { is_location: true });
    expect(await restrict(client, agent.id)).toMatchObject({ status: 200, body: { own_page_only: true } });
    for (const runs of [{ agent_id: agent.id }, { locations: [`agent:${agent.id}`] }]) {
      for (const status_page_id of [other, null]) {
        const refused = await client.post(MONITORS, { ...HTTPS, ...runs, status_page_id });
        expect(refused).toMatchObject({ status: 400, body: { error: expect.stringContaining("its own status page") } });
      }
    }
    const made = await client.post(MONITORS, { ...HTTPS, agent_id: agent.id, status_page_id: own });
    expect(made.status).toBe(201);
    const monitor_ids = [made.body.id];
    for (const moved of [
      await client.put(`${MONITORS}/${made.body.id}`, { status_page_id: other }),
      await client.put(`${V1}/status-pages/${other}`, { monitors: monitor_ids }),
      await client.post(`${V1}/status-pages/${own}/monitors/migrate`, { monitor_ids, target_status_page_id: other }),
    ]) {
      expect(moved).toMatchObject({ status: 400, body: { error: expect.stringContaining("its own status page") } });
    }
    expect((await client.get(`${MONITORS}/${made.body.id}`)).body).toMatchObject({ status_page_id: own });
  });

  it("cannot become one while others need it, or without a page", async () => {
    const { client, other, agent } = await twoPages();
    const made = await client.post(MONITORS, { ...HTTPS, agent_id: agent.id, status_page_id: other });
    expect(await restrict(client, agent.id)).toMatchObject({
      status: 409,
      body: { code: "in_use", details: [{ path: `monitors.${made.body.id}` }] },
    });
    await client.delete(`${MONITORS}/${made.body.id}`);
    expect((await restrict(client, agent.id)).status).toBe(200);
    expect((await client.put(`${AGENTS}/${agent.id}`, { status_page_id: null })).status).toBe(400);
    expect((await client.post(AGENTS, { name: "Loose", own_page_only: true })).status).toBe(400);
    expect(await restrict(client, agent.id, false)).toMatchObject({ status: 200, body: { own_page_only: false } });
  });

  it("is made one, and none again, with a button of its view", async () => {
    const owner = await createAccountWithPassword();
    const page = await insertPage(owner.user_id);
    const agent = await enrollAgent(owner, { hostname: "cellar" }, `?status_page_id=${page}`);
    const browser = await browserOf(owner);
    const path = `/app/agents/${agent.id}`;
    expect((await browser.open(path)).text).toContain("Serve its own page only");
    expect((await browser.submit(`${path}/pages`, { own_page_only: "true" })).status).toBe(303);
    expect((await owner.client.get(`${AGENTS}/${agent.id}`)).body).toMatchObject({ own_page_only: true });
    expect((await browser.open(path)).text).toContain("Serve all pages");
  });
});
