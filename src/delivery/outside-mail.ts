import { isWithinMailRate } from "../access/mail-rate.ts";
import { capOf } from "../access/plan-caps.ts";
import { requireUser } from "../access/principal.ts";
import type { RequestScope, Scope } from "../access/scope.ts";
import type { Statement } from "../data/db.ts";
import type { MailRecord } from "../data/mail/read.ts";
import { insertMail } from "../data/mail/write.ts";
import { countMail, type MailBudget } from "../data/mail-budgets/write.ts";
import { upsertMailConsent } from "../data/mail-consents/write.ts";
import { findUser } from "../data/users/read.ts";
import type { AlertMessage } from "../domain/alert-messages.ts";
import { DAY_MS } from "../lib/durations.ts";
import type { ConsentingReceiver, MailFooter } from "../notifiers/port.ts";
import type { Publication } from "../outbox/publication.ts";
import { recipientHash } from "../platform/credentials.ts";
import { mailConsentToken } from "../platform/mail-consent-tokens.ts";
import { sealAlertMail } from "./alert-mail.ts";
import { accountOf, findChatRefusal, judgeMailOf, MAIL_REFUSALS, type NamedReceiver, type Sender } from "./consent.ts";
import { dispatchMail } from "./mail.ts";

/**
 * Mail to people who have no account with the team: they are asked before anything is sent to them, each mail lets them
 * stop the next, and an account may send so many a day.
 */

/** Asked of one request; the others are asked when it is repeated. */
const ASKED_MAX = 50;

/** Why nothing may be sent there now; null where it may, and then a mail is counted. */
export async function admit(
  scope: Scope,
  sender: Sender,
  receiver: ConsentingReceiver | null | undefined,
): Promise<string | null> {
  if (!receiver) return null;
  if (receiver.kind === "chat") return findChatRefusal(scope, sender, receiver);
  const { verdict } = await judgeMailOf(scope, accountOf(sender), receiver.address);
  // A person's own contact has proven itself by its code.
  if (sender.kind === "person") return verdict === "stopped" ? refusalOf(verdict) : null;
  if (verdict !== "outside") return refusalOf(verdict);
  const isWithin = await takeMail(scope, sender.owner_id, "mails");
  return isWithin ? null : "the plan of the account sends no more mail to addresses outside of the team today";
}

function refusalOf(verdict: keyof typeof MAIL_REFUSALS): string | null {
  const refusal = MAIL_REFUSALS[verdict];
  return refusal === null ? null : `the receiver is ${refusal}`;
}

/** Counts one mail against the day's budget of an account; false where there is none left. */
export async function takeMail({ db, settings, now }: Scope, ownerId: string, budget: MailBudget): Promise<boolean> {
  const owner = await findUser(db, ownerId);
  const max = capOf(settings, budget, owner?.plan ?? settings.DEFAULT_PLAN);
  if (max === null) return true;
  const day_at = Math.floor(now / DAY_MS) * DAY_MS;
  return (await countMail(db, { owner_id: ownerId, budget, day_at })) <= max;
}

/** What asks the readers of these addresses whether they agree, as far as they were not asked within a day. */
export async function askReaders(ctx: RequestScope, named: readonly NamedReceiver[]): Promise<Publication> {
  const statements: Statement[] = [];
  const mails: MailRecord[] = [];
  for (const { owner_id, address } of listAddresses(named).slice(0, ASKED_MAX)) {
    const { verdict, asked_at } = await judgeMailOf(ctx, owner_id, address);
    if (verdict !== "unanswered" || (asked_at !== null && ctx.now - asked_at < DAY_MS)) continue;
    const address_hash = recipientHash(address);
    const sender = { kind: "account", account_id: owner_id } as const;
    if (!(await isWithinMailRate(ctx, sender, { kind: "mail", address }))) continue;
    if (!(await takeMail(ctx, owner_id, "mails"))) continue;
    const mail = await sealAlertMail(ctx, {
      to: address,
      message: questionOf(ctx, { account_id: owner_id, address_hash }),
      reason: "You receive this message because somebody gave this address as one for alerts.",
    });
    mails.push(mail);
    const key = { account_id: owner_id, address_hash };
    statements.push(upsertMailConsent(ctx.db, key, { asked_at: ctx.now, now: ctx.now }), insertMail(ctx.db, mail));
  }
  return { statements, wake: () => dispatchMail(ctx, mails) };
}

function listAddresses(named: readonly NamedReceiver[]) {
  const addresses = named.flatMap(({ owner_id, receiver }) =>
    receiver.kind === "mail" ? [{ owner_id, address: receiver.address.toLowerCase() }] : [],
  );
  return [...new Map(addresses.map((each) => [JSON.stringify(each), each])).values()];
}

/** Of what users wrote it holds their proven address alone, so that it carries nobody's advertisement. */
function questionOf(ctx: RequestScope, named: { account_id: string; address_hash: string }): AlertMessage {
  const { email } = requireUser(ctx);
  const url = consentUrl(ctx.publicUrl, ctx.settings.ROOT_SECRET, named);
  return {
    tone: "info",
    title: "Do you want alerts at this address?",
    text: `${email} wants alerts to be sent to you when services that they monitor have trouble. Nothing is sent before you agree. If you do not know them, ignore this message.`,
    facts: [{ label: "Asked by", value: email }],
    links: [{ label: "Answer", url }],
    thread: { id: named.address_hash, state: "question" },
    is_resolved: false,
  };
}

function consentUrl(base: string, rootSecret: string, named: { account_id: string; address_hash: string }): string {
  return `${base}/mail-consent/${mailConsentToken(rootSecret, named)}`;
}

/** What lets a reader stop mail of an account: a link below the text, and one for mail programs (RFC 8058). */
export function stopLink({ settings }: Pick<Scope, "settings">, accountId: string, address: string): MailFooter {
  const { PUBLIC_URL, ROOT_SECRET } = settings;
  if (PUBLIC_URL === "") return { footer: [], headers: {} };
  const named = { account_id: accountId, address_hash: recipientHash(address) };
  const url = consentUrl(PUBLIC_URL, ROOT_SECRET, named);
  return {
    footer: [{ label: "Stop these messages", url }],
    headers: { "List-Unsubscribe": `<${url}>`, "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" },
  };
}
