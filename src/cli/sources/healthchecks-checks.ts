import { type ImportedMonitor, INTERVAL, type Remarks, within } from "./draft.ts";
import { cronOf } from "./on-calendar.ts";
import type { ForeignRecord } from "./record.ts";

/** What a check of Healthchecks is, as its API and its database say it. */

const GRACE: [number, number] = [0, 86_400];

interface Due {
  /** Cron or OnCalendar; undefined: it is due after so many seconds. */
  schedule: string | undefined;
  zone: string | undefined;
  seconds: number | undefined;
}

export function tagsOf(check: ForeignRecord): string[] {
  return (check.text("tags") ?? "").split(" ").filter((tag) => tag !== "");
}

export function graceOf(seconds: number | undefined, remarks: Remarks): Partial<ImportedMonitor> {
  if (seconds === undefined) return {};
  return { grace_seconds: within(seconds, GRACE, (to) => remarks.changes(`may be ${to} s late here`)) };
}

/** A schedule that has no equivalent here becomes the longest interval, which is said. */
export function dueOf({ schedule, zone, seconds = INTERVAL[1] }: Due, remarks: Remarks): Partial<ImportedMonitor> {
  if (schedule === undefined) {
    return { interval: within(seconds, INTERVAL, (to) => remarks.changes(`is due every ${to} s here`)) };
  }
  const cron = cronOf(schedule);
  if (cron === null) {
    remarks.changes(`its schedule "${schedule}" has no counterpart: it is due once a day here`);
    return { interval: INTERVAL[1] };
  }
  if (cron !== schedule) remarks.changes(`its schedule "${schedule}" is "${cron}" here`);
  return { schedule: cron, ...(zone && { timezone: zone }) };
}

/** Which pings count, by their method and words: here every ping does. */
export function leaveFilters(check: ForeignRecord, remarks: Remarks): void {
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
