import type { Scope } from "../access/scope.ts";
import type { Notice } from "../contract/notices.ts";
import type { ContactType } from "../contract/on-call.ts";
import { isChatOfTeamOf, listLinkedChats } from "../data/chat-links/read.ts";
import { listMailStandings, type MailStanding, type MailWish } from "../data/mail-consents/read.ts";
import { judgeMail, type MailVerdict } from "../domain/mail-consent.ts";
import { type ConsentingReceiver, isHttpUrl } from "../notifiers/port.ts";
import { recipientHash } from "../platform/credentials.ts";
import type { Settings } from "../platform/settings.ts";

/**
 * Whether the reader of an address agreed to what is sent there. It is judged at each send, because what was agreed can
 * be taken back, and it is shown beside every such address.
 */
type Chat = Extract<ConsentingReceiver, { kind: "chat" }>;
type Asking = Pick<Scope, "db" | "settings">;

/** On whose behalf: the owner of pages, or one person who is notified by a contact of their own. */
export type Sender = { kind: "owner"; owner_id: string } | { kind: "person"; user_id: string };

/** The account that answers for what is sent. */
export function accountOf(sender: Sender): string {
  return sender.kind === "owner" ? sender.owner_id : sender.user_id;
}

/** Why nothing may be written into a chat; null where it may, and for what is no chat. */
export async function findChatRefusal(
  scope: Asking,
  sender: Sender,
  receiver: ConsentingReceiver | null | undefined,
): Promise<string | null> {
  if (receiver?.kind !== "chat") return null;
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
export async function listNotices(scope: Asking, groups: readonly (readonly NamedReceiver[])[]): Promise<Notice[][]> {
  const named = groups.flat().slice(0, NAMED_MAX);
  const [isLinked, judge] = await Promise.all([lookUpChats(scope, named), lookUpMail(scope, named)]);
  const notices = new Map<NamedReceiver, Notice>();
  for (const each of named) {
    const { owner_id, path, receiver } = each;
    if (receiver.kind === "chat") {
      if (!isLinked(owner_id, receiver)) notices.set(each, { path, message: `is a ${notLinked(receiver)}` });
    } else {
      const refusal = MAIL_REFUSALS[judge(owner_id, receiver.address).verdict];
      if (refusal !== null) notices.set(each, { path, message: `is ${refusal}` });
    }
  }
  return groups.map((group) => group.flatMap((each) => notices.get(each) ?? []));
}

async function lookUpChats({ db }: Asking, named: readonly NamedReceiver[]) {
  const wishes = named.flatMap(({ owner_id, receiver }) =>
    receiver.kind === "chat" ? [{ owner_id, service: receiver.service, channel_id: receiver.id }] : [],
  );
  const keyOf = (owner_id: string, service: string, id: string) => JSON.stringify([owner_id, service, id]);
  const chats = await listLinkedChats(db, wishes);
  const linked = new Set(chats.map((chat) => keyOf(chat.owner_id, chat.service, chat.channel_id)));
  return (ownerId: string, { service, id }: Chat) => linked.has(keyOf(ownerId, service, id));
}

export interface JudgedMail {
  verdict: MailVerdict;
  /** When its reader was last asked; null: never. */
  asked_at: number | null;
}

const UNKNOWN: JudgedMail = { verdict: "unanswered", asked_at: null };

async function lookUpMail({ db, settings }: Asking, named: readonly NamedReceiver[]) {
  const wishes = named.flatMap(({ owner_id, receiver }) =>
    receiver.kind === "mail" ? [mailWish(owner_id, receiver.address)] : [],
  );
  const keyOf = (account_id: string, address: string) => JSON.stringify([account_id, address.toLowerCase()]);
  const judged = new Map<string, JudgedMail>();
  for (const standing of await listMailStandings(db, wishes)) {
    judged.set(keyOf(standing.account_id, standing.address), judge(settings, standing));
  }
  return (ownerId: string, address: string) => judged.get(keyOf(ownerId, address)) ?? UNKNOWN;
}

/** What holds for mail on behalf of an account to one address. */
export async function judgeMailOf({ db, settings }: Asking, accountId: string, address: string): Promise<JudgedMail> {
  const [standing] = await listMailStandings(db, [mailWish(accountId, address)]);
  return standing ? judge(settings, standing) : UNKNOWN;
}

function mailWish(account_id: string, address: string): MailWish {
  return { account_id, address: address.toLowerCase(), address_hash: recipientHash(address) };
}

function judge(
  { DEFAULT_PLAN }: Settings,
  { plan, is_team, is_agreed, stopped_at, asked_at }: MailStanding,
): JudgedMail {
  const verdict = judgeMail({
    plan: plan ?? DEFAULT_PLAN,
    is_team: is_team === 1,
    is_agreed: is_agreed === 1,
    is_stopped: stopped_at !== null,
  });
  return { verdict, asked_at };
}

/** Why no mail goes there, after "is" or "the address is"; null where it does. */
export const MAIL_REFUSALS: Record<MailVerdict, string | null> = {
  team: null,
  outside: null,
  unanswered:
    "an address whose reader has not agreed to mail from you, so nothing is sent there; a mail asks them whenever this is saved or tested, once a day at most",
  stopped: "an address whose reader wants no mail from you, so nothing is sent there",
};

/** Who has to agree to what goes to a contact. */
export function receiverOfContact({ type, value }: { type: ContactType; value: string }): ConsentingReceiver | null {
  if (type === "email") return { kind: "mail", address: value };
  if (/^https?:/i.test(value)) return null;
  if (type === "telegram") return { kind: "chat", service: "telegram", id: value.replace(/^telegram:chat:/, "") };
  return type === "discord" ? { kind: "chat", service: "discord", id: value.replace(/^discord:channel:/, "") } : null;
}

/** The host that a request to a contact reaches, where it may be a stranger's; null for chat services, mail and people. */
export function hostOfContact({ type, value }: { type: ContactType; value: string }): string | null {
  return type === "webhook" && isHttpUrl(value) ? new URL(value).host : null;
}

/** After "is". */
export const SAME_HOST =
  "on the host of an earlier contact of the step, which is sent one request for each incident and step";

const NAMES: Record<Chat["service"], string> = { telegram: "Telegram chat", discord: "Discord channel" };

function notLinked({ service }: Chat): string {
  return `${NAMES[service]} that is linked to none of your status pages, so nothing is sent there; give the bot the command link with a token in it`;
}
