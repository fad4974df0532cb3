import { z } from "zod";
import { Id, Instant } from "./common.ts";

/** Chats with a bot of the operator. */
export const CHAT_SERVICES = ["discord", "telegram"] as const;
export type ChatService = (typeof CHAT_SERVICES)[number];

export const ChatLinkToken = z
  .object({
    token: z.string().meta({ description: "15 minutes, one use; shown once" }),
    expires_at: Instant,
    instructions: z.string(),
    url: z.url().meta({ description: "where to add the bot" }),
  })
  .meta({ id: "ChatLinkToken" });

export const StatusChannel = z
  .object({
    id: Id,
    status_page_id: Id,
    service: z.enum(CHAT_SERVICES),
    channel_id: z.string(),
    name: z.string().nullable(),
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: "StatusChannel" });
export type StatusChannel = z.infer<typeof StatusChannel>;

const Snowflake = z.string().regex(/^\d{1,20}$/);
const DiscordUser = z.object({ id: Snowflake.optional(), username: z.string() });

/** https://discord.com/developers/docs/interactions/receiving-and-responding#interaction-object */
export const DiscordInteraction = z.object({
  id: Snowflake,
  type: z.int(),
  channel_id: Snowflake.optional(),
  channel: z.object({ name: z.string().nullish() }).optional(),
  member: z.object({ permissions: z.string().optional(), user: DiscordUser.optional() }).optional(),
  user: DiscordUser.optional(),
  data: z
    .object({
      name: z.string().optional(),
      custom_id: z.string().optional(),
      options: z.array(z.object({ name: z.string(), value: z.unknown().optional() })).optional(),
    })
    .optional(),
});
export type DiscordInteraction = z.infer<typeof DiscordInteraction>;

const TelegramChat = z.object({ id: z.int(), type: z.string(), title: z.string().optional() });
const TelegramUser = z.object({ id: z.int(), first_name: z.string().optional(), username: z.string().optional() });
export type TelegramUser = z.infer<typeof TelegramUser>;
const TelegramMessage = z.object({ text: z.string().optional(), chat: TelegramChat, from: TelegramUser.optional() });

/** https://core.telegram.org/bots/api#update */
export const TelegramUpdate = z.object({
  update_id: z.int(),
  message: TelegramMessage.optional(),
  channel_post: TelegramMessage.optional(),
  callback_query: z.object({ id: z.string(), from: TelegramUser, data: z.string().optional() }).optional(),
});
export type TelegramUpdate = z.infer<typeof TelegramUpdate>;

/** What a chat service carries out as the answer to its request. */
export const ChatReply = z.record(z.string(), z.unknown()).meta({ id: "ChatReply" });
