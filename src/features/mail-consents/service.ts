import { commit } from "../../access/commit.ts";
import type { RequestScope } from "../../access/scope.ts";
import { findMailConsent, type MailConsentKey } from "../../data/mail-consents/read.ts";
import { upsertMailConsent } from "../../data/mail-consents/write.ts";
import { findUser } from "../../data/users/read.ts";
import { parseMailConsentToken } from "../../platform/mail-consent-tokens.ts";

export interface MailConsent {
  key: MailConsentKey;
  /** Of the account on whose behalf mail is sent. */
  sender: string;
  answer: "agreed" | "stopped" | null;
}

/** What the link of a mail is about; undefined for every other text, and once the account is deleted. */
export async function findConsentByLink(ctx: RequestScope, token: string): Promise<MailConsent | undefined> {
  const key = parseMailConsentToken(ctx.settings.ROOT_SECRET, token);
  if (!key) return undefined;
  const [account, consent] = await Promise.all([findUser(ctx.db, key.account_id), findMailConsent(ctx.db, key)]);
  if (account?.deleted_at !== null) return undefined;
  const isStopped = (consent?.stopped_at ?? null) !== null;
  const hasAgreed = (consent?.agreed_at ?? null) !== null;
  return { key, sender: account.email, answer: isStopped ? "stopped" : hasAgreed ? "agreed" : null };
}

/** The reader holds a link of a mail to them. */
export async function answerConsent(
  ctx: RequestScope,
  { key, ...consent }: MailConsent,
  answer: "agreed" | "stopped",
): Promise<MailConsent> {
  const change =
    answer === "agreed" ? { agreed_at: ctx.now, stopped_at: null } : { agreed_at: null, stopped_at: ctx.now };
  await commit(ctx, [upsertMailConsent(ctx.db, key, { ...change, now: ctx.now })], {
    audit: {
      owner_id: key.account_id,
      target_type: "mail_consent",
      target_id: key.account_id,
      summary:
        answer === "agreed" ? "the reader of an address agreed to mail" : "the reader of an address stopped mail",
    },
  });
  return { ...consent, key, answer };
}
