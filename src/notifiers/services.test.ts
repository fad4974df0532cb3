import { describe, expect, it } from "vitest";
import { exampleInput, httpRequest } from "../../test/support/providers.ts";
import { FAKE_SERVICES, type FakeService } from "../../test/support/service-fakes.ts";
import type { ProviderConfig, WebhookProvider } from "../contract/webhook.ts";
import { ACKNOWLEDGE } from "../domain/alert-messages.ts";
import type { AnswerReading, NotifierRequest, WebhookTarget } from "./port.ts";
import { notifierOf } from "./registry.ts";

const targetOf = ({ url, config }: FakeService, changed: Partial<WebhookTarget> = {}): WebhookTarget => ({
  url,
  secret: null,
  previous_secret: null,
  channel: null,
  config,
  ...changed,
});

const serviceOf = (provider: WebhookProvider): FakeService => {
  const service = FAKE_SERVICES.find((each) => each.provider === provider);
  if (!service) throw new Error(provider);
  return service;
};

function build(provider: WebhookProvider, event: Parameters<typeof exampleInput>[0] = {}, changed = {}) {
  return notifierOf(provider).build(exampleInput(event), targetOf(serviceOf(provider), changed));
}
const bodyOf = (provider: WebhookProvider, event: Parameters<typeof exampleInput>[0] = {}, changed = {}) =>
  JSON.parse(httpRequest(build(provider, event, changed)).body);

const MASKED = /^(?:authorization|x-gotify-key|access-token)$/;

/** Every request of an outage and of its end, as a reader of the file compares it with the service's documentation. */
it("what is sent of an outage and its end is as written down", async () => {
  const shown = (request: NotifierRequest | null) => {
    if (request === null) return null;
    const headers = Object.entries(request.headers).filter(([name]) => !MASKED.test(name));
    const isJson = request.headers["content-type"] === "application/json";
    const body = isJson ? JSON.parse(request.body) : Object.fromEntries(new URLSearchParams(request.body));
    return { method: request.method, url: request.url, headers: Object.fromEntries(headers), body };
  };
  const sent = FAKE_SERVICES.map(({ provider }) => {
    const [down, up] = ["monitor.down", "monitor.up"].map((name) => build(provider, { name }));
    return [provider, { down: shown(httpRequest(down ?? null)), up: up ? shown(httpRequest(up)) : null }];
  });
  const text = `${JSON.stringify(Object.fromEntries(sent), null, 2)}\n`;
  await expect(text).toMatchFileSnapshot("../../test/support/service-requests.txt");
});

const WITH_SECRETS = FAKE_SERVICES.filter(({ provider, config }) =>
  notifierOf(provider).fields.some(({ name, is_secret }) => is_secret && Object.hasOwn(config, name)),
);

it.each(
  WITH_SECRETS.map((service) => [service.provider, service] as const),
)("a wrong secret of %s is refused", async (provider, service) => {
  const notifier = notifierOf(provider);
  const secrets = notifier.fields.filter(({ is_secret }) => is_secret).map(({ name }) => name);
  for (const secret of secrets.filter((name) => Object.hasOwn(service.config, name))) {
    // Pushover's fake knows no accounts, and checks the form of keys alone.
    const config = { ...service.config, [secret]: provider === "pushover" ? "short" : "wrong-secret-1" };
    const answer = service.fake(httpRequest(notifier.build(exampleInput(), targetOf(service, { config }))));
    const reading = notifier.readAnswer?.({ status: answer.status, excerpt: await answer.clone().text() });
    expect([secret, answer.ok && reading?.kind !== "refused"]).toEqual([secret, false]);
  }
});

