import { keyFrom } from "../export.ts";
import { CommandFailure } from "../failure.ts";
import { Draft, type Imported, type ImportedMonitor, type ImportOptions, pushTokenOf } from "./draft.ts";
import { type ForeignFile, parseForeignJson } from "./file.ts";
import { dueOf, graceOf, leaveFilters, tagsOf } from "./healthchecks-checks.ts";
import { convertHealthchecks } from "./healthchecks-database.ts";
import type { ForeignRecord } from "./record.ts";
import { isSqlDump } from "./sql-dump.ts";

/**
 * Checks of Healthchecks, from the answer of `GET /api/v3/checks/`, and of `GET /api/v3/channels/` in the same object.
 * https://github.com/healthchecks/healthchecks/blob/master/hc/api/models.py
 */

/** What a check is at the moment, and addresses of its own service. */
const OF_THE_SERVICE = [
  ...["n_pings", "status", "started", "last_ping", "next_ping", "last_duration", "badge_url", "unique_key"],
  ...["ping_url", "update_url", "pause_url", "resume_url"],
];

/** What the API answers, or the database. */
export function importHealthchecksFile(file: ForeignFile, options: ImportOptions = {}): Imported {
  if (!file.isDatabase()) {
    const text = file.text();
    if (!isSqlDump(text)) return importHealthchecks(text, options);
  }
  return file.readTables("Healthchecks", (tables) => convertHealthchecks(tables, options));
}

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
  const tags = tagsOf(check);
  const uuid = check.text("uuid");
  if (uuid === undefined) remarks.stays("its ping address: a read-only key does not tell it");
  if (check.text("channels") !== undefined) remarks.changes("its integrations: channels here hear of all monitors");
  if (check.flag("manual_resume")) remarks.changes("a ping ends its pause no more: resume it here");
  else check.ignore("manual_resume");
  leaveFilters(check, remarks);
  const monitor: ImportedMonitor = {
    type: "heartbeat",
    ...dueOf({ schedule: check.text("schedule"), zone: check.text("tz"), seconds: check.number("timeout") }, remarks),
    ...graceOf(check.number("grace"), remarks),
    ...pushTokenOf(uuid, remarks),
    ...(tags.length > 0 && { tags }),
    ...(isPaused && { paused: true }),
  };
  // Senders that name a check by its slug go on under the ping key of the page.
  draft.addMonitor(name, monitor, remarks, keyFrom(check.text("slug") ?? name));
}
