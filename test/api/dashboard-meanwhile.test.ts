import { beforeAll, describe, expect, it, vi } from "vitest";
import { CORE, V1 } from "../support/client.ts";
import { browserOf, crawl } from "../support/dashboard-crawl.ts";
import { type Account, createAccount, createMonitor, createPage } from "../support/factories.ts";
import type { Browser } from "../support/forms.ts";
import { furnishPage } from "../support/furnished-page.ts";
import { joinPage } from "../support/members.ts";
import { insertPasskeyOf } from "../support/passkeys.ts";
import { type Control, readView } from "../support/shown-controls.ts";
import { createWebhook } from "../support/webhooks.ts";

/** Forms about something that another person, or the same one elsewhere, saves while they are filled in. */
const plain = (html: string) => html.replaceAll("&quot;", '"').replaceAll("&#39;", "'");

let owner: Account;
let member: Account;
let browser: Browser;
let page: string;
beforeAll(async () => {
  vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response("ok"));
  [owner, member] = await Promise.all([createAccount(), createAccount()]);
  browser = await browserOf(owner);
  page = await createPage(owner);
});

/** A form as it was opened; sends it with what was typed in its place. */
async function openForm(path: string, action = path, as = browser) {
  const { controls } = await readView((await as.open(path)).text);
  const isSaving = ({ fields }: Control) => !fields.some(([name]) => name === "intent");
  const control = controls.find((each) => each.action === action && each.method === "post" && isSaving(each));
  const fields = control?.fields ?? [];
  expect(fields.map(([name]) => name)).toContain("made_from");
  return {
    send: (typed: Record<string, string | string[]>) => {
      const kept = fields.filter(([name]) => typed[name] === undefined);
      const entries = Object.entries(typed).flatMap(([name, value]) => [value].flat().map((each) => [name, each]));
      return as.submit(action, [...kept, ...(entries as [string, string][])]);
    },
  };
}

const noticeAfter = async ({ headers }: { headers: Headers }, as = browser) =>
  plain((await as.open(headers.get("location") ?? "")).text);

describe("a channel", () => {
  const read = async (id: string) => (await owner.client.get(`${V1}/webhooks/${id}`)).body;
  it("keeps what two persons saved, and asks where both changed the same", async () => {
    const { id } = await createWebhook(owner, { name: "Ops" });
    const form = await openForm(`/app/alerts/${id}/edit`);
    await owner.client.put(`${V1}/webhooks/${id}`, { remind_every_minutes: 30 });
    const kept = await form.send({ name: "Night" });
    expect(await noticeAfter(kept)).toContain("their values are kept: Minutes between reminders");
    expect(await read(id)).toMatchObject({ name: "Night", remind_every_minutes: 30 });

    const again = await openForm(`/app/alerts/${id}/edit`);
    await owner.client.put(`${V1}/webhooks/${id}`, { name: "Theirs" });
    const refused = await again.send({ name: "Mine" });
    expect(refused.status).toBe(409);
    expect(plain(refused.text)).toContain("Name was changed meanwhile, to “Theirs”.");
    expect(refused.text).toContain('value="Mine"');
    expect(await read(id)).toMatchObject({ name: "Theirs" });
  });

  it("asks where both replaced a secret, and keeps the one of another person where only that was replaced", async () => {
    const provider = { provider: "pushover", config: { user: "u".repeat(30), token: "a".repeat(30) } };
    const { id } = await createWebhook(owner, { secret: "first secret 1234567890" });
    const own = (await owner.client.post(`${V1}/webhooks`, { name: "Phone", ...provider })).body.id as string;
    const cases = [
      [id, "secret", { secret: "their secret 1234567890" }],
      [own, "config.token", { config: { token: "b".repeat(30) } }],
    ] as const;
    for (const [channel, field, theirs] of cases) {
      const form = await openForm(`/app/alerts/${channel}/edit`);
      await owner.client.put(`${V1}/webhooks/${channel}`, theirs);
      const refused = await form.send({ [field]: "c".repeat(30) });
      expect(refused.status).toBe(409);
      expect(refused.text).toContain(`id="${field}-problem"`);
      expect(plain(refused.text)).toMatch(/was changed meanwhile\.</);
      expect(await noticeAfter(await form.send({ name: `Renamed ${field}` }))).toContain("their values are kept: ");
    }
  });

  it("is turned off by who pressed Turn off, regardless of what somebody else pressed before", async () => {
    const { id } = await createWebhook(owner);
    const off = { is_active: "false" };
    await browser.submit(`/app/alerts/${id}/toggle`, off);
    expect(await noticeAfter(await browser.submit(`/app/alerts/${id}/toggle`, off))).toMatch(/ is off\./);
    expect(await read(id)).toMatchObject({ is_active: false });
  });

  it("is not said to be saved where its name was emptied", async () => {
    const { id, name } = await createWebhook(owner);
    const answer = await (await openForm(`/app/alerts/${id}/edit`)).send({ name: " " });
    expect([answer.status, (await read(id)).name]).toEqual([400, name]);
    expect(answer.text).toContain('id="name-problem"');
  });
});