describe("a service that keeps alerts", () => {
  const keyOf: [WebhookProvider, (provider: WebhookProvider, name: string) => string][] = [
    ["splunk_on_call", (provider, name) => bodyOf(provider, { name }).entity_id],
    ["incident_io", (provider, name) => bodyOf(provider, { name }).deduplication_key],
    ["grafana_irm", (provider, name) => bodyOf(provider, { name }).alert_uid],
    ["gitlab_alerts", (provider, name) => bodyOf(provider, { name }).fingerprint],
  ];
  it.each(keyOf)("%s finds the alert of an outage again when it ends", (provider, key) => {
    expect(key(provider, "monitor.up")).toBe(key(provider, "monitor.down"));
  });

  it("is closed and acknowledged by its alias in Jira Service Management", () => {
    const { alias } = bodyOf("jira_service_management");
    const path = (name: string) => new URL(httpRequest(build("jira_service_management", { name })).url).pathname;
    expect(path("monitor.up")).toBe(`/jsm/ops/integration/v2/alerts/${encodeURIComponent(alias)}/close`);
    expect(path("incident.acknowledged")).toMatch(/\/acknowledge$/);
  });

  it.each<[WebhookProvider, string, unknown]>([
    ["splunk_on_call", "message_type", ["CRITICAL", "RECOVERY", "ACKNOWLEDGEMENT"]],
    ["incident_io", "status", ["firing", "resolved", undefined]],
    ["grafana_irm", "state", ["alerting", "ok", undefined]],
  ])("hears of %s's %s", (provider, member, values) => {
    const names = ["monitor.down", "monitor.up", "incident.acknowledged"];
    const sent = names.map((name) => (build(provider, { name }) ? bodyOf(provider, { name })[member] : undefined));
    expect(sent).toEqual(values);
  });
});

describe("an issue on GitHub", () => {
  const { fake, ...service } = serviceOf("github_issues");
  const target = targetOf({ fake, ...service });

  it("opens with an outage and is closed by its end", async () => {
    const { editing } = notifierOf("github_issues");
    const number = editing?.parseMessageId(await fake(httpRequest(build("github_issues"))).text()) ?? "";
    const end = editing?.edit(exampleInput({ name: "monitor.up" }), target, number);
    expect([number, end?.method, end?.url, JSON.parse(end?.body ?? "")]).toEqual([
      "77",
      "PATCH",
      "https://api.github.com/repos/example/shop/issues/77",
      expect.objectContaining({ state: "closed", state_reason: "completed", title: "Shop is up again" }),
    ]);
  });

  it("is none of an end whose beginning nobody reported, nor of the automatic incident of an outage", () => {
    expect(build("github_issues", { name: "monitor.up" })).toBeNull();
    const data = { is_automatic: true, outage_id: "o" };
    expect(build("github_issues", { name: "incident.created", data })).toBeNull();
    expect(build("github_issues", { name: "incident.created" })).not.toBeNull();
  });

  it("mentions nobody", () => {
    const text = "```\n@octocat #1 ````";
    const { title, body } = bodyOf("github_issues", { data: { monitor_name: "@octocat #1", message: text } });
    expect(title).toBe("@\u200boctocat #\u200b1 is down");
    expect(body.startsWith(`\`\`\`\`\`text\n${text}\n\`\`\`\`\`\n`)).toBe(true);
  });
});

