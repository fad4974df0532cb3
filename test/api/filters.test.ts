import { describe, expect, it } from "vitest";
import { V1 } from "../support/client.ts";
import { type Account, createAccount, createPage } from "../support/factories.ts";
import { insertMonitor } from "../support/monitors.ts";
import { insertIncident } from "../support/pages.ts";
import { createWebhook } from "../support/webhooks.ts";

const DAY = 86_400_000;
const iso = (at: number) => encodeURIComponent(new Date(at).toISOString());

/** The names of what a filtered list holds, sorted, after checking its total. */
async function namesIn({ client }: Account, path: string, query: string, name = "name"): Promise<string[]> {
  const answer = await client.get(`${V1}${path}?${query}`);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  expect(answer.headers.get("x-total-count")).toBe(String(answer.body.length));
  return answer.body.map((entry: Record<string, unknown>) => entry[name]).sort();
}

describe("GET /monitors", () => {
  it("narrows the list by every filter, several values being alternatives", async () => {
    const account = await createAccount();
    const now = Date.now();
    const status_page_id = await createPage(account);
    const group = await account.client.post(`${V1}/groups`, { name: "G", status_page_id });
    const add = (name: string, fields: object) => insertMonitor(account.user_id, { name, ...fields });
    const placed = { status_page_id, group_id: group.body.id };
    await add("Shop", { status: "up", tags: ["eu", "paid"], target: "https://shop.example/", external_key: "shop" });
    await add("Mail", { status: "down", type: "smtp", tags: ["eu"], target: "mx.example:25", ...placed });
    await add("Cert", { status: "degraded", type: "ssl", certificate_expires_at: now + 5 * DAY, external_key: "a,b" });
    await add("Name", { status: "up", type: "domain", domain_expires_at: now + 50 * DAY });
    const of = (query: string) => namesIn(account, "/monitors", query);

    expect(await of("status=down")).toEqual(["Mail"]);
    expect(await of("status=down,degraded")).toEqual(["Cert", "Mail"]);
    expect(await of("type=ssl,domain")).toEqual(["Cert", "Name"]);
    expect(await of("tag=paid")).toEqual(["Shop"]);
    expect(await of("tag=eu,other")).toEqual(["Mail", "Shop"]);
    expect(await of(`group_id=${group.body.id}`)).toEqual(["Mail"]);
    expect(await of("external_key=shop,none")).toEqual(["Shop"]);
    expect(await of("q=SHOP")).toEqual(["Shop"]);
    expect(await of("q=example")).toEqual(["Mail", "Shop"]);
    expect(await of(`certificate_expires_before=${iso(now + 6 * DAY)}`)).toEqual(["Cert"]);
    expect(await of(`certificate_expires_before=${iso(now + 4 * DAY)}`)).toEqual([]);
    expect(await of(`domain_expires_before=${iso(now + 60 * DAY)}`)).toEqual(["Name"]);
    expect(await of("status=up&tag=eu&q=shop")).toEqual(["Shop"]);
    expect(await namesIn(account, `/status-pages/${status_page_id}/monitors`, "status=down")).toEqual(["Mail"]);
    expect(await namesIn(account, `/status-pages/${status_page_id}/monitors`, "status=up")).toEqual([]);
  });

  it("keeps the filter in the link to the next page", async () => {
    const account = await createAccount();
    for (const name of ["A", "B", "C"]) await insertMonitor(account.user_id, { name, status: "down" });
    const { headers } = await account.client.get(`${V1}/monitors?status=down,up&limit=2`);
    const next = /<([^>]+)>; rel="next"/.exec(headers.get("link") ?? "")?.[1] ?? "";
    const rest = await account.client.get(next);
    expect(rest.body.map(({ name }: { name: string }) => name)).toEqual(["C"]);
    expect(rest.headers.get("link")).toMatch(/rel="prev"/);
  });

  it("refuses a group of somebody else among several", async () => {
    const [account, other] = [await createAccount(), await createAccount()];
    const group = async (of: Account) =>
      (await of.client.post(`${V1}/groups`, { name: "G", status_page_id: await createPage(of) })).body.id;
    const query = `group_id=${await group(account)},${await group(other)}`;
    expect(await account.client.get(`${V1}/monitors?${query}`)).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining("group_id") },
    });
  });
});

