import { commit } from "../../access/commit.ts";
import { findIdempotentResult } from "../../access/idempotency.ts";
import { requireUser } from "../../access/principal.ts";
import type { RequestScope } from "../../access/scope.ts";
import { conflict, invalid, notFound } from "../../contract/errors.ts";
import {
  type ChatAccountRecord,
  findChatAccount,
  hasManyChatAccounts,
  listChatAccounts,
} from "../../data/chat-accounts/read.ts";
import { deleteChatAccount, insertChatAccount } from "../../data/chat-accounts/write.ts";
import { oneLine } from "../../lib/one-line.ts";
import { type ChatIdentity, parseChatAccountCode } from "../../platform/chat-account-codes.ts";
import { newId } from "../../platform/ids.ts";
import { commitWithMail } from "../sessions/security-mail.ts";

const CHAT_ACCOUNTS_MAX = 20;
export const CHAT_SERVICE_NAMES = { slack: "Slack", discord: "Discord", telegram: "Telegram" } as const;

export function listMyChatAccounts(ctx: RequestScope, page: { limit: number; offset: number }) {
  return listChatAccounts(ctx.db, requireUser(ctx).user_id, page);
}

/** Whom a code is of; null once it is over. */
export function readCode({ settings, now }: RequestScope, code: string): ChatIdentity | null {
  return parseChatAccountCode(settings.ROOT_SECRET, code, now);
}

/** From now on the person in the chat acts with the rights that the caller has at that time. */
export async function linkChatAccount(ctx: RequestScope, code: string): Promise<ChatAccountRecord> {
  const { user_id } = requireUser(ctx);
  const earlier = await findIdempotentResult(ctx);
  if (earlier) return getMine(ctx, earlier);
  const person = readCode(ctx, code);
  if (person === null) {
    const message = "is over, or was not made here: ask for another one in the chat";
    throw invalid(`code ${message}`, [{ path: "code", message }]);
  }
  const { service, workspace_id, chat_user_id } = person;
  const name = oneLine(person.name);
  const record: ChatAccountRecord = {
    id: newId(ctx.now),
    user_id,
    service,
    workspace_id,
    chat_user_id,
    name,
    created_at: ctx.now,
    updated_at: ctx.now,
  };
  const who = `${name} on ${CHAT_SERVICE_NAMES[service]}`;
  const tooMany = conflict(`an account links ${CHAT_ACCOUNTS_MAX} chats at most: remove one first`);
  await commitWithMail(ctx, [insertChatAccount(ctx.db, record)], {
    audit: auditOf(record, `linked ${who}`),
    guards: [{ name: "stale", when: hasManyChatAccounts(user_id, CHAT_ACCOUNTS_MAX), error: tooMany }],
    conflicts: { "chat_accounts.service": conflict("this person of the chat is linked to an account already") },
    mail: {
      subject: "A chat acts for your account",
      text: `${who} was linked: buttons and commands of this person act with the rights of your account.`,
    },
  });
  return record;
}

export async function unlinkChatAccount(ctx: RequestScope, id: string): Promise<void> {
  const record = await getMine(ctx, id);
  await commit(ctx, [deleteChatAccount(ctx.db, record)], {
    audit: auditOf(record, `unlinked ${record.name} on ${CHAT_SERVICE_NAMES[record.service]}`),
  });
}

async function getMine(ctx: RequestScope, id: string): Promise<ChatAccountRecord> {
  const record = await findChatAccount(ctx.db, { user_id: requireUser(ctx).user_id, id });
  if (!record) throw notFound("chat account");
  return record;
}

function auditOf({ id, user_id }: ChatAccountRecord, summary: string) {
  return { owner_id: user_id, target_type: "chat_account", target_id: id, summary };
}
