import { commit } from "../../access/commit.ts";
import { findIdempotentResult } from "../../access/idempotency.ts";
import { recipientOf, requireMailRate } from "../../access/mail-rate.ts";
import { requireUser } from "../../access/principal.ts";
import { requireRate } from "../../access/rate-limit.ts";
import type { RequestScope } from "../../access/scope.ts";
import { conflict, invalid, notFound } from "../../contract/errors.ts";
import type { Notice } from "../../contract/notices.ts";
import {
  type AddressedContactType,
  isTelephone,
  type NotifyContactCreate,
  TELEPHONE_NUMBER,
  type TelephoneType,
} from "../../contract/notify-contact.ts";
import type { MailConsentKey } from "../../data/mail-consents/read.ts";
import { deleteMailConsent, upsertMailConsent } from "../../data/mail-consents/write.ts";
import {
  findNotifyContact,
  hasContacts,
  listNotifyContacts,
  type NotifyContactRecord,
} from "../../data/notify-contacts/read.ts";
import {
  countCodeAttempt,
  deleteNotifyContact,
  insertNotifyContact,
  markContactVerified,
} from "../../data/notify-contacts/write.ts";
import { getApplicationKeys, parseSubscription } from "../../delivery/browser-push.ts";
import { findChatRefusal, receiverOfContact } from "../../delivery/consent.ts";
import { publishContactCode, targetOf } from "../../delivery/contact-code.ts";
import { findLineOfPerson } from "../../delivery/phone.ts";
import { chatServicesOf } from "../../delivery/prepare.ts";
import { maskUrl } from "../../delivery/webhook-config.ts";
import { DAY_MS } from "../../lib/durations.ts";
import { findTargetFlaw } from "../../notifiers/fields.ts";
import { notifierOf } from "../../notifiers/registry.ts";
import { isContactCode } from "../../platform/contact-codes.ts";
import { recipientHash } from "../../platform/credentials.ts";
import { checkGiven } from "../../platform/egress/guard.ts";
import { newId } from "../../platform/ids.ts";
import { seal, unseal } from "../../platform/seal.ts";
import { isUsable } from "../../platform/web-push.ts";

const CONTACTS_MAX = 50;
const CODE_EXPIRES_MS = DAY_MS;
/** Of the code of a telephone number; then the contact has to be created again. */
const CODE_ATTEMPTS_MAX = 5;

export interface ShownContact {
  contact: NotifyContactRecord;
  value: string;
  notices?: Notice[];
}

export async function listContacts(ctx: RequestScope, page: { limit: number; offset: number }) {
  const { rows, total } = await listNotifyContacts(ctx.db, requireUser(ctx).user_id, page);
  return { rows: await Promise.all(rows.map((contact) => show(ctx, contact))), total };
}

/** Stores the contact and sends it the code that proves who reads it. */
export async function createContact(ctx: RequestScope, input: NotifyContactCreate): Promise<ShownContact> {
  const { user_id } = requireUser(ctx);
  const earlier = await findIdempotentResult(ctx);
  if (earlier) return show(ctx, await requireContact(ctx, earlier));
  const { type, value } = input;
  if (type === "push") await requireSubscription(ctx, value);
  else if (isTelephone(type)) await requireLine(ctx, { type, number: value, user_id });
  else requireReachable(ctx, { ...input, type });
  // A number counts once, by text message and by call.
  const recipient = recipientOf(isTelephone(type) ? "phone" : type, value);
  await requireMailRate(ctx, { kind: "account", account_id: user_id }, recipient);
  if (isTelephone(type)) await requireRate(ctx, "phone_code", user_id);
  const id = newId();
  const contact: NotifyContactRecord = {
    id,
    user_id,
    type,
    label: input.label || null,
    verified_at: null,
    number_hash: type === "sms" ? recipientHash(value) : null,
    code_attempts: 0,
    sealed: await seal(ctx.settings.ROOT_SECRET, id, { value }),
    created_at: ctx.now,
    updated_at: ctx.now,
  };
  const publication = await publishContactCode(ctx, contact, value);
  await commit(ctx, [insertNotifyContact(ctx.db, contact), ...publication.statements], {
    audit: auditOf(contact, "added"),
    guards: [
      {
        name: "stale",
        when: hasContacts(user_id, CONTACTS_MAX),
        error: conflict(`an account has at most ${CONTACTS_MAX} contacts`),
      },
    ],
  });
  ctx.defer(publication.wake());
  if (type === "push" || isTelephone(type)) return show(ctx, contact);
  const refusal = await findChatRefusal(ctx, { kind: "person", user_id }, receiverOfContact({ ...input, type }));
  return refusal === null ? { contact, value } : { contact, value, notices: [{ path: "value", message: refusal }] };
}

