import { describe, expect, it } from "vitest";
import { CAPABILITIES } from "../../src/contract/member.ts";
import { newId } from "../../src/platform/ids.ts";
import { V1 } from "../support/client.ts";
import { createEnv, deliver, stored } from "../support/deliveries.ts";
import { createAccount, createPage } from "../support/factories.ts";
import { createMember } from "../support/members.ts";
import { useSink } from "../support/sink.ts";
import { createWebhook, eventOf, route, sinkUrl } from "../support/webhooks.ts";

const sink = useSink();
const BODY = '{"title": "{{title}}", "state": "{{status}}"}';
const HEADERS = { Authorization: "Key canary-5f2", "X-Team": "ops" };
const OTHERS = CAPABILITIES.filter((capability) => capability !== "secrets.read");

const templateOf = (url = sinkUrl()) => ({
  provider: "template",
  url: undefined,
  config: { method: "PUT", url, headers: HEADERS, body: BODY },
});

describe("config", () => {
  it("is stored, and its secrets are shown to nobody", async () => {
    const account = await createAccount();
    const url = sinkUrl();
    const made = await createWebhook(account, templateOf(url));
    const shown = { method: "PUT", url, headers: { Authorization: "***", "X-Team": "***" }, body: BODY };
    expect([made.url, made.config]).toEqual([url, shown]);
    const got = await account.client.get(`${V1}/webhooks/${made.id}`);
    expect(got.body.config).toEqual(shown);
    const audit = await account.client.get(`${V1}/audit-logs`);
    const listed = await account.client.get(`${V1}/webhooks`);
    expect(JSON.stringify([made, got.body, listed.body, audit.body])).not.toContain("canary-5f2");
  });

  it("keeps what an update leaves out or sends back masked, and clears what is null", async () => {
    const account = await createAccount();
    const url = sinkUrl();
    const { id, config } = await createWebhook(account, templateOf(url));
    const path = `${V1}/webhooks/${id}`;
    expect((await account.client.put(path, { config: { ...config, body: "{{title}}" } })).status).toBe(200);
    expect((await account.client.put(path, { config: { method: null } })).body.config).toEqual({
      url,
      headers: { Authorization: "***", "X-Team": "***" },
      body: "{{title}}",
    });
    sink.answer(url, 200);
    await account.client.post(`${path}/test`);
    const [sent] = sink.received;
    expect([sent?.method, sent?.body, sent?.headers.get("authorization")]).toEqual([
      "POST",
      "Test message for Ops",
      "Key canary-5f2",
    ]);
    await account.client.put(path, { config: { headers: { "X-Team": "***" } } });
    sink.answer(url, 200);
    await account.client.post(`${path}/test`);
    expect(sink.received[1]?.headers.get("authorization")).toBeNull();
  });

  it("may come as JSON in a text, and takes the address at either place", async () => {
    const account = await createAccount();
    const url = sinkUrl();
    const config = JSON.stringify({ body: BODY, headers: JSON.stringify(HEADERS) });
    const made = await createWebhook(account, { provider: "template", url, config });
    expect(made.config).toMatchObject({ url, headers: { Authorization: "***", "X-Team": "***" } });
    const moved = sinkUrl();
    const path = `${V1}/webhooks/${made.id}`;
    expect((await account.client.put(path, { ...made, url: moved })).body.url).toBe(moved);
    const differing = await account.client.put(path, { url: sinkUrl(), config: { url: sinkUrl() } });
    expect([differing.status, differing.body.error]).toEqual([400, "config.url must be the same as url, or left out"]);
  });

  it("says what it does not know and ignores", async () => {
    const account = await createAccount();
    const made = await createWebhook(account, { config: { colour: "red" } });
    expect([made.config, made.notices]).toEqual([
      {},
      [{ path: "config.colour", message: "is not a field of generic and was ignored" }],
    ]);
  });

  it.each<[string, Record<string, unknown>, string]>([
    ["an unknown field", { body: "{{nobody}}" }, "config.body must not use {{nobody}}"],
    ["a body that is no JSON", { body: '{"a": {{title}}}' }, "config.body is not valid JSON"],
    ["a number as headers", { headers: 5 }, "config.headers must be an object of texts by header name"],
    ["a header of the connection", { headers: { Host: "x" } }, "config.headers must not name the header Host"],
    ["two lines in a header", { headers: { A: "x\r\nB: y" } }, "config.headers must have a value of one line for A"],
    ["a mask without a value", { headers: { A: "***" } }, "config.headers has no stored value for A"],
    ["an address within the network", { url: "https://10.0.0.1/" }, "url cannot be used"],
    ["a list", { body: ["x"] }, "config"],
    ["names of every object", { ["__proto__"]: { a: "b" }, body: "{{title" }, "config.body has a {{ without its }}"],
  ])("is refused with %s", async (_name, config, error) => {
    const account = await createAccount();
    const body = { name: "Own", provider: "template", config: { url: sinkUrl(), ...config } };
    const answer = await account.client.post(`${V1}/webhooks`, body);
    expect([answer.status, answer.body.error]).toEqual([400, expect.stringContaining(error)]);
    expect((await account.client.get(`${V1}/webhooks`)).body).toEqual([]);
  });

  it("does not go along to a receiver whom somebody without secrets.read chose", async () => {
    const owner = await createAccount();
    const page = await createPage(owner);
    const { id } = await createWebhook(owner, { ...templateOf(), status_page_id: page });
    const { member } = await createMember(owner, { role: "custom", capabilities: OTHERS }, page);
    const thief = "https://sink.test:8443/steal";
    const answer = await member.client.put(`${V1}/webhooks/${id}`, { config: { url: thief } });
    expect(answer).toMatchObject({ status: 200, body: { notices: [{ path: "config.headers" }] } });
    sink.answer(thief, 200);
    await member.client.post(`${V1}/webhooks/${id}/test`);
    expect(sink.received.map(({ url, headers }) => [url, headers.get("authorization")])).toEqual([[thief, null]]);
  });

  it("is masked whole for members who may not change alerts", async () => {
    const owner = await createAccount();
    const page = await createPage(owner);
    const { id } = await createWebhook(owner, { ...templateOf(), status_page_id: page });
    const { member } = await createMember(owner, { role: "viewer" }, page);
    const { body } = await member.client.get(`${V1}/webhooks/${id}`);
    expect(body.config).toEqual({
      method: "***",
      url: "***",
      headers: { Authorization: "***", "X-Team": "***" },
      body: "***",
    });
  });
});

it("a delivery by a template carries the event, and its record none of the secrets", async () => {
  const account = await createAccount();
  const url = sinkUrl();
  const { id } = await createWebhook(account, templateOf(url));
  sink.serve(url, ({ headers }) => new Response(`you said ${headers.get("authorization")}`));
  const [delivery = ""] = await route(eventOf(account.user_id, { id: newId() }));
  await deliver([delivery], createEnv({ DELIVERY_TIMEOUT_MS: 5000 }).bindings);
  expect((await stored(delivery)).delivery?.state).toBe("delivered");
  expect(sink.received.map(({ method, body }) => [method, JSON.parse(body)])).toEqual([
    ["PUT", { title: "Shop is down", state: "down" }],
  ]);
  const { body } = await account.client.get(`${V1}/webhooks/${id}/deliveries`);
  expect(body[0].request.headers.authorization).toBe("***");
  expect(body[0].response_body).toBe("you said ***");
  expect(JSON.stringify(body)).not.toContain("canary-5f2");
});
