import { isTimeZone } from "../../lib/zoned-days.ts";
import { CommandFailure } from "../failure.ts";
import type { Remarks } from "./draft.ts";
import { parseForeignJson } from "./file.ts";
import { type ImportedContact, type ImportedOnCall, type ImportedTurn, OnCallDraft } from "./on-call-draft.ts";
import type { ForeignRecord } from "./record.ts";
import { instantOf } from "./status-components.ts";

/**
 * Users, schedules with their shifts and escalation chains of Grafana OnCall, as its API answers them, in one object.
 * https://grafana.com/docs/oncall/latest/oncall-api-reference/
 */

const OF_A_USER = ["slack", "role", "is_phone_number_verified", "timezone", "teams", "grafana_id", "name"];
const OF_A_SCHEDULE = ["id", "team_id", "on_call_now", "slack", "shifts", "enable_web_overrides", "type"];
const OF_A_SHIFT = ["id", "team_id", "name", "time_zone", "level", "source", "week_start", "by_month", "by_monthday"];
/** What of a step only its type uses. */
const OF_A_STEP = ["id", "important", "position", "type", "duration", "manual_severity"];
const HOURS: Readonly<Record<string, number>> = { hourly: 1, daily: 24, weekly: 168 };
/** After which it gives up repeating. */
const REPEATS = 5;

export function importGrafanaOnCall(text: string, now: number): ImportedOnCall {
  const root = parseForeignJson(text, "Grafana OnCall");
  const [schedules, chains] = [root.records("schedules"), root.records("escalation_chains")];
  if (schedules.length + chains.length === 0) {
    throw new CommandFailure("the file holds no schedules and no escalation chains of Grafana OnCall");
  }
  const draft = new OnCallDraft();
  for (const user of root.records("users")) {
    const [email, username = ""] = [user.text("email"), user.text("username")];
    draft.name(user, `user "${username}"`);
    user.ignore(...OF_A_USER);
    if (email !== undefined) draft.addPerson(user.text("id") ?? "", { email, name: user.text("name") ?? username });
  }
  const shifts = new Map(root.records("on_call_shifts").map((shift) => [shift.text("id") ?? "", shift]));
  for (const shift of shifts.values()) draft.name(shift, `shift "${shift.text("name")}"`);
  for (const schedule of schedules) addSchedule(draft, schedule, { shifts, now });
  const steps = root.records("escalation_policies");
  for (const chain of chains) addChain(draft, chain, steps);
  return draft.finish(root);
}

interface Known {
  shifts: ReadonlyMap<string, ForeignRecord>;
  now: number;
}

function addSchedule(draft: OnCallDraft, record: ForeignRecord, { shifts, now }: Known): void {
  const name = record.text("name") ?? "unnamed";
  const subject = `schedule "${name}"`;
  const remarks = draft.name(record, subject);
  const zone = record.text("time_zone");
  const own = record.texts("shifts").flatMap((id) => shifts.get(id) ?? []);
  const rotations = own.filter((shift) => {
    const until = instantOf(shift.text("until"));
    return shift.text("type") !== "override" && (until === undefined || Date.parse(until) > now);
  });
  const [shift, ...further] = rotations;
  const rotation = shift && further.length === 0 ? rotationOf(draft, shift, remarks) : null;
  record.ignore(...OF_A_SCHEDULE);
  if (!rotation) {
    for (const each of own) each.ignoreAll();
    const isFile = record.text("ical_url_primary") !== undefined;
    const reason = isFile ? "it is a calendar elsewhere" : "it is no single rotation of the whole day";
    draft.leave(record, subject, `${reason}: set it up anew`);
    return;
  }
  const overrides = own
    .filter((each) => each.text("type") === "override")
    .flatMap((each) => overrideOf(draft, each))
    .filter(({ end_at }) => Date.parse(end_at) > now);
  for (const each of own) if (each !== shift) each.ignoreAll();
  draft.addSchedule(record.text("id") ?? "", {
    name,
    ...(zone && isTimeZone(zone) && { timezone: zone }),
    rotation,
    ...(overrides.length > 0 && { overrides }),
  });
}