export async function verifyContact(ctx: RequestScope, contactId: string, code: string): Promise<ShownContact> {
  const contact = await requireContact(ctx, contactId);
  if (contact.verified_at !== null) return show(ctx, contact);
  const isFresh = ctx.now < contact.created_at + CODE_EXPIRES_MS;
  // So few that nobody verifies the number of another person by guessing.
  const isCounted = !isTelephone(contact.type) || (await countCodeAttempt(ctx.db, contact, CODE_ATTEMPTS_MAX));
  if (!isFresh || !isCounted || !isContactCode(ctx.settings.ROOT_SECRET, contact, code))
    throw invalid("code is wrong or expired");
  const verified = { ...contact, verified_at: ctx.now, updated_at: ctx.now };
  const shown = await show(ctx, verified);
  const consent = consentOf(shown);
  await commit(
    ctx,
    [
      markContactVerified(ctx.db, contact, ctx.now),
      ...(consent ? [upsertMailConsent(ctx.db, consent, { agreed_at: ctx.now, now: ctx.now })] : []),
    ],
    { audit: auditOf(contact, "verified") },
  );
  return shown;
}

export async function removeContact(ctx: RequestScope, contactId: string): Promise<void> {
  const contact = await requireContact(ctx, contactId);
  const consent = consentOf(await show(ctx, contact));
  const ended = consent ? [deleteMailConsent(ctx.db, consent)] : [];
  await commit(ctx, [deleteNotifyContact(ctx.db, contact), ...ended], { audit: auditOf(contact, "deleted") });
}

/** A person who entered the code of a mailed contact agreed to mail there. */
function consentOf({ contact, value }: ShownContact): MailConsentKey | null {
  return contact.type === "email" ? { account_id: contact.user_id, address_hash: recipientHash(value) } : null;
}

/** Contacts belong to one user; those of others do not exist. */
async function requireContact(ctx: RequestScope, id: string): Promise<NotifyContactRecord> {
  const contact = await findNotifyContact(ctx.db, { id, user_id: requireUser(ctx).user_id });
  if (!contact) throw notFound("contact");
  return contact;
}

/** Push services have names; an address of numbers is somebody else's machine. */
async function requireSubscription(ctx: RequestScope, value: string): Promise<void> {
  const subscription = parseSubscription(value);
  if (!subscription || !(await isUsable(subscription))) {
    throw invalid("value must be the subscription of a browser as JSON: endpoint, keys.p256dh and keys.auth");
  }
  const endpoint = new URL(subscription.endpoint);
  if (endpoint.protocol !== "https:") throw invalid("value cannot be used: its endpoint must be an https address");
  const verdict = checkGiven(ctx, endpoint, "delivery");
  if (!verdict.ok) throw invalid(`value cannot be used: ${verdict.reason}`);
}

/** With which browsers subscribe; made when the first one asks. */
export async function readApplicationKey(ctx: RequestScope): Promise<{ public_key: string }> {
  const { public_key } = await getApplicationKeys(ctx);
  return { public_key };
}

/** The owner of a page has to pay for what is sent, and says whom it may reach. */
async function requireLine(
  ctx: RequestScope,
  telephone: { type: TelephoneType; number: string; user_id: string },
): Promise<void> {
  if (!TELEPHONE_NUMBER.test(telephone.number)) throw invalid("value must be a number such as +4930123456");
  const found = await findLineOfPerson(ctx, telephone);
  if ("refusal" in found) throw invalid(`value cannot be used: ${found.refusal}`);
}

type Addressed = NotifyContactCreate & { type: AddressedContactType };

function requireReachable(ctx: RequestScope, { type, value }: Addressed): void {
  const { provider, target } = targetOf(type, value);
  const flaw = findTargetFlaw(notifierOf(provider), target, chatServicesOf(ctx.settings));
  if (flaw !== null)
    throw invalid(flaw.replace(/^url/, "value").replace("mailto: and an address", "an e-mail address"));
  if (!URL.canParse(target.url) || !/^https?:/i.test(target.url)) return;
  const verdict = checkGiven(ctx, new URL(target.url), "delivery");
  if (!verdict.ok) throw invalid(`value cannot be used: ${verdict.reason}`);
}

async function show(ctx: RequestScope, contact: NotifyContactRecord): Promise<ShownContact> {
  const opened = await unseal(ctx.settings.ROOT_SECRET, contact.id, contact.sealed);
  const value = typeof opened === "object" && opened !== null && "value" in opened ? String(opened.value) : "";
  return { contact, value: contact.type === "push" ? maskUrl(parseSubscription(value)?.endpoint ?? "") : value };
}

function auditOf(contact: NotifyContactRecord, verb: string) {
  return {
    owner_id: contact.user_id,
    target_type: "notify_contact",
    target_id: contact.id,
    summary: `${verb} a contact of the type ${contact.type}`,
  };
}
