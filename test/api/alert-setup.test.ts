import { describe, expect, it } from "vitest";
import { newId } from "../../src/platform/ids.ts";
import { V1 } from "../support/client.ts";
import { createAccount, createPage } from "../support/factories.ts";
import { createMember } from "../support/members.ts";
import { useSink } from "../support/sink.ts";
import { createWebhook, sinkUrl } from "../support/webhooks.ts";

const sink = useSink();
const at = (page: string, rest = "") => `${V1}/status-pages/${page}/alert-setup${rest}`;

async function createSetup() {
  const account = await createAccount();
  const page = await createPage(account);
  const url = sinkUrl();
  const answer = await account.client.post(at(page), { name: "Ops", url, secret: "canary-7d1" });
  expect(answer).toMatchObject({ status: 201, body: { name: "Ops", url, has_secret: true, status_page_id: page } });
  return { account, page, webhook: answer.body };
}

describe("/status-pages/{id}/alert-setup", () => {
  it("holds the webhooks of that page, and what is made there is an ordinary webhook", async () => {
    const { account, page, webhook } = await createSetup();
    const other = await createWebhook(account, { status_page_id: page });
    await createWebhook(account, { status_page_id: await createPage(account) });
    await createWebhook(account);
    const { body, headers } = await account.client.get(at(page));
    expect(body).toEqual([other, webhook]);
    expect(headers.get("x-total-count")).toBe("2");
    expect((await account.client.get(`${V1}/webhooks/${webhook.id}`)).body).toEqual(webhook);
  });

  it("keeps a webhook on the page of the address, regardless of the body", async () => {
    const { account, page, webhook } = await createSetup();
    const body = { ...webhook, name: "Night shift", status_page_id: newId() };
    const changed = await account.client.put(at(page, `/${webhook.id}`), body);
    expect(changed).toMatchObject({
      status: 200,
      body: { name: "Night shift", status_page_id: page, has_secret: true },
    });
    const made = await account.client.post(at(page), { ...webhook, status_page_id: newId() });
    expect(made).toMatchObject({ status: 201, body: { status_page_id: page } });
  });

  it("tests, lists what was sent, sends it again and deletes", async () => {
    const { account, page, webhook } = await createSetup();
    const own = at(page, `/${webhook.id}`);
    sink.answer(webhook.url, 200, 200);
    const tested = await account.client.post(`${own}/test`);
    expect(tested).toMatchObject({ status: 200, body: { delivered: true, status: 200, error: null } });
    const attempts = await account.client.get(`${own}/deliveries`);
    expect(attempts).toMatchObject({ status: 200, body: [{ event: "test_event", attempt: 1 }] });
    const again = await account.client.post(`${own}/deliveries/${attempts.body[0].delivery_id}/redeliver`);
    expect(again).toMatchObject({ status: 201, body: { id: attempts.body[0].delivery_id, state: "pending" } });
    expect((await account.client.delete(own)).status).toBe(204);
    expect((await account.client.get(at(page))).body).toEqual([]);
  });

  it("knows no webhook of another page, and none without a page", async () => {
    const { account, page, webhook } = await createSetup();
    const elsewhere = await createPage(account);
    const unpaged = await createWebhook(account);
    for (const path of [at(elsewhere, `/${webhook.id}`), at(page, `/${unpaged.id}`)]) {
      expect((await account.client.put(path, { name: "x" })).status).toBe(404);
      expect((await account.client.post(`${path}/test`)).status).toBe(404);
      expect((await account.client.get(`${path}/deliveries`)).status).toBe(404);
      expect((await account.client.delete(path)).status).toBe(404);
    }
    expect((await account.client.get(`${V1}/webhooks/${webhook.id}`)).body).toEqual(webhook);
  });

  it("shows viewers where webhooks lead, and no more", async () => {
    const account = await createAccount();
    const { id, member } = await createMember(account, { role: "viewer" });
    const alert_channels = { "monitor.down": "https://sink.test/secret" };
    const { body } = await account.client.post(at(id), { name: "Ops", url: sinkUrl(), alert_channels });
    const shown = { id: body.id, url: "https://sink.test/***", alert_channels: { "monitor.down": "***" } };
    expect((await member.client.get(at(id))).body).toMatchObject([shown]);
    expect((await account.client.get(at(id))).body).toMatchObject([{ id: body.id, alert_channels }]);
    expect((await member.client.put(at(id, `/${body.id}`), { name: "x" })).status).toBe(403);
  });
});
