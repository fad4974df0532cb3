import { createRoute } from "@hono/zod-openapi";
import type { z } from "zod";
import { ChatReply, DiscordInteraction, TelegramUpdate } from "../../contract/chat-link.ts";
import { conflict, unauthenticated } from "../../contract/errors.ts";
import { parseJsonBody, readRequestBody } from "../../http/body.ts";
import { type AppContext, type EndpointPolicy, endpoint } from "../../http/endpoint.ts";
import { parseInput } from "../../http/errors.ts";
import { BODY_ERRORS, json, USER_ERRORS } from "../../http/responses.ts";
import { MINUTE_MS, SECOND_MS } from "../../lib/durations.ts";
import { isSameSecret, isSignedByDiscord } from "../../platform/chat-signatures.ts";
import { once } from "./commands.ts";
import { answerInteraction } from "./discord.ts";
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

export const endpoints = [
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
      const age = Math.abs(ctx.now - Number(timestamp) * SECOND_MS);
      const isFresh = /^\d{1,15}$/.test(timestamp) && age <= AGE_MAX_MS;
      if (!isFresh || !(await isSignedByDiscord(ctx.settings.DISCORD_PUBLIC_KEY, { signature, timestamp, body }))) {
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
