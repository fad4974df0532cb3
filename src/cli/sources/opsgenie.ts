import { isTimeZone } from "../../lib/zoned-days.ts";
import { CommandFailure } from "../failure.ts";
import { parseForeignJson } from "./file.ts";
import { type ImportedContact, type ImportedOnCall, type ImportedTurn, OnCallDraft } from "./on-call-draft.ts";
import type { ForeignRecord } from "./record.ts";
import { instantOf } from "./status-components.ts";

/**
 * Users, schedules and escalations of Opsgenie, as its API answers them, in one object.
 * https://docs.opsgenie.com/docs/api-overview
 */

const OF_THE_SERVICE = ["id", "createdAt", "ownerTeam", "description"];
const OF_A_USER = [
  "role",
  "blocked",
  "verified",
  "timeZone",
  "locale",
  "userAddress",
  "tags",
  "details",
  "skypeUsername",
  "invitationDisabled",
];
const HOURS: Readonly<Record<string, number>> = { hourly: 1, daily: 24, weekly: 168 };
const MINUTES: Readonly<Record<string, number>> = { minutes: 1, hours: 60, days: 1440 };

export function importOpsgenie(text: string, now: number): ImportedOnCall {
  const root = parseForeignJson(text, "Opsgenie");
  const [schedules, escalations] = [root.records("schedules"), root.records("escalations")];
  if (schedules.length + escalations.length === 0) {
    throw new CommandFailure("the file holds no schedules and no escalations of Opsgenie");
  }
  const draft = new OnCallDraft();
  for (const user of root.records("users")) {
    const [email, name] = [user.text("username"), user.text("fullName") ?? ""];
    draft.name(user, `user "${name}"`);
    user.ignore(...OF_THE_SERVICE, ...OF_A_USER);
    if (email !== undefined) draft.addPerson(user.text("id") ?? "", { email, name });
  }
  for (const schedule of schedules) addSchedule(draft, schedule, now);
  for (const escalation of escalations) addEscalation(draft, escalation);
  return draft.finish(root);
}

function addSchedule(draft: OnCallDraft, record: ForeignRecord, now: number): void {
  const name = record.text("name") ?? "unnamed";
  const subject = `schedule "${name}"`;
  const remarks = draft.name(record, subject);
  const zone = record.text("timezone");
  const isActive = record.flag("enabled");
  record.ignore(...OF_THE_SERVICE);
  const rotations = record.records("rotations").filter((rotation) => {
    const end = instantOf(rotation.text("endDate"));
    return end === undefined || Date.parse(end) > now;
  });
  const [rotation, ...further] = rotations;
  if (!rotation || further.length > 0 || rotation.record("timeRestriction")) {
    draft.leave(record, subject, "it is no single rotation of the whole day: set it up anew");
    return;
  }
  rotation.ignore("id", "name", "endDate");
  const participants = rotation.records("participants");
  const people = participants.flatMap((each) => {
    each.ignore("type", "name", "username");
    return draft.emailOf(each.text("id")) ?? [];
  });
  const start_at = instantOf(rotation.text("startDate"));
  const unit = HOURS[rotation.text("type") ?? ""];
  const hours = (unit ?? 0) * (rotation.number("length") ?? 1);
  if (people.length === 0 || start_at === undefined || hours === 0) {
    draft.leave(record, subject, "its rotation names nobody who comes, or no beginning");
    return;
  }
  if (people.length < participants.length) remarks.stays("turns of teams, escalations and nobody");
  const overrides = record.records("overrides").flatMap((override): ImportedTurn[] => {
    override.ignore("alias", "rotations");
    const user = override.record("user");
    user?.ignore("type", "username");
    const person = draft.emailOf(user?.text("id"));
    const [from, to] = [instantOf(override.text("startDate")), instantOf(override.text("endDate"))];
    const isToCome = from !== undefined && to !== undefined && from < to && Date.parse(to) > now;
    return person !== undefined && isToCome ? [{ person, start_at: from, end_at: to }] : [];
  });
  draft.addSchedule(record.text("id") ?? "", {
    name,
    ...(zone && isTimeZone(zone) && { timezone: zone }),
    ...(isActive === false && { is_active: false }),
    rotation: { people, start_at, period_hours: hours },
    ...(overrides.length > 0 && { overrides }),
  });
}

/** There a rule counts from the alert, here a step from the one before; rules of one time are one step. */
function addEscalation(draft: OnCallDraft, record: ForeignRecord): void {
  const name = record.text("name") ?? "unnamed";
  const remarks = draft.name(record, `escalation "${name}"`);
  record.ignore(...OF_THE_SERVICE);
  const repeat = record.record("repeat");
  const count = repeat?.number("count") ?? 0;
  repeat?.ignoreAll();
  const byTime = new Map<number, ImportedContact[]>();
  for (const rule of record.records("rules")) {
    const delay = rule.record("delay");
    const minutes = (delay?.number("timeAmount") ?? 0) * (MINUTES[delay?.text("timeUnit") ?? "minutes"] ?? 1);
    const recipient = rule.record("recipient");
    const [id, type] = [recipient?.text("id"), recipient?.text("type")];
    const shown = recipient?.text("name") ?? recipient?.text("username") ?? id;
    recipient?.ignore("username", "name");
    if (rule.text("condition") === "if-not-closed")
      remarks.changes("asks until somebody acknowledges, not until it is closed");
    const notifyType = rule.text("notifyType") ?? "default";
    if (notifyType !== "default") remarks.changes(`asks those who are on call, not "${notifyType}"`);
    const found = type === "schedule" ? draft.scheduleOf(id) : type === "user" ? draft.emailOf(id) : undefined;
    if (found === undefined) {
      remarks.stays(`that it asks ${shown}, who does not come`);
      continue;
    }
    const contact = type === "schedule" ? { schedule: found } : { person: found };
    byTime.set(minutes, [...(byTime.get(minutes) ?? []), contact]);
  }
  const times = [...byTime.keys()].sort((one, other) => one - other);
  if ((times[0] ?? 0) > 0) remarks.changes(`asks at once, not after ${times[0]} minutes`);
  const steps = times.map((time, n) => ({
    wait_minutes: time - (times[n - 1] ?? 0),
    contacts: byTime.get(time) ?? [],
  }));
  draft.addPolicy({ name, repeat_count: count, steps }, remarks);
}
