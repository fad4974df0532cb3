import { listMailStandings } from "../data/mail-consents/read.ts";
import { recipientHash } from "../platform/credentials.ts";
import { type Caller, countRequest, isAllowed, limitOf, networkOf } from "./rate-limit.ts";
import type { RequestScope } from "./scope.ts";

/** Who answers for a mail: one account, whichever of its team causes it, or a visitor of a public page. */
export type MailSender = { kind: "account"; account_id: string } | { kind: "visitor" };

/** A mailbox, or an address of another kind that gets a code or question. */
export type MailRecipient = { kind: "mail"; address: string } | { kind: "other"; address: string };

/** What a contact or subscription names, which counts together with all other mail to it. */
export function recipientOf(channel: string, address: string): MailRecipient {
  return channel === "email" ? { kind: "mail", address } : { kind: "other", address: `${channel} ${address}` };
}

type MailCaller = Caller & Pick<RequestScope, "db">;

/**
 * Counts a mail that the sender has sent to this recipient, or throws 429. Each sender has a share. The last of the
 * recipient's is for a sender who has not written to them that day, so that no two use all of them up. Mail of an account
 * to its team, and to those who agreed to its mail, counts for that account alone: strangers cannot keep it away.
 */
export async function requireMailRate(caller: MailCaller, sender: MailSender, recipient: MailRecipient): Promise<void> {
  const address_hash = recipientHash(recipient.address);
  const key = `${sender.kind === "account" ? sender.account_id : networkOf(caller.ip ?? "nowhere")}:${address_hash}`;
  const own = limitOf(caller.settings, "sender_mail");
  const isFirst = !own || (await isAllowed(countRequest(caller, { ...own, limit: 1, rate_class: "sender_mail" }, key)));
  if (own && !isFirst) await countRequest(caller, { ...own, rate_class: "sender_mail" }, key);
  const all = limitOf(caller.settings, "recipient_mail");
  if (!all || (await knows(caller, sender, recipient))) return;
  const limit = isFirst ? all.limit : Math.max(1, all.limit - 1);
  await countRequest(caller, { ...all, limit, rate_class: "recipient_mail" }, address_hash);
}

/** The same for what is left out, not refused, beyond the limit. */
export function isWithinMailRate(caller: MailCaller, sender: MailSender, recipient: MailRecipient): Promise<boolean> {
  return isAllowed(requireMailRate(caller, sender, recipient));
}

async function knows({ db }: MailCaller, sender: MailSender, { kind, address }: MailRecipient): Promise<boolean> {
  if (kind !== "mail" || sender.kind !== "account") return false;
  const wish = { account_id: sender.account_id, address: address.toLowerCase(), address_hash: recipientHash(address) };
  const [standing] = await listMailStandings(db, [wish]);
  return standing !== undefined && standing.stopped_at === null && (standing.is_team === 1 || standing.is_agreed === 1);
}
