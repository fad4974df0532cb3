import { describe, expect, it } from "vitest";
import { exampleEvent } from "../../test/support/events.ts";
import {
  BOTS,
  exampleInput,
  fakeDiscord,
  fakeDiscordBot,
  fakeGoogleChat,
  fakeMattermost,
  fakeNtfy,
  fakePagerDuty,
  fakeSlack,
  fakeTeams,
  fakeTelegram,
  httpRequest,
  NO_BOTS,
} from "../../test/support/providers.ts";
import { FAKE_SERVICES } from "../../test/support/service-fakes.ts";
import { EVENT_NAMES } from "../contract/events.ts";
import type { WebhookProvider } from "../contract/webhook.ts";
import { composeAlert, NO_READER } from "../domain/alert-messages.ts";
import { findTargetFlaw } from "./fields.ts";
import type { WebhookTarget } from "./port.ts";
import { notifierOf } from "./registry.ts";

const SLACK = "https://hooks.slack.com/services/T0/B0/x";
const DISCORD = "https://discord.com/api/webhooks/1/x";
const TELEGRAM = "https://api.telegram.org/bot1:x/sendMessage";
const MONITOR = "https://vigil.test/app/monitors/0199c0de-0000-7000-8000-000000000001";
const INCIDENT = "https://vigil.test/app/incidents/0199c0de-0000-7000-8000-000000000002";
const OUTAGE = "0199c0de-0000-7000-8000-000000000001/2";

const target = (fields: Partial<WebhookTarget>): WebhookTarget => ({
  url: "",
  secret: null,
  previous_secret: null,
  channel: null,
  config: {},
  ...fields,
});

interface Service {
  name: string;
  provider: WebhookProvider;
  target: WebhookTarget;
  fake: (request: ReturnType<typeof httpRequest>) => Response;
}

const SERVICES: Service[] = [
  { name: "slack", provider: "slack", target: target({ url: SLACK }), fake: fakeSlack },
  { name: "discord", provider: "discord", target: target({ url: DISCORD }), fake: fakeDiscord },
  { name: "discord bot", provider: "discord", target: target({ url: "discord:channel:7" }), fake: fakeDiscordBot },
  { name: "telegram", provider: "telegram", target: target({ url: TELEGRAM, secret: "-100" }), fake: fakeTelegram },
  { name: "telegram bot", provider: "telegram_bot", target: target({ url: "telegram:chat:-100" }), fake: fakeTelegram },
  { name: "teams", provider: "teams", target: target({ url: "https://x.logic.azure.com/w" }), fake: fakeTeams },
  {
    name: "pagerduty",
    provider: "pagerduty",
    fake: fakePagerDuty,
    target: target({ url: "https://events.pagerduty.com/v2/enqueue", secret: "routing-key" }),
  },
  {
    name: "mattermost",
    provider: "mattermost",
    target: target({ url: "https://m.test/hooks/x" }),
    fake: fakeMattermost,
  },
  {
    name: "google chat",
    provider: "google_chat",
    fake: fakeGoogleChat,
    target: target({ url: "https://chat.googleapis.com/v1/spaces/a/messages?key=k&token=t" }),
  },
  {
    name: "ntfy",
    provider: "ntfy",
    target: target({ url: "https://ntfy.sh/ops", secret: "tk_secret" }),
    fake: fakeNtfy,
  },
];

/** Those with fields of their own. */
const OTHERS: Service[] = FAKE_SERVICES.map(({ provider, url, config, fake }) => ({
  name: provider,
  provider,
  target: target({ url, config }),
  fake,
}));

/** Alerts are kept there: maintenance and what is no alarm mean nothing to them. */
const PICKY: readonly WebhookProvider[] = [
  "pagerduty",
  "jira_service_management",
  "splunk_on_call",
  "incident_io",
  "grafana_irm",
  "gitlab_alerts",
  "github_issues",
  "twilio_voice",
];

