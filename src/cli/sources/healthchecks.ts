import { keyFrom } from "../export.ts";
import { CommandFailure } from "../failure.ts";
import {
  Draft,
  type Imported,
  type ImportedMonitor,
  type ImportOptions,
  INTERVAL,
  pushTokenOf,
  type Remarks,
  within,
} from "./draft.ts";
import { parseForeignJson } from "./file.ts";
import { cronOf } from "./on-calendar.ts";
import type { ForeignRecord } from "./record.ts";

/**
 * Checks of Healthchecks, from the answer of `GET /api/v3/checks/`, and of `GET /api/v3/channels/` in the same object.
 * https://github.com/healthchecks/healthchecks/blob/master/hc/api/models.py
 */

/** What a check is at the moment, and addresses of its own service. */
const OF_THE_SERVICE = [
  ...["n_pings", "status", "started", "last_ping", "next_ping", "last_duration", "badge_url", "unique_key"],
  ...["ping_url", "update_url", "pause_url", "resume_url"],
];
const GRACE: [number, number] = [0, 86_400];

export function importHealthchecks(text: string, options: ImportOptions = {}): Imported {
  const root = parseForeignJson(text, "Healthchecks", "checks");
  const checks = root.records("checks");
  if (checks.length === 0) throw new CommandFailure("the file holds no checks: take what GET /api/v3/checks/ answers");
  const draft = new Draft(options);
  for (const check of checks) addCheck(draft, check);
  for (const channel of root.records("channels")) {
    const subject = `integration "${channel.text("name") ?? channel.text("kind")}"`;
    draft.leave(channel, subject, `its API does not tell the settings of ${channel.text("kind")}: set it up anew`);
  }
  return draft.finish(root);
}

function addCheck(draft: Draft, check: ForeignRecord): void {
  const name = check.text("name") ?? check.text("slug") ?? check.text("uuid") ?? "unnamed";
  const remarks = draft.name(check, `check "${name}"`);
  const isPaused = check.text("status") === "paused";
  check.ignore(...OF_THE_SERVICE);
  const tags = (check.text("tags") ?? "").split(" ").filter((tag) => tag !== "");
  const grace = check.number("grace");
  const uuid = check.text("uuid");
  if (uuid === undefined) remarks.stays("its ping address: a read-only key does not tell it");
  if (check.text("channels") !== undefined) remarks.changes("its integrations: channels here hear of all monitors");
  if (check.flag("manual_resume")) remarks.changes("a ping ends its pause no more: resume it here");
  else check.ignore("manual_resume");
  leaveFilters(check, remarks);
  const monitor: ImportedMonitor = {
    type: "heartbeat",
    ...dueOf(check, remarks),
    ...(grace !== undefined && {
      grace_seconds: within(grace, GRACE, (to) => remarks.changes(`may be ${to} s late here`)),
    }),
    ...pushTokenOf(uuid, remarks),
    ...(tags.length > 0 && { tags }),
    ...(isPaused && { paused: true }),
  };
  // Senders that name a check by its slug go on under the ping key of the page.
  draft.addMonitor(name, monitor, remarks, keyFrom(check.text("slug") ?? name));
}

/** A schedule that has no equivalent here becomes the longest interval, which is said. */
function dueOf(check: ForeignRecord, remarks: Remarks): Partial<ImportedMonitor> {
  const schedule = check.text("schedule");
  if (schedule === undefined) {
    const seconds = check.number("timeout") ?? INTERVAL[1];
    return { interval: within(seconds, INTERVAL, (to) => remarks.changes(`is due every ${to} s here`)) };
  }
  const zone = check.text("tz");
  const cron = cronOf(schedule);
  if (cron === null) {
    remarks.changes(`its schedule "${schedule}" has no counterpart: it is due once a day here`);
    return { interval: INTERVAL[1] };
  }
  if (cron !== schedule) remarks.changes(`its schedule "${schedule}" is "${cron}" here`);
  return { schedule: cron, ...(zone && { timezone: zone }) };
}

/** Which pings count, by their method and words: here every ping does. */
function leaveFilters(check: ForeignRecord, remarks: Remarks): void {
  const filters = ["filter_subject", "filter_body", "filter_http_body", "filter_default_fail"];
  const isFiltered = filters.filter((name) => check.flag(name)).length > 0;
  const words = ["start_kw", "success_kw", "failure_kw"].flatMap((name) => {
    const text = check.text(name);
    return text === undefined ? [] : [`${name} "${text}"`];
  });
  // Older answers say the words of a subject a second time.
  check.ignore("subject", "subject_fail");
  const methods = check.text("methods");
  if (methods !== undefined) remarks.stays(`only ${methods} counts: every method does here`);
  if (isFiltered || words.length > 0) {
    remarks.stays(
      `its filters of mails and bodies (${words.join(", ") || "without words"}): a ping says how it went here`,
    );
  }
}
