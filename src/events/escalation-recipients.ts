import type { Scope } from "../access/scope.ts";
import { type ContactType, namesUser, type StoredEscalationStep } from "../contract/on-call.ts";
import { listPersonalContacts, listRecipients } from "../data/escalations/read.ts";
import type { NotifyContactRecord } from "../data/notify-contacts/read.ts";
import { findOnCallReferences, listOnCallSchedules, type OnCallScheduleRecord } from "../data/on-call/read.ts";
import type { Recipient, ResolvedSteps } from "../domain/escalation.ts";
import { findOnCall } from "../domain/on-call.ts";

const SCHEDULES_MAX = 100;

export interface Person {
  id: string;
  name: string;
  email: string;
  /** Verified contacts besides the account's address; each is sealed under its own id. */
  contacts: readonly NotifyContactRecord[];
}

/** A browser, phone or number, without what else reaches its person. */
export interface Device {
  person: Person;
  contact: NotifyContactRecord;
}

export interface ResolvedPolicy {
  resolved: ResolvedSteps;
  people: ReadonlyMap<string, Person>;
  /** By the key of their recipient. */
  devices: ReadonlyMap<string, Device>;
  /** Schedules that a step names and by which nobody is on call now. */
  emptySchedules: ReadonlySet<string>;
}

/**
 * Whom each contact leads to at this moment. Users who left the team, those without a device where the step asks for
 * that, and schedules without anybody on call lead to nobody.
 */
export async function resolveSteps(
  { db, now, log }: Pick<Scope, "db" | "now" | "log">,
  page: { id: string; owner_id: string },
  steps: readonly StoredEscalationStep[],
): Promise<ResolvedPolicy> {
  const contacts = steps.flatMap((step) => step.contacts);
  const hasSchedules = contacts.some(({ type }) => type === "schedule");
  const schedules = hasSchedules ? await listOnCallSchedules(db, [page.id], { limit: SCHEDULES_MAX, offset: 0 }) : null;
  const byId = new Map(schedules?.rows.map((schedule) => [schedule.id, schedule]));
  const current = new Map([...byId.values()].map((schedule) => [schedule.id, currentOf(log, schedule, now)]));
  const onCall = (id: string) => current.get(id) ?? null;
  const wanted = contacts.flatMap(({ type, value }) => {
    if (namesUser(type)) return [value];
    return type === "schedule" ? [onCall(value)].filter((id) => id !== null) : [];
  });
  const people = await listTeam(db, page, [...new Set(wanted)]);
  const userRecipient = (id: string | null, contact_index: number): Recipient[] =>
    id !== null && people.has(id) ? [{ key: `user:${id}`, contact_index }] : [];
  const devices = new Map(
    [...people.values()].flatMap((person) =>
      person.contacts
        .filter(({ type }) => namesUser(type))
        .map((contact) => [`${contact.type}:${contact.id}`, { person, contact }] as const),
    ),
  );
  const devicesOf = (of: ContactType, userId: string, contact_index: number): Recipient[] =>
    [...devices]
      .filter(([, { person, contact }]) => person.id === userId && contact.type === of)
      .map(([key]) => ({ key, contact_index }));
  const resolved = steps.map((step) =>
    step.contacts.flatMap(({ type, value }, n): Recipient[] => {
      if (type === "user") return userRecipient(value, n);
      if (type === "schedule") return userRecipient(onCall(value), n);
      if (namesUser(type)) return devicesOf(type, value, n);
      return [{ key: `${type}:${value}`, contact_index: n }];
    }),
  );
  const named = contacts.filter(({ type }) => type === "schedule").map(({ value }) => value);
  const emptySchedules = new Set(named.filter((id) => !people.has(onCall(id) ?? "")));
  return { resolved, people, devices, emptySchedules };
}

/** A schedule that cannot be computed is a gap, so that the next contact is notified. */
function currentOf(log: Scope["log"], schedule: OnCallScheduleRecord, now: number): string | null {
  try {
    return findOnCall(schedule, now)?.user_id ?? null;
  } catch (error) {
    log.error("on-call schedule cannot be computed", error, { schedule_id: schedule.id });
    return null;
  }
}

async function listTeam(db: Scope["db"], page: { id: string; owner_id: string }, ids: readonly string[]) {
  if (ids.length === 0) return new Map<string, Person>();
  const { user } = await findOnCallReferences(db, page, { user: ids, schedule: [], webhook: [] });
  const present = ids.filter((id) => user.has(id));
  const [people, contacts] = await Promise.all([listRecipients(db, present), listPersonalContacts(db, present)]);
  const contactsOf = Map.groupBy(contacts, ({ user_id }) => user_id);
  return new Map(people.map((person) => [person.id, { ...person, contacts: contactsOf.get(person.id) ?? [] }]));
}
