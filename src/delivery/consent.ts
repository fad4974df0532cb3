import type { Scope } from "../access/scope.ts";
import type { Notice } from "../contract/notices.ts";
import type { ContactType } from "../contract/on-call.ts";
import { isChatOfTeamOf, listLinkedChats } from "../data/chat-links/read.ts";
import type { ConsentingReceiver } from "../notifiers/port.ts";

/**
 * Whether whoever is behind an address agreed to what is sent there. It is judged at each send, because what was agreed can
 * be taken back, and told wherever such an address is shown.
 */
type Chat = Extract<ConsentingReceiver, { kind: "chat" }>;

/** On whose behalf: the owner of pages, or one person who is told by a contact of their own. */
export type Sender = { kind: "owner"; owner_id: string } | { kind: "person"; user_id: string };

/** Why nothing may be sent there; null where it may, or where an address alone proves enough. */
export async function findRefusal(
  scope: Scope,
  sender: Sender,
  receiver: ConsentingReceiver | null | undefined,
): Promise<string | null> {
  if (!receiver || receiver.kind === "mail") return null;
  const chat = { service: receiver.service, channel_id: receiver.id };
  const isLinked =
    sender.kind === "person"
      ? await isChatOfTeamOf(scope.db, { ...chat, user_id: sender.user_id })
      : (await listLinkedChats(scope.db, [{ ...chat, owner_id: sender.owner_id }])).length > 0;
  return isLinked ? null : `the ${notLinked(receiver)}`;
}

/** An address of somebody's settings, and the member that holds it. */
export interface NamedReceiver {
  owner_id: string;
  path: string;
  receiver: ConsentingReceiver;
}

/** Looked up at a time; one object has fewer, and beyond them a list says nothing. */
const NAMED_MAX = 1_000;

/** For each group the notices about those of its receivers to which nothing can be sent yet. */
export async function listNotices(
  scope: Pick<Scope, "db">,
  groups: readonly (readonly NamedReceiver[])[],
): Promise<Notice[][]> {
  const named = groups.flat().slice(0, NAMED_MAX);
  const wishes = named.flatMap(({ owner_id, receiver }) =>
    receiver.kind === "chat" ? [{ owner_id, service: receiver.service, channel_id: receiver.id }] : [],
  );
  const keyOf = (owner_id: string, service: string, id: string) => JSON.stringify([owner_id, service, id]);
  const linkedChats = await listLinkedChats(scope.db, wishes);
  const linked = new Set(linkedChats.map((chat) => keyOf(chat.owner_id, chat.service, chat.channel_id)));
  const notices = new Map<NamedReceiver, Notice>();
  for (const each of named) {
    const { owner_id, path, receiver } = each;
    if (receiver.kind === "mail" || linked.has(keyOf(owner_id, receiver.service, receiver.id))) continue;
    notices.set(each, { path, message: `is a ${notLinked(receiver)}` });
  }
  return groups.map((group) => group.flatMap((each) => notices.get(each) ?? []));
}

/** Who has to agree to what goes to a contact. */
export function receiverOfContact({ type, value }: { type: ContactType; value: string }): ConsentingReceiver | null {
  if (type === "email") return { kind: "mail", address: value };
  if (/^https?:/i.test(value)) return null;
  if (type === "telegram") return { kind: "chat", service: "telegram", id: value.replace(/^telegram:chat:/, "") };
  return type === "discord" ? { kind: "chat", service: "discord", id: value.replace(/^discord:channel:/, "") } : null;
}

const NAMES: Record<Chat["service"], string> = { telegram: "Telegram chat", discord: "Discord channel" };

function notLinked({ service }: Chat): string {
  return `${NAMES[service]} that is linked to none of your status pages, so nothing is sent there; give the bot the command link with a token in it`;
}