const build = ({ provider, target: to }: Service, fields: Parameters<typeof exampleEvent>[0] = {}) =>
  notifierOf(provider).build(exampleInput(fields), to);

const serviceOf = (name: string): Service => {
  const found = SERVICES.find((each) => each.name === name);
  if (!found) throw new Error(name);
  return found;
};
const bodyOf = (name: string, fields: Parameters<typeof exampleEvent>[0] = {}) =>
  JSON.parse(httpRequest(build(serviceOf(name), fields)).body);

describe.each([...SERVICES, ...OTHERS])("$name", (service) => {
  it("has a target that lacks nothing", () => {
    expect(findTargetFlaw(notifierOf(service.provider), service.target, BOTS)).toBeNull();
  });

  it.each(EVENT_NAMES)("accepts the message of %s", (name) => {
    const request = build(service, { name });
    if (request === null) expect(PICKY).toContain(service.provider);
    else expect(service.fake(httpRequest(request)).ok).toBe(true);
  });

  it.each([
    ["long", "x".repeat(20_000)],
    ["full of marks", "*_~`[](){}<>@#:!\\|&".repeat(500)],
    ["in many scripts", "Ünïcödé 漢字 🎉 ".repeat(1500)],
    ["of pairs", "🎉".repeat(5000)],
    ["of pairs after a letter", `a${"🎉".repeat(5000)}`],
    ["of wide letters", "漢".repeat(20_000)],
    ["of escapes", "\\".repeat(5000)],
  ])("accepts text that is %s", async (_name, text) => {
    for (const fields of [
      { data: { monitor_name: text.slice(0, 200), message: text } },
      { name: "incident.created", data: { title: text.slice(0, 200), message: text } },
    ]) {
      const response = service.fake(httpRequest(build(service, fields)));
      expect([response.status, response.ok ? "" : await response.text()]).toEqual([response.status, ""]);
    }
  });

  it("accepts an event of a user", () => {
    const request = build(service, {
      name: "deploy.done",
      classification: "critical",
      data: { title: "Deployed", description: "v2 is live" },
    });
    expect(service.fake(httpRequest(request)).ok).toBe(true);
  });

  it("edits what it sent, where the service can", async () => {
    const { editing } = notifierOf(service.provider);
    if (!editing) return;
    const response = service.fake(httpRequest(build(service)));
    const id = editing.parseMessageId(await response.text());
    expect(id).toMatch(/^(?:C012AB3CD\/)?[\d.]+$/);
    expect(service.fake(editing.edit(exampleInput(), service.target, id ?? "")).ok).toBe(true);
  });
});

const WHEN = "2 Jan 2026, 04:04 CET";
const MARKDOWN_LINKS = `[Acknowledge](${INCIDENT}) · [Open monitor](${MONITOR})`;
const ANGLE_LINKS = `<${INCIDENT}|Acknowledge> · <${MONITOR}|Open monitor>`;
const DOWN = (title: string, links: string) =>
  [`🔴 ${title}`, "HTTP 500", `Since: ${WHEN} · Region: Western Europe`, links].join("\n");