describe("GET /incidents", () => {
  it("narrows the list by every filter", async () => {
    const account = await createAccount();
    const now = Date.now();
    const status_page_id = await createPage(account);
    const monitor = await insertMonitor(account.user_id, { status_page_id });
    const placed = { owner_id: account.user_id, status_page_id };
    await insertIncident({ ...placed, title: "Old", status: "resolved", resolved_at: now, started_at: now - 9 * DAY });
    await insertIncident({ ...placed, title: "Slow", severity: "critical", started_at: now - DAY, tags: ["db"] });
    await insertIncident({ ...placed, title: "Auto", status: "monitoring", started_at: now, origin_outage_id: "o" });
    const made = { status_page_id, title: "Made", severity: "major", monitor_ids: [monitor.id] };
    expect(await account.client.post(`${V1}/incidents`, made)).toMatchObject({ status: 201 });
    const of = (query: string) => namesIn(account, "/incidents", query, "title");

    expect(await of("status=resolved,monitoring")).toEqual(["Auto", "Old"]);
    expect(await of("severity=critical")).toEqual(["Slow"]);
    expect(await of("tag=db")).toEqual(["Slow"]);
    expect(await of(`monitor_id=${monitor.id}`)).toEqual(["Made"]);
    expect(await of("created_automatically=true")).toEqual(["Auto"]);
    expect(await of("created_automatically=false&q=s")).toEqual(["Slow"]);
    expect(await of(`from=${iso(now - 2 * DAY)}&to=${iso(now)}`)).toEqual(["Slow"]);
    expect(await of("q=OLD")).toEqual(["Old"]);
    expect(await namesIn(account, `/status-pages/${status_page_id}/incidents`, "status=resolved", "title")).toEqual([
      "Old",
    ]);
  });
});

describe("GET /webhooks and GET /agents", () => {
  it("narrow the list by what they hold", async () => {
    const account = await createAccount();
    const url = "https://sink.test/ops";
    await createWebhook(account, { name: "Generic", url });
    const slack = await createWebhook(account, { name: "Slack", url, provider: "slack" });
    await account.client.patch(`${V1}/webhooks/${slack.id}/toggle`);
    expect(await namesIn(account, "/webhooks", "provider=slack,generic")).toEqual(["Generic", "Slack"]);
    expect(await namesIn(account, "/webhooks", "provider=slack")).toEqual(["Slack"]);
    expect(await namesIn(account, "/webhooks", "is_active=true")).toEqual(["Generic"]);
    await account.client.post(`${V1}/agents`, { name: "Rack" });
    expect(await namesIn(account, "/agents", "status=offline,online")).toEqual(["Rack"]);
    expect(await namesIn(account, "/agents", "status=online")).toEqual([]);
  });
});

describe("a filter", () => {
  it.each([
    ["/monitors", "status=sleeping"],
    ["/monitors", "status=up,"],
    ["/monitors", "type=http,fax"],
    ["/monitors", "group_id=all"],
    ["/monitors", "certificate_expires_before=soon"],
    ["/incidents", "status=closed"],
    ["/incidents", "severity=tiny"],
    ["/incidents", "created_automatically=maybe"],
    ["/incidents", "from=yesterday"],
    ["/webhooks", "provider=pigeon"],
    ["/webhooks", "is_active=1"],
    ["/agents", "status=away"],
  ])("of %s refuses what it does not know: %s", async (path, query) => {
    const { client } = await createAccount();
    expect(await client.get(`${V1}${path}?${query}`)).toMatchObject({ status: 400 });
  });
});
