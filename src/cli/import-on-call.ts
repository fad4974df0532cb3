import type { Api, Item } from "./api.ts";
import { CommandFailure } from "./failure.ts";
import type { ImportedContact, ImportedOnCall, ImportedTurn } from "./sources/on-call-draft.ts";

/**
 * Makes schedules and escalation policies on one status page. They name members: who is none yet is invited, and what names
 * somebody who has not accepted waits for the next run of the same import.
 */

/** An editor answers alerts and incidents, and changes nobody's rights. */
const INVITED_ROLE = "editor";

type Kind = "invitation" | "schedule" | "policy";

export interface OnCallResult {
  kind: Kind;
  name: string;
  /** Why it was not made; null: it was. */
  refused: string | null;
}

export function listOnCall({ people, schedules, policies }: ImportedOnCall): { kind: Kind; name: string }[] {
  return [
    ...people.map(({ email }) => ({ kind: "invitation" as const, name: email })),
    ...schedules.map(({ name }) => ({ kind: "schedule" as const, name })),
    ...policies.map(({ name }) => ({ kind: "policy" as const, name })),
  ];
}

interface Person {
  user_id: string | null;
  email: string;
}

export async function applyOnCall(
  api: Api,
  { people, schedules, policies }: ImportedOnCall,
  { page, report }: { page: string; report: (result: OnCallResult) => void },
): Promise<OnCallResult[]> {
  const found = (await api.list("/status-pages")).find(({ slug, external_key }) => [slug, external_key].includes(page));
  if (!found) throw new CommandFailure(`there is no status page ${page}`);
  const at = `/status-pages/${found.id}`;
  const results: OnCallResult[] = [];
  const make = async <Made>(kind: Kind, name: string, send: () => Promise<Made>): Promise<Made | undefined> => {
    const result: OnCallResult = { kind, name, refused: null };
    let made: Made | undefined;
    try {
      made = await send();
    } catch (error) {
      if (!(error instanceof CommandFailure)) throw error;
      result.refused = error.message;
    }
    results.push(result);
    report(result);
    return made;
  };

  const members = (await api.call("GET", `${at}/members`)) as Person[];
  const me = (await api.call("GET", "/auth/me", undefined, { version: "core" })) as { id: string; email: string };
  const known = new Map(
    [...members, { ...me, user_id: me.id }].map(({ email, user_id }) => [email.toLowerCase(), user_id]),
  );
  for (const { email, name } of people) {
    if (known.has(email)) continue;
    const body = { email, role: INVITED_ROLE, ...(name && { name }) };
    await make("invitation", email, () => api.call("POST", `${at}/members`, body));
  }
  const userOf = (email: string): string => {
    const user = known.get(email);
    if (!user) throw new CommandFailure(`it waits for ${email} to accept: import again then`);
    return user;
  };
  const shifts = (turns: readonly ImportedTurn[] | undefined) =>
    turns?.map(({ person, ...span }) => ({ user_id: userOf(person), ...span }));
  const overrides = (turns: readonly ImportedTurn[] | undefined) =>
    turns?.map(({ person, ...span }) => ({ add_user_id: userOf(person), ...span }));

  const ids = await idsByName(api, `${at}/on-call/schedules`);
  for (const { rotation, shifts: listed, overrides: taken, ...schedule } of schedules) {
    if (ids.has(schedule.name)) continue;
    const made = await make("schedule", schedule.name, async () => {
      const rotations = rotation && [
        {
          user_ids: rotation.people.map(userOf),
          start_at: rotation.start_at,
          period_hours: rotation.period_hours,
        },
      ];
      const who = { rotations, shifts: shifts(listed), overrides: overrides(taken) };
      return (await api.call("POST", `${at}/on-call/schedules`, { ...schedule, ...who })) as Item;
    });
    if (made) ids.set(schedule.name, made.id);
  }
  const contactOf = (contact: ImportedContact) => {
    if ("person" in contact) return { type: "user", value: userOf(contact.person) };
    const id = ids.get(contact.schedule);
    if (!id) throw new CommandFailure(`it waits for the schedule ${contact.schedule}`);
    return { type: "schedule", value: id };
  };
  const present = await idsByName(api, `${at}/on-call/policies`);
  for (const { steps, ...policy } of policies) {
    if (present.has(policy.name)) continue;
    await make("policy", policy.name, async () => {
      const levels = steps.map(({ wait_minutes, contacts }, n) => {
        return { level: n + 1, wait_minutes, contacts: contacts.map(contactOf) };
      });
      await api.call("POST", `${at}/on-call/policies`, { ...policy, steps: levels });
    });
  }
  return results;
}

async function idsByName(api: Api, path: string): Promise<Map<string, string>> {
  return new Map((await api.list(path)).map(({ id, name }) => [String(name), id]));
}
