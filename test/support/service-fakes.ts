import { createHash, createHmac } from "node:crypto";
import { z } from "zod";
import type { ProviderConfig, WebhookProvider } from "../../src/contract/webhook.ts";
import { type Fake, headerOf, isSlackText, jsonService, refuse, type Sent, SlackBlock, text } from "./providers.ts";

/**
 * The services of the providers with fields of their own: each accepts what the real one accepts, by its public
 * documentation, and refuses everything else as that one does.
 */
export interface FakeService {
  provider: WebhookProvider;
  /** Of the real service, or a place for one of the user. */
  url: string;
  config: ProviderConfig;
  secret?: string;
  fake: Fake;
}

const bearer = (token: string, fake: Fake): Fake => {
  return (request) => (headerOf(request, "authorization") === `Bearer ${token}` ? fake(request) : refuse(401, "token"));
};
const at = (path: RegExp, fake: Fake): Fake => {
  return (request) => (path.test(new URL(request.url).pathname) ? fake(request) : refuse(404, "not found"));
};
const within = (bytes: number, fake: Fake): Fake => {
  return (request) => (new TextEncoder().encode(request.body).length > bytes ? refuse(413, "size") : fake(request));
};
const ok =
  (body: object = {}, status = 200) =>
  () =>
    Response.json(body, { status });
const Link = z.url().max(512);

function formService(schema: z.ZodType, respond: (request: Sent) => Response): Fake {
  return (request) => {
    if (request.method !== "POST") return refuse(405, "method");
    if (!headerOf(request, "content-type")?.startsWith("application/x-www-form-urlencoded")) return refuse(415, "type");
    const parsed = schema.safeParse(Object.fromEntries(new URLSearchParams(request.body)));
    return parsed.success ? respond(request) : refuse(400, parsed.error.message);
  };
}

