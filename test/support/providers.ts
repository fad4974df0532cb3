import { z } from "zod";
import { composeAlert } from "../../src/domain/alert-messages.ts";
import type { ChatServices, NotifierInput, NotifierMail, NotifierRequest } from "../../src/notifiers/port.ts";
import { exampleEvent } from "./events.ts";

export const NO_BOTS: ChatServices = {
  telegram_api_base: "https://api.telegram.org",
  telegram_bot_token: "",
  discord_api_base: "https://discord.com/api/v10",
  discord_bot_token: "",
  slack_answers: false,
};
export const BOTS: ChatServices = {
  ...NO_BOTS,
  telegram_bot_token: "42:bot",
  discord_bot_token: "discord-bot",
  slack_answers: true,
};

/** In Berlin, where it is an hour later than in UTC. */
const READER = { public_url: "https://vigil.test", timezone: "Europe/Berlin", page_name: "Northwind" };

export function exampleInput(fields: Parameters<typeof exampleEvent>[0] = {}): NotifierInput {
  const event = exampleEvent(fields);
  return {
    delivery_id: "0199c0de-0000-5000-8000-000000000001",
    webhook_id: "0199c0de-0000-5000-8000-000000000009",
    sent_at: Date.UTC(2026, 0, 2, 3, 5),
    event,
    event_name: event.name,
    message: composeAlert(event, READER),
    services: BOTS,
  };
}

export function httpRequest(built: NotifierRequest | NotifierMail | null): NotifierRequest {
  if (built?.kind !== "http") throw new Error("no HTTP request was built");
  return built;
}

export interface Sent {
  method: string;
  url: string;
  headers: Record<string, string> | Headers;
  body: string;
}

/** Accepts what the real service accepts, from its public documentation; everything else gets its refusal. */
export type Fake = (request: Sent) => Response;

export const headerOf = ({ headers }: Sent, name: string) => new Headers(headers).get(name);
export const refuse = (status: number, reason: string) => new Response(reason, { status });

/** A JSON body of exactly these members, by POST unless said otherwise. */
export function jsonService(schema: z.ZodType, respond: (request: Sent) => Response, methods = ["POST"]): Fake {
  return (request) => {
    if (!methods.includes(request.method)) return refuse(405, "method");
    if (!headerOf(request, "content-type")?.startsWith("application/json")) return refuse(415, "content type");
    // JSON.stringify escapes half a surrogate pair, which the services refuse as invalid UTF-8, and nothing else of these.
    if (/\\ud[89a-f][0-9a-f]{2}/.test(request.body)) return refuse(400, "strings must be encoded in UTF-8");
    const parsed = schema.safeParse(JSON.parse(request.body));
    return parsed.success ? respond(request) : refuse(400, parsed.error.message);
  };
}

export const text = (max: number) => z.string().min(1).max(max);

/** https://api.slack.com/reference/surfaces/formatting: control characters. */
export const isSlackText = (value: string) => !/<(?![@#!]?\w)|&(?!amp;|lt;|gt;)/.test(value);
const slackText = (type: "plain_text" | "mrkdwn", max: number) =>
  type === "plain_text"
    ? z.strictObject({ type: z.literal(type), text: text(max), emoji: z.boolean() })
    : z.strictObject({ type: z.literal(type), text: text(max).refine(isSlackText), verbatim: z.boolean() });

/** https://docs.slack.dev/reference/block-kit/composition-objects/confirmation-dialog-object */
const SlackConfirm = z.strictObject({
  title: slackText("plain_text", 100),
  text: slackText("plain_text", 300),
  confirm: slackText("plain_text", 30),
  deny: slackText("plain_text", 30),
});

/** https://docs.slack.dev/reference/block-kit/blocks */
export const SlackBlock = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("header"), text: slackText("plain_text", 150) }),
  z.strictObject({ type: z.literal("context"), elements: z.array(slackText("plain_text", 3000)).min(1).max(10) }),
  z
    .strictObject({
      type: z.literal("section"),
      text: slackText("mrkdwn", 3000).optional(),
      fields: z.array(slackText("mrkdwn", 2000)).min(1).max(10).optional(),
    })
    .refine(({ text, fields }) => text !== undefined || fields !== undefined),
  z.strictObject({
    type: z.literal("actions"),
    elements: z
      .array(
        z
          .strictObject({
            type: z.literal("button"),
            text: slackText("plain_text", 75),
            url: z.url().max(3000).optional(),
            action_id: text(255).optional(),
            value: text(2000).optional(),
            confirm: SlackConfirm.optional(),
            style: z.enum(["primary", "danger"]).optional(),
          })
          .refine(({ url, action_id, value }) => url !== undefined || (action_id !== undefined && value !== undefined)),
      )
      .min(1)
      .max(25),
  }),
]);