describe("the body of an outage", () => {
  it("of slack is a header, the page, the reason beside the facts, and buttons", () => {
    expect(bodyOf("slack")).toEqual({
      text: DOWN("Shop is down", ANGLE_LINKS),
      blocks: [
        { type: "header", text: { type: "plain_text", text: "🔴 Shop is down", emoji: false } },
        { type: "context", elements: [{ type: "plain_text", text: "Northwind", emoji: false }] },
        {
          type: "section",
          text: { type: "mrkdwn", text: "HTTP 500", verbatim: true },
          fields: [
            { type: "mrkdwn", text: `*Since*\n${WHEN}`, verbatim: true },
            { type: "mrkdwn", text: "*Region*\nWestern Europe", verbatim: true },
          ],
        },
        {
          type: "actions",
          elements: [
            {
              type: "button",
              text: { type: "plain_text", text: "Acknowledge", emoji: false },
              url: INCIDENT,
              style: "primary",
            },
            { type: "button", text: { type: "plain_text", text: "Open monitor", emoji: false }, url: MONITOR },
          ],
        },
      ],
    });
  });

  it("of discord mentions no one and shows no address", () => {
    const links = `[Acknowledge](<${INCIDENT}>) · [Open monitor](<${MONITOR}>)`;
    expect(bodyOf("discord")).toEqual({ content: DOWN("**Shop is down**", links), allowed_mentions: { parse: [] } });
  });

  it("of the Discord bot is an embed", () => {
    const request = httpRequest(build(serviceOf("discord bot")));
    expect([request.url, request.headers.authorization]).toEqual([
      "https://discord.com/api/v10/channels/7/messages",
      "Bot discord-bot",
    ]);
    expect(JSON.parse(request.body)).toEqual({
      embeds: [
        {
          title: "Shop is down",
          description: `HTTP 500\n${MARKDOWN_LINKS}`,
          color: 0xd92d20,
          fields: [
            { name: "Since", value: WHEN, inline: true },
            { name: "Region", value: "Western Europe", inline: true },
          ],
          timestamp: "2026-01-02T03:04:05.000Z",
        },
      ],
      allowed_mentions: { parse: [] },
    });
  });

  it("of telegram goes to the chat that the secret names", () => {
    const request = httpRequest(build(serviceOf("telegram")));
    expect(request.url).toBe(TELEGRAM);
    const text = DOWN("*Shop is down*", MARKDOWN_LINKS);
    expect(JSON.parse(request.body)).toEqual({ chat_id: "-100", parse_mode: "Markdown", text });
  });

  it("of the Telegram bot goes by the operator's token", () => {
    const request = httpRequest(build(serviceOf("telegram bot")));
    expect(request.url).toBe("https://api.telegram.org/bot42:bot/sendMessage");
    expect(JSON.parse(request.body)).toEqual({
      chat_id: "-100",
      parse_mode: "Markdown",
      text: DOWN("*Shop is down*", MARKDOWN_LINKS),
    });
  });

  it("of teams is an Adaptive Card without Markdown", () => {
    const run = (text: string, look = {}) => ({ type: "RichTextBlock", inlines: [{ type: "TextRun", text, ...look }] });
    expect(bodyOf("teams")).toEqual({
      type: "message",
      attachments: [
        {
          contentType: "application/vnd.microsoft.card.adaptive",
          contentUrl: null,
          content: {
            $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
            type: "AdaptiveCard",
            version: "1.4",
            body: [
              run("Shop is down", { size: "large", weight: "bolder", color: "attention" }),
              run("HTTP 500"),
              run(`Since: ${WHEN}`),
              run("Region: Western Europe"),
            ],
            actions: [
              { type: "Action.OpenUrl", title: "Acknowledge", url: INCIDENT },
              { type: "Action.OpenUrl", title: "Open monitor", url: MONITOR },
            ],
          },
        },
      ],
    });
  });

  it("of pagerduty triggers the alert of the outage", () => {
    const request = httpRequest(build(serviceOf("pagerduty")));
    expect(request.secrets).toEqual(["routing-key"]);
    expect(JSON.parse(request.body)).toEqual({
      routing_key: "routing-key",
      event_action: "trigger",
      dedup_key: OUTAGE,
      payload: {
        summary: "Shop is down",
        source: "Vigil",
        severity: "critical",
        timestamp: "2026-01-02T03:04:05.000Z",
        class: "monitor.down",
        custom_details: {
          Since: WHEN,
          Region: "Western Europe",
          Message: "HTTP 500",
        },
      },
      links: [
        { href: INCIDENT, text: "Acknowledge" },
        { href: MONITOR, text: "Open monitor" },
      ],
      client: "Vigil",
    });
  });

  it("of mattermost is its text", () => {
    expect(bodyOf("mattermost")).toEqual({ text: DOWN("**Shop is down**", MARKDOWN_LINKS) });
  });

  it("of google chat joins the thread of the outage", () => {
    expect(bodyOf("google chat")).toEqual({ text: DOWN("Shop is down", ANGLE_LINKS), thread: { threadKey: OUTAGE } });
  });

  it("of ntfy wakes the receiver", () => {
    const { body, headers, url } = httpRequest(build(serviceOf("ntfy")));
    expect({ body, headers, url }).toEqual({
      url: "https://ntfy.sh/ops",
      headers: {
        "content-type": "text/plain; charset=utf-8",
        "user-agent": "Vigil-Webhooks/1",
        title: "Shop is down",
        priority: "5",
        tags: "rotating_light",
        click: MONITOR,
        actions: `view, Acknowledge, ${INCIDENT}; view, Open monitor, ${MONITOR}`,
        authorization: "Bearer tk_secret",
      },
      body: `HTTP 500\nSince: ${WHEN}\nRegion: Western Europe`,
    });
  });

  it("of email states what, since when and why, as text and HTML, in the thread of the outage", () => {
    const mail = notifierOf("email").build(exampleInput(), target({ url: "mailto:ops@example.com" }));
    expect(mail).toEqual({
      kind: "mail",
      to: "ops@example.com",
      subject: "Alert: Shop is down",
      text: [
        "Shop is down",
        `Since: ${WHEN}\nRegion: Western Europe`,
        "HTTP 500",
        `Acknowledge: ${INCIDENT}\nOpen monitor: ${MONITOR}`,
        "-- \nYou receive this message because alerts are sent to this address.\n",
      ].join("\n\n"),
      html: expect.stringContaining(">Shop is down</h1>"),
      headers: { References: "<0199c0de.0000.7000.8000.000000000001.2@alerts.vigil>" },
    });
  });
});