const basic = (user: string, password: string, fake: Fake): Fake => {
  const expected = `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
  return (request) => (headerOf(request, "authorization") === expected ? fake(request) : refuse(401, "credentials"));
};

/** https://github.com/caronc/apprise-api#api-details */
const apprise = at(
  /\/notify\/ops$/,
  jsonService(
    z.strictObject({
      title: text(250),
      body: text(32_768),
      type: z.enum(["info", "success", "warning", "failure"]),
      format: z.enum(["text", "markdown", "html"]),
      tag: text(100).optional(),
    }),
    ok(),
  ),
);

const PUSHOVER_KEY = z.string().regex(/^[A-Za-z0-9]{30}$/);
/** https://pushover.net/api: an emergency needs retry and expire. */
const pushover = jsonService(
  z
    .strictObject({
      token: PUSHOVER_KEY,
      user: PUSHOVER_KEY,
      title: text(250),
      message: text(1024),
      timestamp: z.int().positive(),
      priority: z.int().min(-2).max(2),
      retry: z.int().min(30).optional(),
      expire: z.int().max(10_800).optional(),
      url: Link.optional(),
      url_title: text(100).optional(),
      device: text(25).optional(),
    })
    .refine(({ priority, retry, expire }) => (priority === 2) === (retry !== undefined && expire !== undefined)),
  ok({ status: 1, request: "r" }),
);

/** https://gotify.net/docs/pushmsg */
const gotify = at(/\/message$/, (request) =>
  headerOf(request, "x-gotify-key") === "Agotify-token"
    ? jsonService(
        z.strictObject({
          title: text(1000),
          message: text(100_000),
          priority: z.int().min(0).max(10),
          extras: z.strictObject({
            "client::display": z.strictObject({ contentType: z.enum(["text/plain", "text/markdown"]) }),
            "client::notification": z.strictObject({ click: z.strictObject({ url: z.url() }) }).optional(),
          }),
        }),
        ok({ id: 1 }),
      )(request)
    : refuse(401, "you need to provide a valid access token"),
);

/** https://spec.matrix.org/latest/client-server-api/#mroommessage: HTML of a few tags, nothing of a user in it. */
const isMatrixHtml = (html: string) => !/<(?!\/?strong>|br>|a href="https:[^"<>]*">|\/a>)/.test(html);
const matrix = within(
  65_536,
  at(
    /\/_matrix\/client\/v3\/rooms\/!room%3Aexample\.org\/send\/m\.room\.message\/[0-9a-f-]{36}$/,
    bearer(
      "syt_matrix-token",
      jsonService(
        z.strictObject({
          msgtype: z.enum(["m.text", "m.notice"]),
          body: text(40_000),
          format: z.literal("org.matrix.custom.html"),
          formatted_body: text(40_000).refine(isMatrixHtml),
          "m.mentions": z.strictObject({}),
        }),
        ok({ event_id: "$1" }),
        ["PUT"],
      ),
    ),
  ),
);

/** https://docs.opsgenie.com/docs/alert-api */
const jira: Fake = (request) => {
  if (headerOf(request, "authorization") !== "GenieKey jira-api-key") return refuse(422, "Key format is not valid");
  const { pathname, searchParams } = new URL(request.url);
  const verb = /\/alerts\/[^/]{1,1600}\/(?:close|acknowledge)$/.test(pathname);
  if (verb && searchParams.get("identifierType") !== "alias") return refuse(404, "alert");
  const Note = z.strictObject({ source: text(100), note: text(25_000) });
  const Alert = z.strictObject({
    message: text(130),
    alias: text(512),
    description: text(15_000),
    priority: z.enum(["P1", "P2", "P3", "P4", "P5"]),
    source: text(100),
    details: z.record(z.string(), z.string()),
  });
  if (!verb && !pathname.endsWith("/alerts")) return refuse(404, "path");
  return jsonService(verb ? Note : Alert, ok({ result: "Request will be processed" }, 202))(request);
};

/** https://help.victorops.com/knowledge-base/rest-endpoint-integration-guide/ */
const splunk = at(
  /\/alert\/splunk-api-key\/database$/,
  jsonService(
    z.strictObject({
      message_type: z.enum(["CRITICAL", "WARNING", "ACKNOWLEDGEMENT", "INFO", "RECOVERY"]),
      entity_id: text(512),
      entity_display_name: text(512),
      state_message: text(20_480),
      state_start_time: z.int().max(99_999_999_999),
      monitoring_tool: text(100),
    }),
    ok({ result: "success", entity_id: "x" }),
  ),
);

/** https://api-docs.incident.io/tag/Alert-Events-V2 */
const incidentIo = bearer(
  "incident-io-token",
  jsonService(
    z.strictObject({
      title: text(1000),
      description: text(50_000),
      deduplication_key: text(255),
      status: z.enum(["firing", "resolved"]),
      metadata: z.record(z.string(), z.string()),
      source_url: z.url().optional(),
    }),
    ok({ deduplication_key: "x", message: "Event accepted for processing", status: "success" }, 202),
  ),
);

/** https://grafana.com/docs/oncall/latest/configure/integrations/references/webhook/ */
const grafana = jsonService(
  z.strictObject({
    alert_uid: text(1000),
    title: text(1000),
    state: z.enum(["alerting", "ok"]),
    message: text(50_000),
    link_to_upstream_details: z.url().optional(),
  }),
  () => new Response("Ok."),
);

const ACCOUNT_SID = `AC${"0123456789abcdef".repeat(2)}`;
const Phone = z.string().regex(/^\+[1-9]\d{6,14}$/);
/** https://www.twilio.com/docs/messaging/api/message-resource */
const twilioSms = at(
  new RegExp(`/2010-04-01/Accounts/${ACCOUNT_SID}/Messages\\.json$`),
  basic(
    ACCOUNT_SID,
    "twilio-auth-token",
    formService(z.strictObject({ To: Phone, From: Phone, Body: text(1600) }), ok({ sid: "SM1" }, 201)),
  ),
);

/** Well-formed, of the verbs that a call may have: https://www.twilio.com/docs/voice/twiml */
function isTwiml(value: string): boolean {
  if (/&(?!amp;|lt;|gt;|quot;|apos;)|\p{Cc}/u.test(value)) return false;
  return /^<Response>(?:<Say>[^<>]+<\/Say>|<Pause length="\d"\/>)+<\/Response>$/.test(value);
}
const twilioVoice = at(
  new RegExp(`/2010-04-01/Accounts/${ACCOUNT_SID}/Calls\\.json$`),
  basic(
    ACCOUNT_SID,
    "twilio-auth-token",
    formService(z.strictObject({ To: Phone, From: Phone, Twiml: text(4000).refine(isTwiml) }), ok({ sid: "CA1" }, 201)),
  ),
);

const AWS_SECRET = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
/** Recomputes the signature as AWS does: reference_sigv-create-signed-request.html. */
const awsSns: Fake = (request) => {
  const { host, pathname } = new URL(request.url);
  const [, id, day, region, names = "", signature] =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/sns\/aws4_request, SignedHeaders=([a-z0-9;-]+), Signature=([0-9a-f]{64})$/.exec(
      headerOf(request, "authorization") ?? "",
    ) ?? [];
  if (id !== "AKIAIOSFODNN7EXAMPLE" || host !== `sns.${region}.amazonaws.com`)
    return refuse(403, "InvalidClientTokenId");
  const hash = (value: string) => createHash("sha256").update(value).digest("hex");
  const headers = names
    .split(";")
    .map((name) => `${name}:${name === "host" ? host : headerOf(request, name)?.trim()}\n`);
  const canonical = ["POST", pathname, "", headers.join(""), names, hash(request.body)].join("\n");
  const scope = `${day}/${region}/sns/aws4_request`;
  const toSign = ["AWS4-HMAC-SHA256", headerOf(request, "x-amz-date"), scope, hash(canonical)].join("\n");
  const parts = [day ?? "", region ?? "", "sns", "aws4_request"];
  const key = parts.reduce<Buffer | string>(
    (secret, part) => createHmac("sha256", secret).update(part).digest(),
    `AWS4${AWS_SECRET}`,
  );
  if (createHmac("sha256", key).update(toSign).digest("hex") !== signature) return refuse(403, "SignatureDoesNotMatch");
  const attribute = (n: number) => ({
    [`MessageAttributes.entry.${n}.Name`]: text(256),
    [`MessageAttributes.entry.${n}.Value.DataType`]: z.literal("String"),
    [`MessageAttributes.entry.${n}.Value.StringValue`]: text(1000),
  });
  return formService(
    z.strictObject({
      Action: z.literal("Publish"),
      Version: z.literal("2010-03-31"),
      TopicArn: z.string().startsWith("arn:aws:sns:eu-central-1:"),
      Subject: z.string().regex(/^[\x21-\x7e][\x20-\x7e]{0,98}$/),
      Message: text(262_144),
      ...attribute(1),
      ...attribute(2),
    }),
    () => new Response("<PublishResponse/>"),
  )(request);
};

/** https://docs.rocket.chat/docs/integrations */
const rocketChat = jsonService(
  z.strictObject({ text: text(5000), channel: text(100).optional() }),
  ok({ success: true }),
);

/** https://zulip.com/api/send-message; mentions and markup of users have a zero-width space in them. */
const zulip = at(
  /\/api\/v1\/messages$/,
  basic(
    "bot@example.zulipchat.com",
    "zulip-api-key",
    formService(
      z.strictObject({
        type: z.literal("stream"),
        to: text(60),
        topic: text(60),
        content: text(10_000).refine((value) => !/@_?\*\*|@\*/.test(value)),
      }),
      ok({ result: "success", id: 1 }),
    ),
  ),
);

/** https://developer.webex.com/docs/api/v1/messages/create-a-message */
const webex = bearer(
  "webex-bot-token",
  jsonService(
    z.strictObject({
      roomId: text(200),
      text: z.string().refine((value) => new TextEncoder().encode(value).length <= 7439),
    }),
    ok({ id: "m" }),
  ),
);

const hasNoMention = (value: string) => !/<at|@all|@everyone/i.test(value);
const now = () => Date.UTC(2026, 0, 2, 3, 5);
/** A time within an hour of the request, except in unit tests, whose clock stands. */
const isRecent = (at: number) => Math.abs(at - now()) < 3_600_000 || Math.abs(at - Date.now()) < 3_600_000;

/** https://open.larksuite.com/document/client-docs/bot-v3/add-custom-bot: errors are answered 200, too. */
const lark = within(
  20_480,
  jsonService(
    z.strictObject({
      timestamp: z.string().regex(/^\d{10}$/),
      sign: text(100),
      msg_type: z.literal("text"),
      content: z.strictObject({ text: text(20_000).refine(hasNoMention) }),
    }),
    ({ body }) => {
      const { timestamp, sign } = JSON.parse(body);
      const expected = createHmac("sha256", `${timestamp}\nlark-sign-secret`).update("").digest("base64");
      const isSigned = sign === expected && isRecent(Number(timestamp) * 1000);
      return Response.json(isSigned ? { code: 0, msg: "success" } : { code: 19021, msg: "sign match fail" });
    },
  ),
);

/** https://open.dingtalk.com/document/robots/custom-robot-access */
const dingtalk = within(
  20_000,
  jsonService(
    z.strictObject({
      msgtype: z.literal("text"),
      text: z.strictObject({ content: text(20_000).refine(hasNoMention) }),
      at: z.strictObject({ isAtAll: z.literal(false) }),
    }),
    ({ url }) => {
      const { searchParams } = new URL(url);
      const timestamp = searchParams.get("timestamp") ?? "";
      const expected = createHmac("sha256", "SECdingtalk").update(`${timestamp}\nSECdingtalk`).digest("base64");
      const isSigned = searchParams.get("sign") === expected && isRecent(Number(timestamp));
      if (searchParams.get("access_token") !== "ding") return Response.json({ errcode: 300005, errmsg: "token" });
      return Response.json(isSigned ? { errcode: 0, errmsg: "ok" } : { errcode: 310000, errmsg: "sign not match" });
    },
  ),
);

/** https://developer.work.weixin.qq.com/document/path/91770 */
const wecom = jsonService(
  z.strictObject({
    msgtype: z.literal("text"),
    text: z.strictObject({
      content: text(2048).refine((value) => new TextEncoder().encode(value).length <= 2048 && hasNoMention(value)),
    }),
  }),
  ok({ errcode: 0, errmsg: "ok" }),
);

/** https://developers.line.biz/en/reference/messaging-api/#send-push-message */
const lineUser = `U${"0123456789abcdef".repeat(2)}`;
const line = bearer("line-channel-token", (request) =>
  z.uuid().safeParse(headerOf(request, "x-line-retry-key")).success
    ? jsonService(
        z.strictObject({
          to: z.string().regex(/^[UCR][0-9a-f]{32}$/),
          messages: z
            .array(z.strictObject({ type: z.literal("text"), text: text(5000) }))
            .min(1)
            .max(5),
        }),
        ok({ sentMessages: [{ id: "1", quoteToken: "q" }] }),
      )(request)
    : refuse(400, "Retry key is not valid"),
);

/** https://bbernhard.github.io/signal-cli-rest-api/#/Messages/post_v2_send */
const signal = at(
  /\/v2\/send$/,
  jsonService(
    z.strictObject({
      message: text(10_000),
      number: Phone,
      recipients: z.array(z.string().regex(/^(?:\+\d+|group\..+)$/)).min(1),
      text_mode: z.enum(["normal", "styled"]),
    }),
    ok({ timestamp: "1" }, 201),
  ),
);

/** https://developers.facebook.com/docs/whatsapp/cloud-api/guides/send-message-templates; 132018 refuses such parameters. */
const Parameter = text(1024).refine((value) => !/[\n\t]| {5}/.test(value));
const whatsapp = at(
  /\/v23\.0\/106540352242922\/messages$/,
  bearer(
    "whatsapp-token",
    jsonService(
      z.strictObject({
        messaging_product: z.literal("whatsapp"),
        recipient_type: z.literal("individual"),
        to: z.string().regex(/^\+?\d{7,15}$/),
        type: z.literal("template"),
        template: z.strictObject({
          name: z.string().regex(/^[a-z0-9_]+$/),
          language: z.strictObject({ code: text(10) }),
          components: z
            .array(
              z.strictObject({
                type: z.literal("body"),
                parameters: z.array(z.strictObject({ type: z.literal("text"), text: Parameter })).length(1),
              }),
            )
            .length(1),
        }),
      }),
      ok({ messaging_product: "whatsapp", messages: [{ id: "wamid.1" }] }),
    ),
  ),
);

/** https://developers.home-assistant.io/docs/api/rest/ */
const homeAssistant = at(
  /\/api\/services\/notify\/mobile_app_phone$/,
  bearer(
    "home-assistant-token",
    jsonService(
      z.strictObject({
        title: text(1000),
        message: text(10_000),
        data: z.strictObject({
          tag: text(200),
          group: text(100),
          url: z.url().optional(),
          clickAction: z.url().optional(),
        }),
      }),
      ok([]),
    ),
  ),
);

/** https://github.com/Finb/bark-server/blob/master/docs/API_V2.md; Apple refuses notifications beyond 4 KB. */
const bark = within(
  4096,
  at(
    /\/push$/,
    jsonService(
      z.strictObject({
        device_key: z.literal("barkDeviceKey1"),
        title: text(1000),
        body: text(4000),
        level: z.enum(["critical", "active", "timeSensitive", "passive"]),
        group: text(200),
        url: z.url().optional(),
      }),
      ok({ code: 200, message: "success", timestamp: 1 }),
    ),
  ),
);

/** https://docs.pushbullet.com/#create-push */
const pushbullet: Fake = (request) =>
  headerOf(request, "access-token") === "o.pushbullet-token"
    ? jsonService(
        z
          .strictObject({
            type: z.enum(["note", "link"]),
            title: text(1000),
            body: text(10_000),
            guid: z.uuid(),
            url: z.url().optional(),
            channel_tag: text(100).optional(),
          })
          .refine(({ type, url }) => (type === "link") === (url !== undefined)),
        ok({ iden: "i", active: true }),
      )(request)
    : refuse(401, "invalid_access_token");

const SLACK_CHANNEL = "C012AB3CD";
const SLACK_TS = "1503435956.000247";
const SlackTs = z.string().regex(/^\d{10}\.\d{6}$/);
const SlackText = {
  channel: text(80),
  text: text(40_000).refine(isSlackText),
  blocks: z.array(SlackBlock).min(1).max(50),
};
const SLACK_METHODS: Record<string, z.ZodType> = {
  "chat.postMessage": z.strictObject({
    ...SlackText,
    unfurl_links: z.boolean().optional(),
    unfurl_media: z.boolean().optional(),
    thread_ts: SlackTs.optional(),
    reply_broadcast: z.boolean().optional(),
  }),
  "chat.update": z.strictObject({ ...SlackText, ts: SlackTs }),
};
/** https://docs.slack.dev/reference/methods: refusals are answered 200, too. */
const slackApp: Fake = (request) => {
  const says = (error: string) => Response.json({ ok: false, error });
  const method = new URL(request.url).pathname.replace(/^.*\/api\//, "");
  const schema = SLACK_METHODS[method];
  if (!schema) return says("unknown_method");
  if (headerOf(request, "authorization") !== "Bearer xoxb-1-slack-token") return says("invalid_auth");
  return jsonService(schema, ({ body }) => {
    const { channel, ts, thread_ts } = JSON.parse(body);
    if (channel !== SLACK_CHANNEL) return says("channel_not_found");
    if (ts !== undefined && ts !== SLACK_TS) return says("message_not_found");
    return Response.json({
      ok: true,
      channel,
      ts: thread_ts ? "1503435999.000001" : SLACK_TS,
      message: { type: "message" },
    });
  })(request);
};

/** https://docs.github.com/rest/issues/issues: creates by POST, changes by PATCH, and needs a user agent. */
const github: Fake = bearer("github_pat_token", (request) => {
  const [, number] = /\/repos\/example\/shop\/issues(?:\/(\d+))?$/.exec(new URL(request.url).pathname) ?? [];
  const isMine = /\/repos\/example\/shop\/issues(\/77)?$/.test(new URL(request.url).pathname);
  if (!isMine) return refuse(404, "Not Found");
  if (!headerOf(request, "user-agent")) return refuse(403, "Request forbidden by administrative rules");
  const Content = { title: text(256).refine((value) => !/[@#]\w/.test(value)), body: text(65_536) };
  const New = z.strictObject({ ...Content, labels: z.array(text(50)).optional() });
  const Changed = z.strictObject({
    ...Content,
    state: z.enum(["open", "closed"]),
    state_reason: z.enum(["completed", "not_planned", "reopened"]).optional(),
  });
  const answer = ok({ id: 1, number: 77, title: "t" }, number === undefined ? 201 : 200);
  return jsonService(number === undefined ? New : Changed, answer, [number === undefined ? "POST" : "PATCH"])(request);
});

/** https://docs.gitlab.com/operations/incident_management/integrations/: start or end, severities, one fingerprint. */
const gitlab = bearer(
  "gitlab-key",
  jsonService(
    z
      .strictObject({
        title: text(200),
        description: text(1000),
        monitoring_tool: text(100),
        service: text(200),
        severity: z.enum(["critical", "high", "medium", "low", "info", "unknown"]),
        fingerprint: text(255),
        start_time: z.iso.datetime().optional(),
        end_time: z.iso.datetime().optional(),
      })
      .refine(({ start_time, end_time }) => (start_time === undefined) !== (end_time === undefined)),
    ok([], 201),
  ),
);

const twilio = { account_sid: ACCOUNT_SID, auth_token: "twilio-auth-token", from: "+15005550006", to: "+4930123456" };

export const FAKE_SERVICES: readonly FakeService[] = [
  { provider: "apprise", url: "https://apprise.test/notify/ops", config: { tag: "night" }, fake: apprise },
  {
    provider: "pushover",
    url: "https://api.pushover.net/1/messages.json",
    config: {
      token: "azGDORePK8gMaC0QOYAMyEEuzJnyUi",
      user: "uQiRzpo4DXghDmr9QzzfQu27cmVRsG",
      emergency: "until confirmed",
    },
    fake: pushover,
  },
  { provider: "gotify", url: "https://gotify.test/", config: { token: "Agotify-token" }, fake: gotify },
  {
    provider: "matrix",
    url: "https://matrix.test",
    config: { room_id: "!room:example.org", access_token: "syt_matrix-token" },
    fake: matrix,
  },
  {
    provider: "jira_service_management",
    url: "https://api.atlassian.com/jsm/ops/integration/v2/alerts",
    config: { api_key: "jira-api-key" },
    fake: jira,
  },
  {
    provider: "splunk_on_call",
    url: "https://alert.victorops.com/integrations/generic/20131114/alert",
    config: { api_key: "splunk-api-key", routing_key: "database" },
    fake: splunk,
  },
  {
    provider: "incident_io",
    url: "https://api.incident.io/v2/alert_events/http/1",
    config: { token: "incident-io-token" },
    fake: incidentIo,
  },
  {
    provider: "grafana_irm",
    url: "https://oncall.test/integrations/v1/formatted_webhook/k/",
    config: {},
    fake: grafana,
  },
  { provider: "twilio_sms", url: "https://api.twilio.com", config: twilio, fake: twilioSms },
  { provider: "twilio_voice", url: "https://api.twilio.com", config: twilio, fake: twilioVoice },
  {
    provider: "aws_sns",
    url: "",
    config: {
      topic_arn: "arn:aws:sns:eu-central-1:123456789012:alerts",
      access_key_id: "AKIAIOSFODNN7EXAMPLE",
      secret_access_key: AWS_SECRET,
    },
    fake: awsSns,
  },
  { provider: "rocket_chat", url: "https://chat.test/hooks/1/x", config: {}, fake: rocketChat },
  {
    provider: "zulip",
    url: "https://example.zulipchat.test",
    config: { email: "bot@example.zulipchat.com", api_key: "zulip-api-key", channel: "alerts" },
    fake: zulip,
  },
  {
    provider: "webex",
    url: "https://webexapis.com/v1/messages",
    config: { token: "webex-bot-token", room_id: "Y2lzY29" },
    fake: webex,
  },
  {
    provider: "lark",
    url: "https://open.larksuite.com/open-apis/bot/v2/hook/x",
    config: { sign_secret: "lark-sign-secret" },
    fake: lark,
  },
  {
    provider: "dingtalk",
    url: "https://oapi.dingtalk.com/robot/send?access_token=ding",
    config: { sign_secret: "SECdingtalk" },
    fake: dingtalk,
  },
  { provider: "wecom", url: "https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=k", config: {}, fake: wecom },
  {
    provider: "line",
    url: "https://api.line.me/v2/bot/message/push",
    config: { token: "line-channel-token", to: lineUser },
    fake: line,
  },
  {
    provider: "signal",
    url: "https://signal.test",
    config: { number: "+4930123456", recipients: "+4930123457, group.ckRzaEd4VmRzNnJaASA=" },
    fake: signal,
  },
  {
    provider: "whatsapp",
    url: "https://graph.facebook.com/v23.0",
    config: { phone_number_id: "106540352242922", token: "whatsapp-token", to: "+4930123456", template: "vigil_alert" },
    fake: whatsapp,
  },
  {
    provider: "home_assistant",
    url: "https://home.test",
    config: { token: "home-assistant-token", service: "mobile_app_phone" },
    fake: homeAssistant,
  },
  { provider: "bark", url: "https://api.day.app", config: { device_key: "barkDeviceKey1" }, fake: bark },
  {
    provider: "pushbullet",
    url: "https://api.pushbullet.com/v2/pushes",
    config: { token: "o.pushbullet-token" },
    fake: pushbullet,
  },
  {
    provider: "github_issues",
    url: "https://api.github.com",
    config: { repository: "example/shop", token: "github_pat_token", labels: "outage, ops" },
    fake: github,
  },
  {
    provider: "gitlab_alerts",
    url: "https://gitlab.test/alerts/notify/vigil/1.json",
    config: { token: "gitlab-key" },
    fake: gitlab,
  },
  {
    provider: "slack_app",
    url: "https://slack.com/api",
    config: { channel_id: SLACK_CHANNEL, token: "xoxb-1-slack-token" },
    fake: slackApp,
  },
];