/** https://api.slack.com/messaging/webhooks */
export const fakeSlack = jsonService(
  z.strictObject({
    text: text(40_000).refine(isSlackText, "invalid_payload"),
    blocks: z.array(SlackBlock).min(1).max(50),
    channel: text(80).optional(),
  }),
  () => new Response("ok"),
);

const AllowedMentions = z.strictObject({ parse: z.array(z.never()) });
const Embed = z.strictObject({
  title: text(256),
  description: z.string().max(4096),
  color: z.int().min(0).max(0xffffff),
  fields: z.array(z.strictObject({ name: text(256), value: text(1024), inline: z.boolean() })).max(25),
  timestamp: z.iso.datetime(),
});

/** https://discord.com/developers/docs/resources/webhook#execute-webhook: 2,000 characters, `wait` returns the message. */
export const fakeDiscord = jsonService(
  z.strictObject({ content: text(2000), allowed_mentions: AllowedMentions }),
  ({ url, method }) =>
    new URL(url).searchParams.get("wait") === "true" || method === "PATCH"
      ? Response.json({ type: 0, id: "1199", channel_id: "7" })
      : new Response(null, { status: 204 }),
  ["POST", "PATCH"],
);

/** https://discord.com/developers/docs/components/reference#button: at most 100 characters come back with a press. */
const Button = z.strictObject({
  type: z.literal(2),
  style: z.int().min(1).max(4),
  label: text(80),
  custom_id: text(100),
});
const ActionRow = z.strictObject({ type: z.literal(1), components: z.array(Button).min(1).max(5) });

/** https://discord.com/developers/docs/resources/message#create-message; embeds have 6,000 characters at most. */
export const fakeDiscordBot: Fake = (request) => {
  if (headerOf(request, "authorization") !== `Bot ${BOTS.discord_bot_token}`) return refuse(401, "401: Unauthorized");
  if (!/\/channels\/\d+\/messages(\/\d+)?$/.test(new URL(request.url).pathname)) return refuse(404, "Unknown Channel");
  return jsonService(
    z
      .strictObject({
        embeds: z.array(Embed).min(1).max(10),
        allowed_mentions: AllowedMentions,
        components: z.array(ActionRow).max(5).optional(),
      })
      .refine((message) => JSON.stringify(message.embeds).length < 8000, "embeds are too long"),
    () => Response.json({ id: "1200", channel_id: "7" }),
    ["POST", "PATCH"],
  )(request);
};

