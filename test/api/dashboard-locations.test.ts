import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { agents } from "../../src/data/agents/table.ts";
import { openDb } from "../../src/data/db.ts";
import { AGENTS, type EnrolledAgent, enrollAgent } from "../support/agents.ts";
import { V1 } from "../support/client.ts";
import { browserOf } from "../support/dashboard-crawl.ts";
import type { Browser } from "../support/forms.ts";
import { createAccountWithPassword } from "../support/members.ts";
import { insertPage } from "../support/monitors.ts";
import { PATIENCE } from "../support/patience.ts";

type Account = Awaited<ReturnType<typeof createAccountWithPassword>>;

let owner: Account;
let browser: Browser;
let agent: EnrolledAgent;
beforeAll(async () => {
  owner = await createAccountWithPassword();
  browser = await browserOf(owner);
  agent = await enrollAgent(owner, { hostname: "cellar", name: "Cellar" });
});

const monitorOf = async (path: string) => (await owner.client.get(`${V1}${path.slice("/app".length)}`)).body;

describe("locations in the dashboard", () => {
  it("are the regions alone until an agent is made one with a button", async () => {
    expect((await browser.open("/app/monitors/new")).text).not.toContain(`agent:${agent.id}`);
    const path = `/app/agents/${agent.id}`;
    expect((await browser.open(path)).text).toContain("Use as a location");
    expect((await browser.submit(`${path}/location`, { is_location: "true" })).status).toBe(303);
    expect((await owner.client.get(`${AGENTS}/${agent.id}`)).body).toMatchObject({ is_location: true });
    expect((await browser.open(path)).text).toContain("Stop using as a location");
    expect((await browser.open("/app/monitors/new")).text).toContain("Cellar (agent)");
  });

  it("list agents that are gone before those that call", async () => {
    vi.spyOn(Date, "now").mockReturnValue(Date.now() + 600_000);
    await enrollAgent(owner, { hostname: "attic", name: "Attic" });
    const { text } = await browser.open("/app/agents");
    vi.restoreAllMocks();
    expect(text.indexOf("Cellar")).toBeLessThan(text.indexOf("Attic"));
    expect(text).toContain("Offline");
  });

  it("of an agent that does not call follow what becomes of it, and say when it gets a command", async () => {
    const path = `/app/agents/${agent.id}`;
    const parts = ["facts", "choices", "monitors", "discoveries", "events"];
    const { text } = await browser.open(path);
    for (const part of parts) expect(text).toContain(`<div id="agent-${part}" data-live`);
    vi.spyOn(Date, "now").mockReturnValue(Date.now() + 600_000);
    await browser.submit(`${path}/commands`, { type: "check_now" });
    expect((await browser.open(path)).text).toContain(
      "The agent is offline now; it receives the command once it connects again.",
    );
    vi.restoreAllMocks();
  });

  it("are chosen in a monitor's form, and the monitor's view shows what each found, by name", async () => {
    await owner.client.put(`${AGENTS}/${agent.id}`, { is_location: true });
    const location = `agent:${agent.id}`;
    const fields = { name: "Shop", type: "https", target: "https://shop.example/", locations: location };
    const { status, headers } = await browser.submit("/app/monitors/new", fields);
    const path = headers.get("location") ?? "";
    expect(status).toBe(303);
    expect(await monitorOf(path)).toMatchObject({ locations: [location], regions: [] });
    const id = path.split("/").at(-1);
    const vote = { status: "down", message: "refused" };
    expect((await agent.client.post(`${V1}/monitors/${id}/status`, vote)).status).toBe(200);
    for (const shown of [path, `${path}/results`]) {
      const { text } = await browser.open(shown);
      expect(text).toContain("Cellar");
      expect(text.replaceAll(/value="[^"]*"|id="[^"]*"/g, "")).not.toContain(location);
    }
  });

  it("stand on a map of the world where at least two places are known, beside the list of their names", async () => {
    const { client } = owner;
    await client.put(`${AGENTS}/${agent.id}`, { is_location: true });
    const make = async (locations: string[]) => {
      const target = { name: "Map", type: "https", target: "https://map.example/", paused: true, locations };
      return (await client.post(`${V1}/monitors`, target)).body.id;
    };
    const mapOf = async (id: string) => {
      const { text } = await browser.open(`/app/monitors/${id}`);
      return /<div class="location-map".*?<\/div>/s.exec(text)?.[0];
    };
    const setCountry = (country: string | null) =>
      openDb(env.DB)
        .update(agents)
        .set({ network: { asn: 64500, name: "Example", country } })
        .where(eq(agents.id, agent.id));
    const here = `agent:${agent.id}`;
    await setCountry("DE");
    const [joint, alone] = [await make(["enam", here]), await make([here])];
    const map = await mapOf(joint);
    expect(map).toContain("<title>Cellar: Pending</title>");
    expect(map).toContain("<title>Eastern North America: Pending</title>");
    expect(map?.match(/class="location-map-place is-pending"/g)).toHaveLength(2);
    expect(map?.length).toBeLessThan(4_000);
    expect(await mapOf(alone)).toBeUndefined();
    await setCountry(null);
    expect(await mapOf(joint)).toBeUndefined();
  });

  it("lead to a rule that is ready to save, which alerts while some of them fail", async () => {
    const { client, user_id } = owner;
    const page = await insertPage(user_id);
    const make = async (name: string, more: object) => {
      const target = { name, type: "https", target: "https://some.example/", paused: true, ...more };
      return (await client.post(`${V1}/monitors`, target)).body.id;
    };
    const id = await make("Some", { locations: ["enam", "weur"], status_page_id: page });
    const path = `/app/rules/${page}/new`;
    expect((await browser.open(`/app/monitors/${id}`)).text).toContain(`href="${path}?partial=${id}"`);
    for (const more of [{ locations: ["enam", "weur"] }, { locations: ["enam"], status_page_id: page }]) {
      expect((await browser.open(`/app/monitors/${await make("None", more)}`)).text).not.toContain("?partial=");
    }
    const { text } = await browser.open(`${path}?partial=${id}`);
    const shown = Object.fromEntries(
      ["display_name", "event_name", "metric_0", "value_0", "cooldown_seconds"].map((name) => {
        const [field = ""] = new RegExp(`<input[^>]*name="${name}"[^>]*>`).exec(text) ?? [];
        return [name, /value="([^"]*)"/.exec(field)?.[1] ?? ""];
      }),
    );
    expect(text).toMatch(new RegExp(`<option[^>]*value="${id}"[^>]*selected|<option[^>]*selected[^>]*value="${id}"`));
    const chosen = { monitor_id: id, operator_0: "gte", classification: "public", is_enabled: "true" };
    expect((await browser.submit(path, { ...shown, ...chosen })).status).toBe(303);
    const { body } = await client.get(`${V1}/status-pages/${page}/events/rules`);
    expect(body).toMatchObject([{ event_name: "partial_outage", monitor_id: id, cooldown_seconds: 3600 }]);
    expect(JSON.parse(body[0].conditions)).toMatchObject([{ metric: "locations_down", operator: "gte", value: 1 }]);
  });

  it("are linked from the incident of an outage, with what each of them saw", async () => {
    const { client, user_id } = owner;
    const status_page_id = await insertPage(user_id);
    const rules = { failure_threshold: 1, auto_create_incident: true, paused: false };
    const target = { name: "Desk", type: "https", target: "https://desk.example/", locations: [`agent:${agent.id}`] };
    const { body: desk } = await client.post(`${V1}/monitors`, { ...target, ...rules, status_page_id });
    await agent.client.post(`${V1}/monitors/${desk.id}/status`, { status: "down", message: "refused" });
    const list = () => client.get(`${V1}/incidents?status_page_id=${status_page_id}`);
    await vi.waitFor(async () => expect((await list()).body).toHaveLength(1), PATIENCE);
    const [{ id, started_at }] = (await list()).body;
    const { text } = await browser.open(`/app/incidents/${id}`);
    const link = `<a href="/app/monitors/${desk.id}/evidence?since=${Date.parse(started_at) - 60_000}"`;
    expect(text.split(link)).toHaveLength(3);
    expect(text).toContain(`${link}>What each location saw</a>`);
  });
});
