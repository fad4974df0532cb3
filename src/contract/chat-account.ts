import { z } from "zod";
import { Id, Instant } from "./common.ts";

/** Chats in which people act for their account. */
export const CHAT_ACCOUNT_SERVICES = ["slack", "discord", "telegram"] as const;
export type ChatAccountService = (typeof CHAT_ACCOUNT_SERVICES)[number];

const CODE_LENGTH_MAX = 1024;

export const ChatAccountCreate = z
  .object({
    code: z.string().max(CODE_LENGTH_MAX).meta({ description: "from the link that the chat gave its person" }),
  })
  .meta({ id: "ChatAccountCreate" });

export const ChatAccount = z
  .object({
    id: Id,
    service: z.enum(CHAT_ACCOUNT_SERVICES),
    workspace_id: z.string().nullable().meta({ description: "of Slack, whose people are named in a workspace" }),
    chat_user_id: z.string(),
    name: z.string().meta({ description: "as the chat said it when it was linked" }),
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: "ChatAccount" });
