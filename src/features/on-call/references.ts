import type { RequestScope } from "../../access/scope.ts";
import { invalid } from "../../contract/errors.ts";
import { type EscalationContact, namesUser } from "../../contract/on-call.ts";
import { findOnCallReferences, type OnCallReferences } from "../../data/on-call/read.ts";
import { checkGiven } from "../../platform/egress/guard.ts";

interface Page {
  id: string;
  owner_id: string;
}

/** An id in a body, and where it stands in it. */
interface Reference {
  kind: keyof OnCallReferences;
  id: string;
  path: string;
}

const URL_START = /^https?:\/\//i;

interface ContactLists {
  steps: readonly { contacts: readonly EscalationContact[] }[];
}

/**
 * Rejects contacts without a recipient: users outside the team, foreign schedules and webhooks, forbidden addresses. What
 * `current` names already is not looked up again.
 */
export async function requireContacts(
  ctx: RequestScope,
  page: Page,
  given: ContactLists,
  current: ContactLists = { steps: [] },
): Promise<void> {
  const contacts = listContacts(given);
  for (const { value, path } of contacts) if (URL_START.test(value)) requireReachable(ctx, value, path);
  await requireReferences(ctx, page, contacts.flatMap(toReference), listContacts(current).flatMap(toReference));
}

function listContacts({ steps }: ContactLists) {
  return steps.flatMap(({ contacts }, n) =>
    contacts.map((contact, m) => ({ ...contact, path: `steps[${n}].contacts[${m}].value` })),
  );
}

function toReference({ type, value, path }: ReturnType<typeof listContacts>[number]): Reference[] {
  if (type === "schedule") return [{ kind: type, id: value, path }];
  if (namesUser(type)) return [{ kind: "user", id: value, path }];
  const isWebhook = (type === "webhook" || type === "slack") && !URL_START.test(value);
  return isWebhook ? [{ kind: "webhook", id: value, path }] : [];
}

/** The address is checked by its spelling here, and by what it resolves to when it is used. */
function requireReachable(ctx: RequestScope, value: string, path: string): void {
  const decision = URL.canParse(value) && checkGiven(ctx, new URL(value), "delivery");
  if (!decision) throw invalid(`${path} must be an https URL`, [{ path, message: "must be an https URL" }]);
  if (!decision.ok) throw invalid(`${path} cannot be used: ${decision.reason}`, [{ path, message: decision.reason }]);
}

interface People {
  shifts: readonly { user_id: string }[];
  rotations: readonly { user_ids: readonly string[] }[];
  overrides: readonly { add_user_id?: string | null | undefined; remove_user_id?: string | null | undefined }[];
}

/** Only people of the team can be put on call. */
export async function requireTeam(ctx: RequestScope, page: Page, given: People, current: People): Promise<void> {
  await requireReferences(ctx, page, listPeople(given), listPeople(current));
}

function listPeople({ shifts, rotations, overrides }: People): Reference[] {
  const user = (id: string | null | undefined, path: string): Reference[] => (id ? [{ kind: "user", id, path }] : []);
  return [
    ...shifts.flatMap(({ user_id }, n) => user(user_id, `shifts[${n}].user_id`)),
    ...rotations.flatMap(({ user_ids }, n) => user_ids.flatMap((id, m) => user(id, `rotations[${n}].user_ids[${m}]`))),
    ...overrides.flatMap(({ add_user_id, remove_user_id }, n) => [
      ...user(add_user_id, `overrides[${n}].add_user_id`),
      ...user(remove_user_id, `overrides[${n}].remove_user_id`),
    ]),
  ];
}

const NEEDED = {
  user: "must be the owner or a member of the status page",
  schedule: "must be an on-call schedule of the status page",
  webhook: "must be a webhook of the status page",
};

async function requireReferences(
  ctx: RequestScope,
  page: Page,
  given: readonly Reference[],
  current: readonly Reference[],
): Promise<void> {
  const kept = new Set(current.map(({ kind, id }) => `${kind} ${id}`));
  const references = given.filter(({ kind, id }) => !kept.has(`${kind} ${id}`));
  if (references.length === 0) return;
  const idsOf = (kind: Reference["kind"]) => [
    ...new Set(references.filter((each) => each.kind === kind).map(({ id }) => id)),
  ];
  const ids = { user: idsOf("user"), schedule: idsOf("schedule"), webhook: idsOf("webhook") };
  const known = await findOnCallReferences(ctx.db, page, ids);
  const unknown = references.find(({ kind, id }) => !known[kind].has(id));
  if (unknown) {
    const message = NEEDED[unknown.kind];
    throw invalid(`${unknown.path} ${message}`, [{ path: unknown.path, message }]);
  }
}