/** Who takes turns; several at once are no turn of one person. */
function turnsIn(shift: ForeignRecord): (string | undefined)[] {
  const groups = shift.take("rolling_users");
  const rolling = Array.isArray(groups)
    ? groups.map((group) => (Array.isArray(group) && group.length === 1 ? String(group[0]) : undefined))
    : [];
  return rolling.length > 0 ? rolling : shift.texts("users");
}

function rotationOf(draft: OnCallDraft, shift: ForeignRecord, remarks: Remarks) {
  const hours = (HOURS[shift.text("frequency") ?? ""] ?? 0) * (shift.number("interval") ?? 1);
  const start = instantOf(shift.text("rotation_start") ?? shift.text("start"));
  const turns = turnsIn(shift);
  const first = shift.number("start_rotation_from_user_index") ?? 0;
  const people = [...turns.slice(first), ...turns.slice(0, first)].flatMap((id) => draft.emailOf(id) ?? []);
  const days = shift.texts("by_day");
  shift.ignore(...OF_A_SHIFT, "type", "start", "rotation_start", "until");
  const isWhole = shift.number("duration") === hours * 3600 && (days.length === 0 || days.length === 7);
  if (!isWhole || turns.includes(undefined) || people.length === 0 || start === undefined) return null;
  if (people.length < turns.length) remarks.stays("turns of users that the file does not hold");
  return { people, start_at: start, period_hours: hours };
}

function overrideOf(draft: OnCallDraft, shift: ForeignRecord): ImportedTurn[] {
  const start = instantOf(shift.text("start"));
  const person = draft.emailOf(turnsIn(shift)[0]);
  if (start === undefined || person === undefined) return [];
  const end = Date.parse(start) + (shift.number("duration") ?? 0) * 1000;
  return [{ person, start_at: start, end_at: new Date(end).toISOString() }];
}

/** A step that waits is the wait of the next one. */
function addChain(draft: OnCallDraft, chain: ForeignRecord, all: readonly ForeignRecord[]): void {
  const [id, name = "unnamed"] = [chain.text("id"), chain.text("name")];
  const remarks = draft.name(chain, `escalation chain "${name}"`);
  chain.ignore("team_id");
  const own = all.filter((step) => step.text("escalation_chain_id") === id);
  const placeOf = (step: ForeignRecord) => step.number("position") ?? 0;
  const steps: { wait_minutes: number; contacts: ImportedContact[] }[] = [];
  let [wait, repeat_count] = [0, 0];
  for (const step of [...own].sort((one, other) => placeOf(one) - placeOf(other))) {
    step.subject = `escalation chain "${name}"`;
    const type = step.text("type") ?? "";
    if (type === "wait") wait += Math.ceil((step.number("duration") ?? 0) / 60);
    else if (type === "repeat_escalation") repeat_count = REPEATS;
    else {
      const contacts = contactsOf(draft, step, { type, remarks });
      if (contacts.length > 0) {
        if (steps.length === 0 && wait > 0) remarks.changes(`asks at once, not after ${wait} minutes`);
        steps.push({ wait_minutes: steps.length === 0 ? 0 : wait, contacts });
        wait = 0;
      }
    }
    step.ignore(...OF_A_STEP);
  }
  if (own.length > 0) draft.addPolicy({ name, repeat_count, steps }, remarks);
  else remarks.stays("it has no steps");
}

function contactsOf(
  draft: OnCallDraft,
  step: ForeignRecord,
  { type, remarks }: { type: string; remarks: Remarks },
): ImportedContact[] {
  if (type === "notify_on_call_from_schedule") {
    const schedule = draft.scheduleOf(step.text("notify_on_call_from_schedule"));
    if (schedule === undefined) remarks.stays("that it asks those of a schedule that does not come");
    return schedule === undefined ? [] : [{ schedule }];
  }
  const isNext = type === "notify_person_next_each_time";
  const ids = step.texts(isNext ? "persons_to_notify_next_each_time" : "persons_to_notify");
  if (type !== "notify_persons" && !isNext) {
    step.ignoreAll();
    remarks.stays(`its step "${type}"`);
    return [];
  }
  if (isNext) remarks.changes("asks all of a list, not the next of it each time");
  const people = ids.flatMap((each) => draft.emailOf(each) ?? []);
  if (people.length < ids.length) remarks.stays("that it asks users who do not come");
  return people.map((person) => ({ person }));
}
