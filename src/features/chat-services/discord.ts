import type { RequestScope } from "../../access/scope.ts";
import type { DiscordInteraction } from "../../contract/chat-link.ts";
import { invalid } from "../../contract/errors.ts";
import { shorten } from "../../lib/plain-text.ts";
import type { ChatIdentity } from "../../platform/chat-account-codes.ts";
import { linkAddress } from "../chat-accounts/acting.ts";
import { type ChatCommand, pressButton, runCommand } from "./commands.ts";

/** https://discord.com/developers/docs/interactions/receiving-and-responding */
const TYPES = { ping: 1, command: 2, component: 3 } as const;
const REPLIES = { pong: 1, message: 4 } as const;
const EPHEMERAL = 64;
const CONTENT_LENGTH_MAX = 2000;
/** MANAGE_CHANNELS, ADMINISTRATOR and MANAGE_GUILD: https://discord.com/developers/docs/topics/permissions */
const MANAGERS = (1n << 4n) | (1n << 3n) | (1n << 5n);

export async function answerInteraction(ctx: RequestScope, interaction: DiscordInteraction) {
  if (interaction.type === TYPES.ping) return { type: REPLIES.pong };
  const asked = { person: personOf(interaction), sayHowToLink: (person: ChatIdentity) => howToLink(ctx, person) };
  if (interaction.type === TYPES.component) {
    return reply(await pressButton(ctx, { data: interaction.data?.custom_id ?? "", ...asked }));
  }
  if (interaction.type !== TYPES.command) throw invalid("type must be 1, 2 or 3");
  return reply(await runCommand(ctx, { ...commandOf(interaction), ...asked }));
}

function personOf({ member, user }: DiscordInteraction): ChatIdentity | null {
  const { id, username: name } = member?.user ?? user ?? { username: "" };
  return id === undefined ? null : { service: "discord", workspace_id: "", chat_user_id: id, name };
}

/** The reply is seen by its person alone. */
function howToLink(ctx: RequestScope, person: ChatIdentity): string {
  return `You are linked to no account yet. Open this within 15 minutes, signed in, and come back: <${linkAddress(ctx, person)}>`;
}

function commandOf({
  channel_id,
  channel,
  data,
  member,
}: DiscordInteraction): Omit<ChatCommand, "person" | "sayHowToLink"> {
  if (channel_id === undefined) throw invalid("channel_id is required");
  const value = data?.options?.[0]?.value;
  return {
    service: "discord",
    channel: { id: channel_id, name: channel?.name ?? null },
    name: data?.name ?? "",
    argument: typeof value === "string" ? value : "",
    isManager: async () => (permissionsOf(member?.permissions) & MANAGERS) !== 0n,
  };
}

function permissionsOf(text: string | undefined): bigint {
  return /^\d{1,30}$/.test(text ?? "") ? BigInt(text ?? "") : 0n;
}

function reply(text: string) {
  const content = shorten(text, CONTENT_LENGTH_MAX);
  return { type: REPLIES.message, data: { content, flags: EPHEMERAL, allowed_mentions: { parse: [] } } };
}
