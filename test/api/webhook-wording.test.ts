import { describe, expect, it } from "vitest";
import { V1 } from "../support/client.ts";
import { deliver } from "../support/deliveries.ts";
import { createAccount, createMonitor, createPage } from "../support/factories.ts";
import { createBrowser } from "../support/forms.ts";
import { createMember, insertBrowser } from "../support/members.ts";
import { useSink } from "../support/sink.ts";
import { createWebhook, eventOf, route, sinkUrl } from "../support/webhooks.ts";

const sink = useSink();
const WORDS = {
  message_title: "[{{monitor.tags}}] {{title}}",
  message_text: "{{text}}, runbook {{monitor.external_key}}",
};
const plain = (html: string) => html.replaceAll("&quot;", '"').replaceAll("&#39;", "'");

describe("message_title and message_text", () => {
  it("are the words of what a channel is sent, with tags and key of the monitor", async () => {
    const account = await createAccount();
    const { id: monitor } = await createMonitor(account.client, {
      name: "Till",
      tags: ["eu", "p1"],
      external_key: "till",
    });
    const { url } = await createWebhook(account, { provider: "mattermost", ...WORDS });
    sink.answer(url, 200);
    const data = { monitor_id: monitor, monitor_name: "Till", message: "HTTP 503" };
    await deliver(await route(eventOf(account.user_id, { name: "monitor.down", monitor_id: monitor, data })));
    const [sent] = sink.received;
    expect(sent?.body).toContain("eu, p1");
    expect(sent?.body).toContain("runbook till");
    expect(sent?.body).not.toContain("Since");
  });

  it("leave a test to say that it is one", async () => {
    const account = await createAccount();
    const { id, url } = await createWebhook(account, { provider: "mattermost", ...WORDS });
    sink.answer(url, 200);
    await account.client.post(`${V1}/webhooks/${id}/test`);
    expect(sink.received[0]?.body).toContain("Test message for Ops");
  });

  it("are kept where they are left out or masked, and cleared by null", async () => {
    const account = await createAccount();
    const { id } = await createWebhook(account, { provider: "slack", ...WORDS });
    const path = `${V1}/webhooks/${id}`;
    expect((await account.client.put(path, { name: "Night", message_text: "***" })).body).toMatchObject(WORDS);
    const cleared = await account.client.put(path, { message_title: null, message_text: "" });
    expect(cleared.body).toMatchObject({ message_title: null, message_text: null });
  });

  it("are refused with a field that no event has", async () => {
    const account = await createAccount();
    const body = { name: "Ops", provider: "slack", url: sinkUrl(), message_title: "{{secret}}" };
    const answer = await account.client.post(`${V1}/webhooks`, body);
    expect([answer.status, answer.body.error]).toEqual([400, expect.stringContaining("message_title must not use")]);
  });

  it("are said to be read by no webhook that sends events as they are", async () => {
    const account = await createAccount();
    const { notices } = await createWebhook(account, { message_title: "x" });
    expect(notices).toEqual([{ path: "message_title", message: "is not read by generic" }]);
  });

  it("are masked for members who may not change alerts", async () => {
    const owner = await createAccount();
    const page = await createPage(owner);
    const { id } = await createWebhook(owner, { provider: "slack", ...WORDS, status_page_id: page });
    const { member } = await createMember(owner, { role: "viewer" }, page);
    const { body } = await member.client.get(`${V1}/webhooks/${id}`);
    expect(body).toMatchObject({ message_title: "***", message_text: "***" });
  });
});

it("the preview shows new words on the event that the channel was sent last", async () => {
  const account = await createAccount();
  const browser = createBrowser(await insertBrowser(account));
  const { id, url } = await createWebhook(account, { provider: "mattermost" });
  sink.answer(url, 200);
  await deliver(await route(eventOf(account.user_id, { name: "monitor.down", data: { monitor_name: "Till" } })));
  const typed = { name: "Ops", provider: "mattermost", url, message_title: "Look: {{title}}", intent: "preview" };
  const html = plain((await browser.submit(`/app/alerts/${id}/edit`, typed)).text);
  const preview = html.slice(html.indexOf('aria-label="Preview"'));
  expect(preview).toContain("monitor.down, the most recent one");
  expect(preview).toContain("Look: Till is down");
  expect(preview).toContain("Look: Shop is up again");
  const fresh = plain((await browser.submit("/app/alerts/new", typed)).text);
  expect(fresh).not.toContain("the most recent one");
});