describe("a recovery", () => {
  it("states from when to when and how long the outage lasted, and asks nobody to acknowledge it", () => {
    const data = { since: "2026-01-02T03:16:39.000Z" };
    expect(bodyOf("slack", { name: "monitor.up", data }).text).toBe(
      [
        "🟢 Shop is up again",
        "HTTP 200",
        "Down: 2 Jan 2026, 04:04 to 04:16 CET · Lasted: 12 minutes 34 seconds",
        `<${MONITOR}|Open monitor> · <${INCIDENT}|Open incident>`,
      ].join("\n"),
    );
  });

  it.each([
    ["monitor.up", "resolve"],
    ["incident.resolved", "resolve"],
    ["agent.online", "resolve"],
  ])("%s resolves the alert of PagerDuty", (name, event_action) => {
    expect(bodyOf("pagerduty", { name })).toMatchObject({ event_action, routing_key: "routing-key" });
  });

  it("of an automatic incident ends the alert that the outage began", () => {
    const keyOf = (name: string, outage_id: string) => bodyOf("pagerduty", { name, data: { outage_id } }).dedup_key;
    expect(keyOf("incident.resolved", OUTAGE)).toBe(keyOf("monitor.down", OUTAGE));
  });

  it("comes as an acknowledgement first where a user acknowledged the incident", () => {
    const data = { acknowledged_at: "2026-01-02T03:06:00.000Z" };
    expect(bodyOf("pagerduty", { name: "incident.updated", data }).event_action).toBe("acknowledge");
    expect(build(serviceOf("pagerduty"), { name: "incident.updated", data: { status: "resolved" } })).toBe(null);
  });

  it("is not opened for an incident that is over when it is entered", () => {
    expect(build(serviceOf("pagerduty"), { name: "incident.created", data: { status: "resolved" } })).toBe(null);
  });

  it("is followed by a new alert where the incident is reopened", () => {
    const data = { status: "investigating", acknowledged_at: null };
    expect(bodyOf("pagerduty", { name: "incident.updated", data }).event_action).toBe("trigger");
  });
});

const HOSTILE = "@everyone <!channel> <@U1> *b* _i_ `c` ~s~ [x](https://evil.test) <https://evil.test|x> #ops @ops";

