import { beforeAll, describe, expect, it } from "vitest";
import { V1 } from "../support/client.ts";
import { deliver } from "../support/deliveries.ts";
import { createAccount, createPage } from "../support/factories.ts";
import { type Browser, createBrowser } from "../support/forms.ts";
import { createAccountWithPassword, createMember, insertBrowser } from "../support/members.ts";
import { useSink } from "../support/sink.ts";
import { createWebhook, eventOf, route, sinkUrl } from "../support/webhooks.ts";

const sink = useSink();
let account: Awaited<ReturnType<typeof createAccountWithPassword>>;
let browser: Browser;
beforeAll(async () => {
  account = await createAccountWithPassword();
  browser = createBrowser();
  await browser.submit("/app/sign-in", { email: account.email, password: account.password });
});

const plain = (html: string) => html.replaceAll("&quot;", '"').replaceAll("&#39;", "'");
const listed = async () => (await account.client.get(`${V1}/webhooks`)).body;

describe("the form of a channel", () => {
  it("makes a webhook of the fields that its provider declares, and keeps its secrets when it is saved again", async () => {
    const url = sinkUrl();
    const typed = { name: "Own", provider: "template", url, "config.method": "PUT", "config.body": "{{title}}" };
    const headers = '{"Authorization": "Key canary-77a"}';
    const made = await browser.submit("/app/alerts/new", { ...typed, "config.headers": headers });
    expect(made.status).toBe(303);
    const [webhook] = await listed();
    expect(webhook.config).toEqual({ url, method: "PUT", body: "{{title}}", headers: { Authorization: "***" } });
    const path = `/app/alerts/${webhook.id}/edit`;
    const shown = await browser.open(path);
    expect(shown.text).not.toContain("canary-77a");
    await browser.submit(path, {
      ...typed,
      "config.headers": '{"Authorization": "***"}',
      "config.body": "Now {{title}}",
    });
    sink.answer(url, 200);
    await account.client.post(`${V1}/webhooks/${webhook.id}/test`);
    const [sent] = sink.received;
    expect([sent?.body, sent?.headers.get("authorization")]).toEqual(["Now Test message for Own", "Key canary-77a"]);
  });

  it.each([
    ["an unknown field of a template", { "config.body": "{{nobody}}" }, "must not use {{nobody}}"],
    ["a method that does not exist", { "config.method": "TRACE" }, "must be one of POST, PUT"],
  ])("says beside the field what is wrong with %s", async (_name, fields, problem) => {
    const answer = await browser.submit("/app/alerts/new", {
      name: "X",
      provider: "template",
      url: sinkUrl(),
      ...fields,
    });
    const html = plain(answer.text);
    const [name = ""] = Object.keys(fields);
    expect([answer.status, html]).toEqual([400, expect.stringContaining(`id="${name}-problem"`)]);
    expect(html).toContain(problem);
  });
});

it("a channel that does not exist yet keeps no secret, and says so of none", async () => {
  const fieldsOf = (html: string) => html.slice(html.indexOf("data-provider-fields"), html.indexOf("<template"));
  const { text } = await browser.open("/app/alerts/new?provider=pushover");
  expect(fieldsOf(text)).toContain('name="config.token"');
  expect(fieldsOf(text)).not.toMatch(/\*\*\*|Stored\./);
});

describe("the preview of a channel", () => {
  it("shows the requests of an outage, its end and an incident, without secrets, and sends and stores nothing", async () => {
    const before = await listed();
    const answer = await browser.submit("/app/alerts/new", {
      intent: "preview",
      name: "X",
      provider: "template",
      url: sinkUrl(),
      "config.headers": '{"X-Key": "canary-88b"}',
      "config.body": '{"t": "{{title}}", "d": "{{duration}}"}',
    });
    const html = plain(answer.text);
    const requests = html.slice(html.indexOf('aria-label="Preview"'), html.indexOf('class="fields"'));
    expect(requests).toContain('"t": "Shop is down"');
    expect(requests).toContain('"d": "12 minutes 34 seconds"');
    expect(requests).toContain("x-key: ***");
    expect(requests).not.toContain("canary-88b");
    expect([await listed(), sink.received]).toEqual([before, []]);
  });

  it("of a stored one keeps what is masked", async () => {
    const config = { token: "azGDORePK8gMaC0QOYAMyEEuzJnyUi", user: "uQiRzpo4DXghDmr9QzzfQu27cmVRsG" };
    const { id } = await createWebhook(account, { provider: "pushover", url: sinkUrl(), config });
    const typed = { name: "P", provider: "pushover", "config.token": "***", "config.user": "***", intent: "preview" };
    const html = plain((await browser.submit(`/app/alerts/${id}/edit`, typed)).text);
    expect(html).toContain('"title": "Shop is down"');
    expect(html).not.toContain(config.token);
    const outsider = createBrowser();
    const other = await createAccountWithPassword();
    await outsider.submit("/app/sign-in", { email: other.email, password: other.password });
    expect((await outsider.submit(`/app/alerts/${id}/edit`, typed)).status).toBe(404);
  });
});

