import { createRoute } from "@hono/zod-openapi";
import type { z } from "zod";
import { ChatReply, DiscordInteraction, TelegramUpdate } from "../../contract/chat-link.ts";
import { conflict, unauthenticated, unsupportedMediaType } from "../../contract/errors.ts";
import { SlackCommand, SlackPayload } from "../../contract/slack.ts";
import { isFormType, parseForm, parseJsonBody, readRequestBody } from "../../http/body.ts";
import { type AppContext, type EndpointPolicy, endpoint } from "../../http/endpoint.ts";
import { parseInput } from "../../http/errors.ts";
import { BODY_ERRORS, json, USER_ERRORS } from "../../http/responses.ts";
import { MINUTE_MS, SECOND_MS } from "../../lib/durations.ts";
import { isSameSecret, isSignedByDiscord, isSignedBySlack } from "../../platform/chat-signatures.ts";
import { sha256Hex } from "../../platform/credentials.ts";
import { once } from "./commands.ts";
import { answerInteraction } from "./discord.ts";
import { answerCommand, answerPayload } from "./slack.ts";
import { answerUpdate } from "./telegram.ts";

/** What chat services send: the signature or the secret header is the credential. */
const tags = ["Chat links"];
const policy = {
  at: ["root"],
  auth: "public",
  permission: null,
  audit: "chat.command",
  rate: "public",
} as const satisfies EndpointPolicy;
const BYTES_MAX = 64 * 1024;
/** Older requests are refused, and ids of accepted ones are stored for longer. */
const AGE_MAX_MS = 5 * MINUTE_MS;
const responses = {
  200: json("What the chat service is to show", ChatReply),
  ...USER_ERRORS,
  409: BODY_ERRORS[409],
  413: BODY_ERRORS[413],
  415: BODY_ERRORS[415],
};

const parseRequest = <Schema extends z.ZodType>(c: AppContext, schema: Schema, bytes: Uint8Array) =>
  parseInput(schema, parseJsonBody(c.req.header("content-type") ?? null, bytes));

/** An interaction carries the message that it belongs to. */
const SLACK_BYTES_MAX = 512 * 1024;

/** The one door for requests of Slack: what they hold is read once the signature is right, and done once for each. */
async function answerSlack(c: AppContext, answer: (form: URLSearchParams) => Promise<Record<string, unknown>>) {
  const { ctx } = c.var;
  const body = await readRequestBody(c.req.raw, SLACK_BYTES_MAX);
  const timestamp = c.req.header("x-slack-request-timestamp") ?? "";
  const signature = c.req.header("x-slack-signature") ?? "";
  const signed = { signature, timestamp, body };
  if (!isFresh(ctx.now, timestamp) || !isSignedBySlack(ctx.settings.SLACK_SIGNING_SECRET, signed)) {
    throw unauthenticated();
  }
  if (!isFormType(c.req.header("content-type") ?? null)) throw unsupportedMediaType("a form");
  const reply = await once(ctx, `slack ${sha256Hex(signature)}`, () => answer(parseForm(body)));
  return c.json(reply ?? {}, 200);
}

function isFresh(now: number, timestamp: string): boolean {
  return /^\d{1,15}$/.test(timestamp) && Math.abs(now - Number(timestamp) * SECOND_MS) <= AGE_MAX_MS;
}

export const endpoints = [
  endpoint(
    policy,
    createRoute({
      method: "post",
      path: "/integrations/slack/interactions",
      tags,
      summary: "Interactivity of the Slack app",
      description:
        "Buttons and forms. Requests without Slack's signature, and those older than 5 minutes, are 401; a repeated one changes nothing.",
      responses,
    }),
    (c) =>
      answerSlack(c, (form) => {
        const payload = parseJsonBody("application/json", new TextEncoder().encode(form.get("payload") ?? ""));
        return answerPayload(c.var.ctx, parseInput(SlackPayload, payload));
      }),
  ),

  endpoint(
    policy,
    createRoute({
      method: "post",
      path: "/integrations/slack/commands",
      tags,
      summary: "Command of the Slack app",
      description:
        "`/vigil status`, `oncall` and `ack`. Requests without Slack's signature, and those older than 5 minutes, are 401; a repeated one changes nothing.",
      responses,
    }),
    (c) => answerSlack(c, (form) => answerCommand(c.var.ctx, parseInput(SlackCommand, Object.fromEntries(form)))),
  ),

  endpoint(
    policy,
    createRoute({
      method: "post",
      path: "/integrations/discord/interactions",
      tags,
      summary: "Interactions endpoint of the Discord application",
      description: "Requests without a valid Ed25519 signature, and old ones, are 401; a repeated one is 409.",
      responses,
    }),
    async (c) => {
      const { ctx } = c.var;
      const body = await readRequestBody(c.req.raw, BYTES_MAX);
      const timestamp = c.req.header("x-signature-timestamp") ?? "";
      const signature = c.req.header("x-signature-ed25519") ?? "";
      if (
        !isFresh(ctx.now, timestamp) ||
        !(await isSignedByDiscord(ctx.settings.DISCORD_PUBLIC_KEY, { signature, timestamp, body }))
      ) {
        throw unauthenticated();
      }
      const interaction = parseRequest(c, DiscordInteraction, body);
      const reply = await once(ctx, `discord ${interaction.id}`, () => answerInteraction(ctx, interaction));
      if (reply === undefined) throw conflict("this interaction was received before");
      return c.json(reply, 200);
    },
  ),

  endpoint(
    policy,
    createRoute({
      method: "post",
      path: "/integrations/telegram/webhook",
      tags,
      summary: "Webhook of the Telegram bot",
      description:
        "Requests without the secret of setWebhook in X-Telegram-Bot-Api-Secret-Token are 401; a repeated update changes nothing.",
      responses,
    }),
    async (c) => {
      const { ctx } = c.var;
      const secret = c.req.header("x-telegram-bot-api-secret-token") ?? "";
      if (!isSameSecret(ctx.settings.TELEGRAM_WEBHOOK_SECRET, secret)) throw unauthenticated();
      const update = parseRequest(c, TelegramUpdate, await readRequestBody(c.req.raw, BYTES_MAX));
      // Telegram sends what is not answered with 2xx again and again.
      const reply = await once(ctx, `telegram ${update.update_id}`, () => answerUpdate(ctx, update));
      return c.json(reply ?? {}, 200);
    },
  ),
];
