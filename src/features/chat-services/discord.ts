import type { RequestScope } from "../../access/scope.ts";
import type { DiscordInteraction } from "../../contract/chat-link.ts";
import { invalid } from "../../contract/errors.ts";
import { shorten } from "../../lib/plain-text.ts";
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
  const actor = (interaction.member?.user ?? interaction.user)?.username ?? "somebody";
  if (interaction.type === TYPES.component) {
    return reply(await pressButton(ctx, { data: interaction.data?.custom_id ?? "", actor, service: "discord" }));
  }
  if (interaction.type !== TYPES.command) throw invalid("type must be 1, 2 or 3");
  return reply(await runCommand(ctx, commandOf(interaction, actor)));
}

function commandOf({ channel_id, channel, data, member }: DiscordInteraction, actor: string): ChatCommand {
  if (channel_id === undefined) throw invalid("channel_id is required");
  const value = data?.options?.[0]?.value;
  return {
    service: "discord",
    channel: { id: channel_id, name: channel?.name ?? null },
    name: data?.name ?? "",
    argument: typeof value === "string" ? value : "",
    actor,
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
