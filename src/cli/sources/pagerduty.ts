import { isTimeZone } from "../../lib/zoned-days.ts";
import { CommandFailure } from "../failure.ts";
import type { Remarks } from "./draft.ts";
import { parseForeignJson } from "./file.ts";
import {
  type ImportedContact,
  type ImportedOnCall,
  type ImportedSchedule,
  type ImportedTurn,
  OnCallDraft,
} from "./on-call-draft.ts";
import type { ForeignRecord } from "./record.ts";
import { instantOf } from "./status-components.ts";

/**
 * Users, schedules and escalation policies of PagerDuty, as its API answers them, in one object.
 * https://developer.pagerduty.com/api-reference
 */

const OF_THE_SERVICE = [
  "id",
  "type",
  "summary",
  "self",
  "html_url",
  "teams",
  "privilege",
  "web_cal_url",
  "personal_web_cal_url",
];
const OF_A_USER = [
  ...["time_zone", "color", "role", "avatar_url", "description", "invitation_sent", "job_title", "locale"],
  ...["contact_methods", "notification_rules", "coordinated_incidents", "http_cal_url", "billed"],
];
/** What is computed of a schedule, and who uses it. */
const OF_A_SCHEDULE = [
  ...["final_schedule", "overrides_subschedule", "http_cal_url", "escalation_policies", "users", "description"],
  ...["schedule_layers", "next_oncall_for_user", "overrides"],
];
const OF_A_POLICY = ["services", "description", "on_call_handoff_notifications", "priority"];

export function importPagerDuty(text: string, now: number): ImportedOnCall {
  const root = parseForeignJson(text, "PagerDuty");
  const [users, schedules] = [root.records("users"), root.records("schedules")];
  const policies = root.records("escalation_policies");
  if (schedules.length + policies.length === 0) {
    throw new CommandFailure("the file holds no schedules and no escalation policies of PagerDuty");
  }
  const draft = new OnCallDraft();
  for (const user of users) {
    const [email, name] = [user.text("email"), user.text("name") ?? ""];
    draft.name(user, `user "${name}"`);
    user.ignore(...OF_THE_SERVICE, ...OF_A_USER);
    if (email !== undefined) draft.addPerson(user.text("id") ?? "", { email, name });
  }
  for (const schedule of schedules) addSchedule(draft, schedule, now);
  for (const policy of policies) addPolicy(draft, policy);
  // What pages of a list are.
  root.ignore("limit", "offset", "total", "more");
  return draft.finish(root);
}

function addSchedule(draft: OnCallDraft, record: ForeignRecord, now: number): void {
  const name = record.text("name") ?? "unnamed";
  const subject = `schedule "${name}"`;
  const remarks = draft.name(record, subject);
  const zone = record.text("time_zone");
  const rotation = rotationOf(draft, record, { now, remarks });
  const shifts = rotation ? [] : turnsOf(draft, record.record("final_schedule")?.records("rendered_schedule_entries"));
  record.ignore(...OF_THE_SERVICE, ...OF_A_SCHEDULE);
  if (!rotation && shifts.length === 0) {
    draft.leave(
      record,
      subject,
      "it is no single rotation, and the file does not say who is on call when: see docs/migrate-from.md",
    );
    return;
  }
  if (shifts.length > 0) {
    remarks.changes(`it is no single rotation: it has its shifts until ${shifts.at(-1)?.end_at.slice(0, 10)} here`);
  }
  const overrides = rotation ? turnsOf(draft, record.records("overrides")) : [];
  const schedule: ImportedSchedule = {
    name,
    ...(zone && isTimeZone(zone) && { timezone: zone }),
    ...(rotation ? { rotation } : { shifts }),
    ...(overrides.length > 0 && { overrides: overrides.filter(({ end_at }) => Date.parse(end_at) > now) }),
  };
  draft.addSchedule(record.text("id") ?? "", schedule);
}

/** Where all day, and all of the week, one layer says who it is. */
function rotationOf(
  draft: OnCallDraft,
  record: ForeignRecord,
  { now, remarks }: { now: number; remarks: Remarks },
): ImportedSchedule["rotation"] | null {
  const layers = record.records("schedule_layers").filter((layer) => {
    const end = instantOf(layer.text("end"));
    return end === undefined || Date.parse(end) > now;
  });
  const [layer, ...further] = layers;
  if (!layer || further.length > 0 || layer.records("restrictions").length > 0) return null;
  const users = layer.records("users").map((each) => each.record("user")?.text("id"));
  const people = users.flatMap((id) => draft.emailOf(id) ?? []);
  const start_at = instantOf(layer.text("rotation_virtual_start") ?? layer.text("start"));
  const hours = (layer.number("rotation_turn_length_seconds") ?? 0) / 3600;
  if (people.length === 0 || start_at === undefined || !Number.isInteger(hours) || hours < 1) return null;
  if (people.length < users.length) remarks.stays("turns of users that the file does not hold");
  return { people, start_at, period_hours: hours };
}

function turnsOf(draft: OnCallDraft, entries: readonly ForeignRecord[] = []): ImportedTurn[] {
  return entries.flatMap((entry) => {
    const person = draft.emailOf(entry.record("user")?.text("id"));
    const [start_at, end_at] = [instantOf(entry.text("start")), instantOf(entry.text("end"))];
    const isSpan = start_at !== undefined && end_at !== undefined && start_at < end_at;
    return person !== undefined && isSpan ? [{ person, start_at, end_at }] : [];
  });
}

/** There a rule says how long it waits for an answer, here a step how long after the one before. */
function addPolicy(draft: OnCallDraft, record: ForeignRecord): void {
  const name = record.text("name") ?? "unnamed";
  const remarks = draft.name(record, `escalation policy "${name}"`);
  record.ignore(...OF_THE_SERVICE, ...OF_A_POLICY);
  let wait = 0;
  const steps = record.records("escalation_rules").map((rule) => {
    rule.ignore("id", "escalation_rule_assignment_strategy");
    const wait_minutes = wait;
    wait = rule.number("escalation_delay_in_minutes") ?? 30;
    const contacts = rule.records("targets").flatMap((target): ImportedContact[] => {
      target.ignore(...OF_THE_SERVICE, "name");
      const id = target.text("id");
      const isSchedule = target.text("type")?.startsWith("schedule") === true;
      const found = isSchedule ? draft.scheduleOf(id) : draft.emailOf(id);
      if (found === undefined) {
        remarks.stays(`that it asks ${target.text("summary") ?? id}, who does not come`);
        return [];
      }
      return [isSchedule ? { schedule: found } : { person: found }];
    });
    return { wait_minutes, contacts };
  });
  draft.addPolicy({ name, repeat_count: record.number("num_loops") ?? 0, steps }, remarks);
}
