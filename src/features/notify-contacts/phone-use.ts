import { requireWebhook } from "../../access/resources.ts";
import type { RequestScope } from "../../access/scope.ts";
import { isTelephone } from "../../contract/notify-contact.ts";
import { findUseOfChannel, listUsesOfPerson } from "../../delivery/phone.ts";
import type { PhoneUse } from "../../domain/phone.ts";
import type { ShownContact } from "./service.ts";

/** What is left of a month's text messages and calls, for the owner who pays for them and the people whom they reach. */

export async function getUseOfChannel(ctx: RequestScope, webhookId: string): Promise<PhoneUse | null> {
  return findUseOfChannel(ctx, await requireWebhook(ctx, webhookId));
}

/** By the id of the contact, of those that a channel reaches. */
export async function listPhoneUses(
  ctx: RequestScope,
  contacts: readonly ShownContact[],
): Promise<Map<string, PhoneUse>> {
  const telephones = contacts.flatMap(({ contact: { id, user_id, type }, value }) =>
    isTelephone(type) ? [{ id, user_id, type, number: value }] : [],
  );
  const [first] = telephones;
  if (!first) return new Map();
  const uses = await listUsesOfPerson(ctx, { user_id: first.user_id, telephones });
  return new Map(telephones.flatMap(({ id }, n) => (uses[n] ? [[id, uses[n]]] : [])));
}