describe("a monitor whose secrets are masked", () => {
  it("asks where its reader and another person replaced the same one", async () => {
    const own = await createPage(owner);
    const writer = await createAccount();
    await joinPage(writer, own, { role: "custom", capabilities: ["monitors.write"] });
    const headers = (value: string) => ({ http_headers: JSON.stringify({ "X-Key": value }) });
    const { id } = await createMonitor(owner.client, { status_page_id: own, ...headers("first") });
    const theirs = await browserOf(writer);
    const opened = await openForm(`/app/monitors/${id}/edit`, undefined, theirs);
    await owner.client.put(`${V1}/monitors/${id}`, headers("theirs"));
    const refused = await opened.send(headers("mine"));
    expect(refused.status).toBe(409);
    expect(plain(refused.text)).toContain("HTTP headers was changed meanwhile.");
    expect((await owner.client.get(`${V1}/monitors/${id}`)).body).toMatchObject(headers("theirs"));
    const renamed = await noticeAfter(await opened.send({ name: "Renamed" }), theirs);
    expect(renamed).toContain("their values are kept: HTTP headers");
  });
});

describe("routing and the topics of a team", () => {
  const read = async () => (await owner.client.get(`${V1}/status-pages/${page}`)).body;
  const save = (body: object) => owner.client.patch(`${V1}/status-pages/${page}/alerting`, body);

  it("keep each event as the last person who changed it wants it", async () => {
    await save({ alert_routing: {} });
    const [view, action] = [`/app/alerts/routing?page=${page}`, `/app/alerts/routing/${page}`];
    const form = await openForm(view, action);
    await save({ alert_routing: { "monitor.up": "team_only" } });
    const kept = await form.send({ "monitor.down": "critical" });
    expect(await noticeAfter(kept)).toContain("their values are kept: Monitor up");
    expect((await read()).alert_routing).toEqual({ "monitor.down": "critical", "monitor.up": "team_only" });

    const again = await openForm(view, action);
    await save({ alert_routing: { "monitor.down": "team_only" } });
    const refused = await again.send({ "monitor.down": "public" });
    expect(refused.status).toBe(409);
    expect(refused.text).toContain('id="monitor.down-problem"');
    expect((await read()).alert_routing).toEqual({ "monitor.down": "team_only" });
  });

  it("save nothing where two persons chose different topics", async () => {
    const path = `/app/pages/${page}/notifications`;
    const form = await openForm(path);
    await save({ notify_team: { down: true, up: false, agent_offline: true } });
    const stored = (await read()).notify_team;
    const refused = await form.send({ notify_team: ["certificate"] });
    expect([refused.status, (await read()).notify_team]).toEqual([409, stored]);
    expect(refused.text).toContain('id="notify_team-problem"');
  });
});

describe("the password of a page", () => {
  it("is neither replaced nor removed by who did not see the present one", async () => {
    const own = await createPage(owner);
    const [view, action] = [`/app/pages/${own}`, `/app/pages/${own}/password`];
    const form = await openForm(view, action);
    await owner.client.put(`${V1}/status-pages/${own}`, { password: "their password" });
    const refused = await form.send({ password: "" });
    expect(refused.status).toBe(409);
    expect(refused.text).toContain("Another person changed it meanwhile.");
    expect((await owner.client.get(`${V1}/status-pages/${own}`)).body.has_password).toBe(true);
    const decided = await openForm(view, action);
    expect((await decided.send({ password: "" })).status).toBe(303);
    expect((await owner.client.get(`${V1}/status-pages/${own}`)).body.has_password).toBe(false);
  });
});

describe("the group of a service", () => {
  it("stays where another person put it meanwhile", async () => {
    const own = await createPage(owner);
    const groupOf = async (name: string) =>
      (await owner.client.post(`${V1}/groups`, { name, status_page_id: own })).body.id as string;
    const [first, second] = [await groupOf("First"), await groupOf("Second")];
    const { id } = await createMonitor(owner.client, { name: "Shop", status_page_id: own });
    const form = await openForm(`/app/pages/${own}/services`, `/app/pages/${own}/services/group`);
    await owner.client.put(`${V1}/monitors/${id}`, { group_id: first });
    const answer = await form.send({ group_id: second });
    expect(await noticeAfter(answer)).toContain("Not moved: another person put Shop into First meanwhile.");
    expect((await owner.client.get(`${V1}/monitors/${id}`)).body.group_id).toBe(first);
  });
});