it("the deliveries of a channel can be sent again only while it is on, and are asked for often only while one waits", async () => {
  const webhook = await createWebhook(account);
  sink.answer(webhook.url, 200);
  await deliver(await route(eventOf(account.user_id, { name: "monitor.down" })));
  const shown = async () => (await browser.open(`/app/alerts/deliveries?channel=${webhook.id}`)).text;
  expect(await shown()).toContain("Redeliver");
  expect(await shown()).not.toContain("data-awaited");
  await account.client.put(`${V1}/webhooks/${webhook.id}`, { is_active: false });
  expect(await shown()).not.toContain("Redeliver");
});

it("the deliveries of a channel name and link what each is about", async () => {
  const webhook = await createWebhook(account);
  sink.answer(webhook.url, 200);
  const event = eventOf(account.user_id, { name: "monitor.down", data: { monitor_name: "Shop <&>" } });
  await deliver(await route(event));
  const { text } = await browser.open(`/app/alerts/deliveries?channel=${webhook.id}`);
  const id = "monitor_id" in event.data ? event.data.monitor_id : null;
  expect(text).toContain(
    `<th scope="row" dir="auto"><a href="/app/monitors/${id}">Shop &lt;&amp;&gt;</a></th><td>monitor.down</td>`,
  );
});

it("the deliveries of all channels stand together, the newest first, until one is chosen", async () => {
  const own = await createAccountWithPassword();
  const shop = await createBrowser();
  await shop.submit("/app/sign-in", { email: own.email, password: own.password });
  const names = ["First", "Second"];
  const [first, second] = await Promise.all(names.map((name) => createWebhook(own, { name })));
  for (const webhook of [first, second]) sink.answer(webhook?.url ?? "", 200);
  await deliver(await route(eventOf(own.user_id, { name: "monitor.down", data: { monitor_name: "Till" } })));
  await own.client.put(`${V1}/webhooks/${first?.id}`, { is_active: false });
  await deliver(await route(eventOf(own.user_id, { name: "monitor.up", data: { monitor_name: "Till" } })));
  const rowsOf = async (query: string) => {
    const { text } = await shop.open(`/app/alerts/deliveries${query}`);
    const rows = text.match(/<tr><th scope="row".*?<\/tr>/gs) ?? [];
    return rows.map((row) => [row.match(/monitor\.\w+/)?.[0], names.filter((name) => row.includes(`>${name}<`))]);
  };
  const all = await rowsOf("");
  expect(all[0]).toEqual(["monitor.up", ["Second"]]);
  expect(all.slice(1).toSorted((a, b) => String(a).localeCompare(String(b)))).toEqual([
    ["monitor.down", ["First"]],
    ["monitor.down", ["Second"]],
  ]);
  expect(await rowsOf(`?channel=${first?.id}`)).toEqual([["monitor.down", []]]);
});

it("the deliveries of a page's channel are shown to those who may change it, and to no viewer", async () => {
  const owner = await createAccount();
  const page = await createPage(owner);
  const webhook = await createWebhook(owner, { name: "Ops", status_page_id: page });
  sink.answer(webhook.url, 200);
  const event = eventOf(owner.user_id, { name: "monitor.down", status_page_id: page, data: { monitor_name: "Till" } });
  await deliver(await route(event));
  const seenBy = async (role: "viewer" | "admin") => {
    const { member } = await createMember(owner, { role }, page);
    const shown = createBrowser(await insertBrowser(member));
    const rowsAt = async (query: string) =>
      (await shown.open(`/app/alerts/deliveries${query}`)).text.match(/<tr><th scope="row".*?<\/tr>/gs)?.length ?? 0;
    return [await rowsAt(""), await rowsAt(`?channel=${webhook.id}`)];
  };
  expect([await seenBy("admin"), await seenBy("viewer")]).toEqual([
    [1, 1],
    [0, 0],
  ]);
});
