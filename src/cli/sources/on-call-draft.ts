import { Draft, type Remark, type Remarks, within } from "./draft.ts";
import type { ForeignRecord } from "./record.ts";

/** Who is on call and who is asked next, of another tool. People are known by their mail addresses. */

export interface ImportedPerson {
  email: string;
  name: string;
}

export interface ImportedTurn {
  person: string;
  start_at: string;
  end_at: string;
}

export interface ImportedSchedule {
  name: string;
  timezone?: string;
  is_active?: boolean;
  /** In the order of their turns. */
  rotation?: { people: string[]; start_at: string; period_hours: number };
  shifts?: ImportedTurn[];
  overrides?: ImportedTurn[];
}

export type ImportedContact = { person: string } | { schedule: string };

export interface ImportedPolicy {
  name: string;
  repeat_count: number;
  steps: { wait_minutes: number; contacts: ImportedContact[] }[];
}

export interface ImportedOnCall {
  people: ImportedPerson[];
  schedules: ImportedSchedule[];
  policies: ImportedPolicy[];
  remarks: Remark[];
}

const STEPS_MAX = 20;
const CONTACTS_MAX = 20;
const WAIT: [number, number] = [0, 1440];
const REPEATS: [number, number] = [0, 10];

/** Collects them, and lets nothing name whom nobody can reach. */
export class OnCallDraft {
  readonly #remarks = new Draft({});
  readonly #people = new Map<string, ImportedPerson>();
  readonly #schedules = new Map<string, ImportedSchedule>();
  readonly #policies: ImportedPolicy[] = [];

  name(record: ForeignRecord, subject: string): Remarks {
    return this.#remarks.name(record, subject);
  }

  leave(record: ForeignRecord, subject: string, reason: string): void {
    this.#remarks.leave(record, subject, reason);
  }

  /** By its id there. */
  addPerson(id: string, { email, name }: ImportedPerson): void {
    this.#people.set(id, { email: email.trim().toLowerCase(), name });
  }

  /** The mail address of whom an id means. */
  emailOf(id: string | undefined): string | undefined {
    return this.#people.get(id ?? "")?.email;
  }

  addSchedule(id: string, schedule: ImportedSchedule): void {
    this.#schedules.set(id, schedule);
  }

  /** The name of what an id means, where it comes. */
  scheduleOf(id: string | undefined): string | undefined {
    return this.#schedules.get(id ?? "")?.name;
  }

  addPolicy({ name, repeat_count, steps }: ImportedPolicy, remarks: Remarks): void {
    const reaching = steps.filter(({ contacts }) => contacts.length > 0);
    if (reaching.length === 0) {
      remarks.stays("none of its steps reaches somebody who comes");
      return;
    }
    if (reaching.length > STEPS_MAX) remarks.stays(`its steps after the first ${STEPS_MAX}`);
    this.#policies.push({
      name,
      repeat_count: within(repeat_count, REPEATS, (to) => remarks.changes(`goes round ${to} more times here`)),
      steps: reaching.slice(0, STEPS_MAX).map(({ wait_minutes, contacts }) => {
        if (contacts.length > CONTACTS_MAX) remarks.stays(`contacts of a step after the first ${CONTACTS_MAX}`);
        const wait = within(wait_minutes, WAIT, (to) => remarks.changes(`a step waits ${to} minutes here`));
        return { wait_minutes: wait, contacts: contacts.slice(0, CONTACTS_MAX) };
      }),
    });
  }

  /** People that nothing needs are not invited. */
  finish(root: ForeignRecord): ImportedOnCall {
    const schedules = [...this.#schedules.values()];
    const needed = new Set([
      ...schedules.flatMap(({ rotation, shifts = [], overrides = [] }) => [
        ...(rotation?.people ?? []),
        ...[...shifts, ...overrides].map(({ person }) => person),
      ]),
      ...this.#policies.flatMap(({ steps }) =>
        steps.flatMap(({ contacts }) => contacts.flatMap((contact) => ("person" in contact ? [contact.person] : []))),
      ),
    ]);
    const people = [...this.#people.values()].filter(({ email }) => needed.has(email));
    const { remarks } = this.#remarks.finish(root);
    return { people, schedules, policies: this.#policies, remarks };
  }
}