describe("a thread in Slack", () => {
  const { fake, ...service } = serviceOf("slack_app");
  const target = targetOf({ fake, ...service });
  const { editing, follow } = notifierOf("slack_app");
  const bodyOfRequest = (request: NotifierRequest | null | undefined) => JSON.parse(request?.body ?? "null");

  it("has the state of its outage in the first message, and each step as a reply", async () => {
    const ts = editing?.parseMessageId(await fake(httpRequest(build("slack_app"))).text()) ?? "";
    const end = exampleInput({ name: "monitor.up" });
    const [changed, reply] = [editing?.edit(end, target, ts), follow?.(end, target, ts)];
    expect([changed?.url, bodyOfRequest(changed)]).toEqual([
      "https://slack.com/api/chat.update",
      expect.objectContaining({ ts: "1503435956.000247", text: expect.stringContaining("Shop is up again") }),
    ]);
    expect([reply?.url, bodyOfRequest(reply)]).toEqual([
      "https://slack.com/api/chat.postMessage",
      expect.objectContaining({ thread_ts: "1503435956.000247", reply_broadcast: false }),
    ]);
    for (const request of [changed, reply]) {
      expect(await fake(httpRequest(request ?? null)).json()).toMatchObject({ ok: true });
    }
    expect(follow?.(exampleInput(), target, null)).toBeNull();
  });

  it("keeps the link that acknowledges beside buttons, which work for who has linked an account alone", () => {
    const input = exampleInput({ name: "incident.created" });
    const links = [{ label: ACKNOWLEDGE, url: "https://vigil.test/acknowledge/x" }];
    const request = httpRequest(
      notifierOf("slack_app").build({ ...input, message: { ...input.message, links } }, target),
    );
    const { elements } = bodyOfRequest(request).blocks.at(-1);
    expect(elements).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ action_id: "acknowledge" }),
        expect.objectContaining({ url: "https://vigil.test/acknowledge/x" }),
      ]),
    );
  });

  it("stays in the channel where it began, although later events are for another one", () => {
    const [end, elsewhere] = [exampleInput({ name: "monitor.up" }), { ...target, channel: "C0OTHER01" }];
    const id = editing?.parseMessageId('{"ok":true,"channel":"C012AB3CD","ts":"1503435956.000247"}') ?? "";
    for (const request of [editing?.edit(end, elsewhere, id), follow?.(end, elsewhere, id)]) {
      expect(bodyOfRequest(request)).toMatchObject({ channel: "C012AB3CD" });
    }
  });

  it("shows a reminder in the channel, too", () => {
    const reminder = exampleInput({ name: "monitor.reminder" });
    expect(bodyOfRequest(follow?.(reminder, target, "1503435956.000247"))).toMatchObject({ reply_broadcast: true });
  });

  it("is written to no person", () => {
    expect(() => build("slack_app", {}, { channel: "U012AB3CD" })).toThrow("names no channel");
  });
});

describe("a phone", () => {
  it("is not called about what is over", () => {
    const called = ["monitor.down", "monitor.up", "incident.resolved", "maintenance.started", "test_event"].filter(
      (name) => build("twilio_voice", { name }) !== null,
    );
    expect(called).toEqual(["monitor.down", "test_event"]);
  });

  it("hears names as words, not as markup", () => {
    const data = { monitor_name: "<Dial>+1900</Dial> & more", message: "" };
    const twiml = new URLSearchParams(httpRequest(build("twilio_voice", { data })).body).get("Twiml");
    expect(twiml).toContain("&lt;Dial&gt;+1900&lt;/Dial&gt; &amp; more is down");
    expect(twiml).not.toContain("<Dial>");
  });

  it("sounds until confirmed where its owner wants it", () => {
    expect(bodyOf("pushover")).toMatchObject({ priority: 2, retry: 60, expire: 3600 });
    const config: ProviderConfig = { ...serviceOf("pushover").config, emergency: "once" };
    expect(bodyOf("pushover", {}, { config })).toMatchObject({ priority: 1 });
    expect(bodyOf("pushover", { name: "monitor.up" })).toMatchObject({ priority: 0 });
  });
});