/** Legacy Markdown: every mark that is not escaped has its partner, or the API answers "can't parse entities". */
function isParsedByTelegram(value: string): boolean {
  const marks = value.replace(/\\[_*`[]/g, "").replace(/\[[^\]]*\]\(https:[^)]*\)/g, "");
  return ["*", "_", "`"].every((mark) => marks.split(mark).length % 2 === 1) && !marks.includes("[");
}

/** https://core.telegram.org/bots/api#inlinekeyboardbutton: 64 bytes come back with a press. */
const InlineButton = z.strictObject({ text: text(64), callback_data: text(64) });

/** https://core.telegram.org/bots/api#sendmessage and #editmessagetext: 4,096 characters after entities are parsed. */
export const fakeTelegram: Fake = (request) => {
  const [, method] = /^\/bot[\w:-]+\/(sendMessage|editMessageText)$/.exec(new URL(request.url).pathname) ?? [];
  if (method === undefined) return Response.json({ ok: false, error_code: 404 }, { status: 404 });
  const Message = z.strictObject({
    chat_id: z.union([z.number(), text(64)]),
    text: text(4096).refine(isParsedByTelegram, "can't parse entities"),
    parse_mode: z.literal("Markdown"),
    reply_markup: z.strictObject({ inline_keyboard: z.array(z.array(InlineButton).min(1)).min(1) }).optional(),
    ...(method === "editMessageText" && { message_id: z.int() }),
  });
  return jsonService(Message, () => Response.json({ ok: true, result: { message_id: 77, date: 1 } }))(request);
};

const TextRun = z.strictObject({
  type: z.literal("TextRun"),
  text: z.string().min(1),
  size: z.enum(["default", "small", "medium", "large", "extraLarge"]).optional(),
  weight: z.enum(["default", "lighter", "bolder"]).optional(),
  color: z.enum(["default", "dark", "light", "accent", "good", "warning", "attention"]).optional(),
});
const Card = z.strictObject({
  $schema: z.literal("http://adaptivecards.io/schemas/adaptive-card.json"),
  type: z.literal("AdaptiveCard"),
  version: z.string().regex(/^1\.[0-5]$/),
  body: z.array(z.strictObject({ type: z.literal("RichTextBlock"), inlines: z.array(TextRun).min(1) })).min(1),
  actions: z.array(z.strictObject({ type: z.literal("Action.OpenUrl"), title: text(50), url: z.url() })).max(6),
});

/** https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using: cards of 28 kB. */
export const fakeTeams: Fake = (request) => {
  if (new TextEncoder().encode(request.body).length > 28 * 1024) return refuse(413, "payload too large");
  return jsonService(
    z.strictObject({
      type: z.literal("message"),
      attachments: z
        .array(
          z.strictObject({
            contentType: z.literal("application/vnd.microsoft.card.adaptive"),
            contentUrl: z.null(),
            content: Card,
          }),
        )
        .length(1),
    }),
    () => new Response(null, { status: 202 }),
  )(request);
};

const Keyed = { routing_key: text(64), dedup_key: text(255) };

/** https://developer.pagerduty.com/docs/events-api-v2/trigger-events: required members, enumerations, lengths, 512 kB. */
export const fakePagerDuty = jsonService(
  z.discriminatedUnion("event_action", [
    z.strictObject({
      ...Keyed,
      event_action: z.literal("trigger"),
      payload: z.strictObject({
        summary: text(1024),
        source: text(255),
        severity: z.enum(["critical", "error", "warning", "info"]),
        timestamp: z.iso.datetime(),
        class: z.string(),
        custom_details: z.record(z.string(), z.string()),
      }),
      links: z.array(z.strictObject({ href: z.url(), text: z.string() })),
      client: z.string(),
    }),
    z.strictObject({ ...Keyed, event_action: z.enum(["acknowledge", "resolve"]) }),
  ]),
  (request) => {
    const { dedup_key } = JSON.parse(request.body);
    return Response.json({ status: "success", message: "Event processed", dedup_key }, { status: 202 });
  },
);

/** https://developers.mattermost.com/integrate/webhooks/incoming/: text of 16,383 characters. */
export const fakeMattermost = jsonService(
  z.strictObject({ text: text(16_383), channel: text(64).optional() }),
  () => new Response("ok"),
);

/** https://developers.google.com/workspace/chat/create-messages: 32,000 bytes; a thread key needs a reply option. */
export const fakeGoogleChat: Fake = (request) => {
  const option = new URL(request.url).searchParams.get("messageReplyOption");
  if (option !== "REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD") return refuse(400, "messageReplyOption");
  if (new TextEncoder().encode(request.body).length > 32_000) return refuse(400, "message too long");
  return jsonService(z.strictObject({ text: text(32_000), thread: z.strictObject({ threadKey: text(4000) }) }), () =>
    Response.json({ name: "spaces/a/messages/b" }),
  )(request);
};

/** https://docs.ntfy.sh/publish/: 4,096 bytes, priorities 1 to 5, a protected topic needs its token; headers are ASCII. */
export const fakeNtfy: Fake = (request) => {
  if (headerOf(request, "authorization") !== "Bearer tk_secret") return refuse(403, "forbidden");
  if (!/^\/[-_A-Za-z0-9]{1,64}$/.test(new URL(request.url).pathname)) return refuse(404, "page not found");
  if (new TextEncoder().encode(request.body).length > 4096) return refuse(413, "becomes an attachment");
  if (!/^[1-5]$/.test(headerOf(request, "priority") ?? "")) return refuse(400, "invalid priority");
  if (/[^\x20-\x7e]/.test(headerOf(request, "title") ?? "")) return refuse(400, "title is not ASCII");
  const actions = (headerOf(request, "actions") ?? "").split("; ").filter((action) => action !== "");
  if (actions.length > 3 || !actions.every((action) => /^view, [\w ]+, https:\/\/[^,;]+$/.test(action))) {
    return refuse(400, "invalid actions");
  }
  return Response.json({ id: "n1", event: "message" });
};