describe("a message about an incident", () => {
  const at = { acknowledged_at: "2026-01-02T03:09:00.000Z" };
  const labelsOf = (name: string, data = {}) =>
    composeAlert(exampleEvent({ name, data }), { ...NO_READER, public_url: "https://vigil.test" }).links.map(
      ({ label }) => label,
    );

  it.each([
    ["incident.created", {}, ["Acknowledge"]],
    ["incident.updated", {}, ["Acknowledge"]],
    ["incident.updated", at, ["Open incident"]],
    ["incident.acknowledged", at, ["Open incident"]],
    ["incident.resolved", {}, ["Open incident"]],
    ["incident.resolved", { is_withdrawn: true }, []],
    ["incident.resolved", { message: "This incident was withdrawn." }, ["Open incident"]],
  ])("%s with %o has the buttons %j", (name, data, labels) => {
    expect(labelsOf(name, data)).toEqual(labels);
  });

  it.each([
    ["incident.created", "Checkout fails"],
    ["maintenance.started", "New disks"],
  ])("%s does not repeat its title as its text", (name, message) => {
    expect(composeAlert(exampleEvent({ name, data: { message } }), NO_READER).text).toBe("");
  });

  it.each([
    ["incident.resolved", "Incident resolved: Checkout fails"],
    ["maintenance.started", "Maintenance started: New disks"],
    ["monitor.up", "Resolved: Shop is up again"],
    ["test_event", "Test message for Ops"],
  ])("of %s has the subject %s", (name, subject) => {
    const mail = notifierOf("email").build(exampleInput({ name }), target({ url: "mailto:ops@example.com" }));
    expect(mail).toMatchObject({ subject });
  });
});

describe("text of users", () => {
  const named = { data: { monitor_name: HOSTILE, message: HOSTILE } };

  it("mentions no one and marks up nothing in slack", () => {
    const { text } = bodyOf("slack", named);
    expect(text).toContain("&lt;!channel&gt; &lt;@U1&gt; *\u200bb* _\u200bi_ `\u200bc` ~\u200bs~");
    expect(text.replace(ANGLE_LINKS, "")).not.toMatch(/<[!@h]/);
  });

  it("mentions no one and marks up nothing in discord", () => {
    expect(bodyOf("discord", named).content).toContain(
      "\\@everyone \\<!channel\\> \\<\\@U1\\> \\*b\\* \\_i\\_ \\`c\\` \\~s\\~ \\[x\\]\\(https://evil.test\\)",
    );
  });

  it("mentions no one and marks up nothing in telegram", () => {
    expect(bodyOf("telegram", named).text).toContain(
      "@\u200beveryone <!channel> <@\u200bU1> \\*b\\* \\_i\\_ \\`c\\` ~s~ \\[x]",
    );
  });

  it.each([
    ["Shop", "\u{1F534} *Shop is down*\n"],
    ["my_shop *eu*", "\u{1F534} my\\_shop \\*eu\\* is down\n"],
  ])("gives telegram no mark that a bold title could not hold: %s", (monitor_name, title) => {
    expect(bodyOf("telegram", { data: { monitor_name } }).text).toMatch(title);
  });

  it("mentions no one and marks up nothing in mattermost", () => {
    expect(bodyOf("mattermost", named).text).toContain(
      "@\u200beveryone \\<\\!channel\\> \\<@\u200bU1\\> \\*b\\* \\_i\\_",
    );
  });

  it("mentions no one in google chat", () => {
    expect(bodyOf("google chat", named).text.replace(ANGLE_LINKS, "")).not.toMatch(/<(?=\S)(?!\u200b)/);
  });

  it("has no marks in mail", () => {
    const mail = notifierOf("email").build(exampleInput(named), target({ url: "mailto:a@b.example" }));
    expect(mail?.kind === "mail" && mail.html).not.toMatch(/<!channel|<https|<@/);
    expect(mail?.kind === "mail" && mail.subject).toBe(`Alert: ${HOSTILE} is down`);
  });

  it("keeps names with underscores readable in slack", () => {
    expect(bodyOf("slack", { data: { monitor_name: "my_shop_eu" } }).text).toContain("my_shop_eu is down");
  });
});