describe("an entry of alert_channels", () => {
  it.each<[WebhookProvider, string, (request: NotifierRequest) => unknown]>([
    ["apprise", "day", ({ body }) => JSON.parse(body).tag],
    ["matrix", "!other:example.org", ({ url }) => decodeURIComponent(url.split("/")[7] ?? "")],
    ["jira_service_management", "other-key", ({ headers }) => headers.authorization?.split(" ")[1]],
    ["splunk_on_call", "other", ({ url }) => url.split("/").at(-1)],
    ["twilio_sms", "+4930999", ({ body }) => new URLSearchParams(body).get("To")],
    ["zulip", "other", ({ body }) => new URLSearchParams(body).get("to")],
    ["line", "C1", ({ body }) => JSON.parse(body).to],
    ["signal", "+4930999", ({ body }) => JSON.parse(body).recipients.join()],
    ["home_assistant", "other", ({ url }) => url.split("/").at(-1)],
    ["slack_app", "G0OTHER01", ({ body }) => JSON.parse(body).channel],
    ["github_issues", "example/other", ({ url }) => url.split("/").slice(4, 6).join("/")],
  ])("of %s names where it goes instead", (provider, channel, read) => {
    expect(read(httpRequest(build(provider, {}, { channel })))).toBe(channel);
  });
});

describe("an answer", () => {
  it.each<[WebhookProvider, number, string, AnswerReading | null | undefined]>([
    ["lark", 200, '{"code":0,"msg":"success"}', null],
    [
      "lark",
      200,
      '{"code":19021,"msg":"sign match fail"}',
      { kind: "refused", error: "the service answered code 19021" },
    ],
    ["lark", 200, '{"code":11232}', { kind: "later", error: "the service answered code 11232", wait_seconds: 60 }],
    ["dingtalk", 200, '{"errcode":310000}', { kind: "refused", error: "the service answered code 310000" }],
    [
      "dingtalk",
      200,
      '{"errcode":130101}',
      { kind: "later", error: "the service answered code 130101", wait_seconds: 60 },
    ],
    ["wecom", 200, '{"errcode":45009}', { kind: "later", error: "the service answered code 45009", wait_seconds: 60 }],
    ["bark", 200, '{"code":400,"message":"x"}', { kind: "refused", error: "the service answered code 400" }],
    ["line", 409, "{}", { kind: "delivered" }],
    ["line", 400, "{}", null],
    [
      "matrix",
      429,
      '{"errcode":"M_LIMIT_EXCEEDED","retry_after_ms":2500}',
      { kind: "later", error: "the homeserver limits messages", wait_seconds: 2.5 },
    ],
    ["matrix", 403, '{"errcode":"M_FORBIDDEN"}', null],
    ["apprise", 204, "", { kind: "refused", error: "the Apprise server has nothing stored under this key" }],
    ["splunk_on_call", 200, '{"result":"failure"}', { kind: "refused", error: "Splunk On-Call refused the alert" }],
    [
      "github_issues",
      403,
      '{"message":"You have exceeded a secondary rate limit"}',
      { kind: "later", error: "GitHub limits requests", wait_seconds: 60 },
    ],
    ["github_issues", 403, '{"message":"Resource not accessible"}', null],
    ["aws_sns", 400, "<Code>Throttling</Code>", { kind: "later", error: "SNS limits requests", wait_seconds: null }],
    ["aws_sns", 400, "<Code>InvalidParameter</Code>", null],
    [
      "whatsapp",
      400,
      '{"error":{"code":130429}}',
      { kind: "later", error: "WhatsApp limits messages", wait_seconds: null },
    ],
    ["whatsapp", 400, '{"error":{"code":132000}}', null],
    ["slack_app", 200, '{"ok":true,"ts":"1.2"}', null],
    ["slack_app", 429, "", null],
    [
      "slack_app",
      200,
      '{"ok":false,"error":"token_revoked"}',
      {
        kind: "refused",
        error: "Slack answered token_revoked: the token was revoked, or the app removed from the workspace",
      },
    ],
    [
      "slack_app",
      200,
      '{"ok":false,"error":"ratelimited"}',
      { kind: "later", error: "Slack answered ratelimited", wait_seconds: null },
    ],
  ])("of %s with %i %s is understood", (provider, status, excerpt, reading) => {
    expect(notifierOf(provider).readAnswer?.({ status, excerpt })).toEqual(reading);
  });
});