describe("the role of a member", () => {
  it("is asked about where two persons changed it", async () => {
    await joinPage(member, page, { role: "viewer" });
    const { body } = await owner.client.get(`${V1}/status-pages/${page}/members`);
    const { id } = body.find(({ user_id }: { user_id: string }) => user_id === member.user_id);
    const form = await openForm(`/app/team/${page}/members/${id}`);
    await owner.client.put(`${V1}/status-pages/${page}/members/${id}`, { role: "admin" });
    const refused = await form.send({ role: "editor" });
    expect(refused.status).toBe(409);
    expect(plain(refused.text)).toContain("Role was changed meanwhile, to “");
  });
});

describe("the account", () => {
  it("keeps a name that was changed elsewhere until the person decides", async () => {
    const form = await openForm("/app/account/profile");
    await owner.client.patch(`${CORE}/auth/me`, { name: "Elsewhere" });
    const refused = await form.send({ name: "Here" });
    expect([refused.status, (await owner.client.get(`${CORE}/auth/me`)).body.name]).toEqual([409, "Elsewhere"]);
    expect((await (await openForm("/app/account/profile")).send({ name: " " })).status).toBe(400);
    expect((await (await openForm("/app/account/profile")).send({})).status).toBe(303);
  });

  it("keeps preferences that were changed elsewhere beside those of the form", async () => {
    const form = await openForm("/app/account/notifications");
    await owner.client.put(`${CORE}/user/preferences`, { notify_team: { up: false } });
    expect(await noticeAfter(await form.send({}))).toContain("their values are kept: When");
    const { body } = await owner.client.get(`${CORE}/user/preferences`);
    expect(body.notify_team).toMatchObject({ up: false, down: true });
  });

  it("renames a passkey that was renamed elsewhere only once it was seen", async () => {
    const id = await insertPasskeyOf(owner, "Phone");
    const path = `/app/account/passkeys/${id}/rename`;
    const form = await openForm(path);
    await owner.client.patch(`${CORE}/auth/passkeys/${id}`, { name: "Old phone" });
    const refused = await form.send({ name: "New phone" });
    expect(refused.status).toBe(409);
    expect(plain(refused.text)).toContain("Name was changed meanwhile, to “Old phone”.");
  });
});

/** What makes something new, ends something by its name, or is about nothing that is shown. */
const OTHERS = [
  /\/(delete|cancel|remove|revoke)$/,
  // Of the preview of a page.
  /^#\/subscribe$/,
  /\/(new|watch|invite|setup|add|tokens|groups|install)$/,
  // Changes what is ticked or named, in a way that is chosen.
  /^\/app\/monitors\/(selected|columns)$/,
  /\/(mute|backtest|rotate|password|order)$/,
  // Carries what its writer saw in a field of its own.
  /\/updates$/,
  /^\/app\/on-call\/.*\/calendar\//,
  // Makes what is new, or puts a new secret in the place of one that no form shows.
  /^\/app\/(views|account\/(contacts\/browser|end-everything|workflows)|installation\/accounts)$/,
  /\/ping-key$/,
  // Says what an alert would do, and stores nothing.
  /\/incoming-alerts$/,
];

it("every form about something that exists carries what it was made from", async () => {
  const account = await createAccount({ operator: true });
  await furnishPage(account);
  const bare = new Set<string>();
  const carrying = new Set<string>();
  await crawl(await browserOf(account), (_path, text) => {
    for (const [form, attributes = ""] of text.matchAll(/<form([^>]*)>.*?<\/form>/gs)) {
      const action = /action="([^"]*)"/.exec(attributes)?.[1] ?? "";
      if (!attributes.includes('method="post"')) continue;
      const asks = /<(select|textarea|input(?![^>]*type="(hidden|submit)"))/.test(form);
      if (form.includes('name="made_from"')) carrying.add(action.replaceAll(/[0-9a-f-]{36}/g, "*"));
      else if (asks && !OTHERS.some((each) => each.test(action))) bare.add(action.replaceAll(/[0-9a-f-]{36}/g, "*"));
    }
  });
  expect([...bare]).toEqual([]);
  expect([...carrying].length).toBeGreaterThan(15);
});