describe("alert_channels", () => {
  it.each([
    ["slack", "#ops", (body: Record<string, unknown>) => body.channel],
    ["mattermost", "ops", (body: Record<string, unknown>) => body.channel],
    ["telegram", "-200", (body: Record<string, unknown>) => body.chat_id],
    ["telegram bot", "-200", (body: Record<string, unknown>) => body.chat_id],
    ["pagerduty", "other-key", (body: Record<string, unknown>) => body.routing_key],
  ] as const)("sends to the channel of %s that it names", (name, channel, read) => {
    const service = serviceOf(name);
    const request = build({ ...service, target: { ...service.target, channel } });
    expect(read(JSON.parse(httpRequest(request).body))).toBe(channel);
  });

  it.each([
    ["discord", "https://discord.com/api/webhooks/2/y", "https://discord.com/api/webhooks/2/y?wait=true"],
    ["discord", "99", "https://discord.com/api/v10/channels/99/messages"],
    ["discord bot", "99", "https://discord.com/api/v10/channels/99/messages"],
    ["teams", "https://y.logic.azure.com/w", "https://y.logic.azure.com/w"],
    ["ntfy", "night", "https://ntfy.sh/night"],
  ])("sends to the address of %s that it names: %s", (name, channel, url) => {
    const service = serviceOf(name);
    expect(httpRequest(build({ ...service, target: { ...service.target, channel } })).url).toBe(url);
  });
});

describe("a target", () => {
  it.each<[WebhookProvider, string, string | null, string | null]>([
    ["slack", SLACK, null, null],
    ["slack", "slack", null, "url must be an https address"],
    ["discord", DISCORD, null, null],
    ["discord", "discord:channel:7", null, null],
    ["discord", "discord:user:7", null, "url must be an https address or discord:channel:<id>"],
    ["telegram", TELEGRAM, "-100", null],
    ["telegram", TELEGRAM, null, "secret must be the chat id"],
    ["telegram", "https://bots.example.com/in", "-100", null],
    ["telegram", "https://api.telegram.org/", "-100", "url must be https://api.telegram.org/bot<token>/sendMessage"],
    ["telegram_bot", "telegram:chat:-100", null, null],
    ["telegram_bot", "telegram:100", null, "url must be telegram:chat:<id>"],
    ["pagerduty", "https://events.pagerduty.com/v2/enqueue", "k", null],
    ["pagerduty", "https://events.pagerduty.com/v2/enqueue", null, "secret must be the routing key"],
    ["ntfy", "https://ntfy.sh/ops", null, null],
    ["ntfy", "https://ntfy.sh/", null, "url must be the address of a topic"],
    ["email", "mailto:ops@example.com", null, null],
    ["email", "ops@example.com", null, "url must be mailto: and an address"],
    ["email", "mailto:ops", null, "url must be mailto: and an address"],
    ["teams", "x", null, "url must be an https address"],
    ["mattermost", "x", null, "url must be an https address"],
    ["google_chat", "x", null, "url must be an https address"],
  ])("of %s: %s", (provider, url, secret, flaw) => {
    expect(findTargetFlaw(notifierOf(provider), { url, secret, config: {} }, BOTS)).toBe(flaw);
  });

  it.each<[WebhookProvider, string]>([
    ["discord", "discord:channel:7"],
    ["telegram_bot", "telegram:chat:1"],
  ])("of %s by a bot needs one of the operator", (provider, url) => {
    expect(findTargetFlaw(notifierOf(provider), { url, secret: null, config: {} }, NO_BOTS)).toMatch(
      /the operator has configured none$/,
    );
  });
});

describe("messages of a service without a public address", () => {
  it("have no links", () => {
    expect(composeAlert(exampleEvent(), NO_READER).links).toEqual([]);
  });
});
