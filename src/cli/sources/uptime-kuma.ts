import { CHILDREN_MAX } from "../../contract/monitor.ts";
import { isTimeZone } from "../../lib/zoned-days.ts";
import { keyFrom } from "../export.ts";
import type { Manifest } from "../manifest.ts";
import {
  Draft,
  type Imported,
  type ImportedMonitor,
  type ImportOptions,
  INTERVAL,
  pushTokenOf,
  type Remarks,
  THRESHOLD,
  TIMEOUT,
  within,
} from "./draft.ts";
import type { ForeignFile } from "./file.ts";
import type { ForeignRecord } from "./record.ts";
import type { Tables } from "./tables.ts";
import { addNotification } from "./uptime-kuma-channels.ts";
import { addIncidents, addMaintenance } from "./uptime-kuma-maintenance.ts";
import { kindOf } from "./uptime-kuma-monitors.ts";

/**
 * Settings of Uptime Kuma, from its database kuma.db or a dump of MariaDB: the schema of 1.23 or 2, which has the same
 * tables and more columns.
 * https://github.com/louislam/uptime-kuma/blob/master/db/knex_init_db.js
 */

/** Its accounts, its own state and what it computed. */
const OF_THE_PROGRAM = /^(sqlite_.*|knex_.*|user|api_key|monitor_tls_info|notification_sent_history|domain_expiry)$/;
/** What earlier versions computed of each window. */
const OF_MAINTENANCE = /^maintenance_timeslot$/;
const HISTORY = /^(heartbeat|stat_.*)$/;

export function importUptimeKuma(file: ForeignFile, options: ImportOptions = {}): Imported {
  return file.readTables("Uptime Kuma", (tables) => convert(tables, options));
}

function convert(tables: Tables, options: ImportOptions): Imported {
  const draft = new Draft(options);
  const sources = tables.rows("monitor");
  const settings = tables.rows("setting");
  const timezone = serverZone(settings);
  // How the program itself runs.
  for (const row of settings) row.ignoreAll();
  if (sources.length === 0 && settings.length === 0) throw new Error("it holds no monitors");
  const docker = new Map(tables.rows("docker_host").map((row) => [row.text("id") ?? "", row]));
  for (const row of docker.values()) row.ignore("id", "user_id", "name");
  const tags = tagsOf(tables);
  const keys = new Map<string, string>();
  const subjects = new Map<string, Remarks>();
  for (const row of sources) {
    const [id, name] = [row.text("id") ?? "", row.text("name") ?? "unnamed"];
    const remarks = draft.name(row, `monitor "${name}"`);
    subjects.set(id, remarks);
    const kind = kindOf(row, docker, remarks);
    if (typeof kind === "string") {
      draft.leave(row, `monitor "${name}"`, kind);
      continue;
    }
    const monitor = { ...convertMonitor(row, kind, remarks), ...(tags.has(id) && { tags: tags.get(id) }) };
    const key = draft.addMonitor(name, monitor, remarks);
    if (key === null) row.ignoreAll();
    else keys.set(id, key);
  }
  addMembers(draft, sources, { keys, subjects });
  const pages = addPages(draft, tables, { keys, timezone });
  settleComposites(draft);
  addMaintenance(draft, tables, { keys, pages, timezone, now: options.now ?? Date.now() });
  addIncidents(draft, tables, pages);
  const heard = heardBy(tables, keys);
  for (const row of tables.rows("notification")) addNotification(draft, row, heard.get(row.text("id") ?? "") ?? []);
  addRest(draft, tables);
  return draft.finish(...tables.read());
}

function convertMonitor(row: ForeignRecord, kind: ImportedMonitor, remarks: Remarks): ImportedMonitor {
  row.ignore("id", "user_id", "created_date", "name", "type");
  if (row.text("proxy_id") !== undefined) remarks.stays("its proxy");
  const interval = within(row.number("interval") ?? 60, INTERVAL, (to) => remarks.changes(`interval is ${to} s here`));
  const retry = row.number("retry_interval") ?? 0;
  const seconds = row.number("timeout") ?? 0;
  const isChecked = kind.type !== "heartbeat" && kind.type !== "composite";
  const isInverted = row.flag("upside_down") === true;
  if (isInverted && !isChecked) remarks.stays(`upside down: nothing here does that to a ${kind.type}`);
  const isBeyond = seconds > Math.min(30, interval);
  if (isChecked && isBeyond) remarks.changes(`gives up after ${Math.min(30, interval)} s here`);
  return {
    ...kind,
    interval,
    failure_threshold: within((row.number("maxretries") ?? 0) + 1, THRESHOLD, (to) => {
      remarks.changes(`fails after ${to} checks here`);
    }),
    ...(retry > 0 &&
      isChecked && { retry_interval: within(retry, [5, 300], (to) => remarks.changes(`retries after ${to} s here`)) }),
    ...(seconds > 0 && isChecked && { timeout_seconds: within(Math.min(seconds, interval), TIMEOUT, () => {}) }),
    ...(isInverted && isChecked && { invert: true }),
    ...(kind.type === "heartbeat" && pushTokenOf(row.text("push_token"), remarks)),
    ...(row.flag("active") === false && { paused: true }),
  };
}

/** The monitors that come of those that use a notification. */
function heardBy(tables: Tables, keys: ReadonlyMap<string, string>): Map<string, string[]> {
  const heard = new Map<string, string[]>();
  for (const row of tables.rows("monitor_notification")) {
    const [id, key] = [row.text("notification_id") ?? "", keys.get(row.text("monitor_id") ?? "")];
    if (key !== undefined) heard.set(id, [...(heard.get(id) ?? []), key]);
    row.ignore("id");
  }
  return heard;
}

function tagsOf(tables: Tables): Map<string, string[]> {
  const names = new Map(tables.rows("tag").map((row) => [row.text("id"), row.text("name") ?? ""]));
  const tags = new Map<string, string[]>();
  for (const row of tables.rows("monitor_tag")) {
    const [id, name, value] = [row.text("monitor_id") ?? "", names.get(row.text("tag_id")), row.text("value")];
    if (name) tags.set(id, [...(tags.get(id) ?? []), value === undefined ? name : `${name}:${value}`]);
  }
  // Tags here have no colours of their own.
  for (const row of [...tables.rows("tag"), ...tables.rows("monitor_tag")]) {
    row.ignore("id", "color", "created_date", "monitor_id", "tag_id");
  }
  return tags;
}

interface Known {
  keys: ReadonlyMap<string, string>;
  subjects: ReadonlyMap<string, Remarks>;
}

function addMembers({ manifest }: Draft, sources: readonly ForeignRecord[], { keys, subjects }: Known): void {
  for (const row of sources) {
    const [id, parent] = [row.text("id") ?? "", row.text("parent")];
    const [key, parentKey] = [keys.get(id), keys.get(parent ?? "")];
    if (!key || parent === undefined) continue;
    if (!parentKey) subjects.get(id)?.stays("that it is in a group, which does not come");
    else if (manifest.monitors[key]?.type === "composite")
      subjects.get(id)?.changes("stands by itself: groups hold no groups here");
    else manifest.monitors[parentKey]?.children?.push(key);
  }
}

/** A composite hides its members from their page, and all of them are on one page or on none. */
function settleComposites(draft: Draft): void {
  const { monitors } = draft.manifest;
  for (const [key, composite] of Object.entries(monitors)) {
    if (composite.type !== "composite") continue;
    const children = composite.children ?? [];
    const remarks = draft.about(`group "${composite.name}"`);
    const members = children.flatMap((child) => monitors[child] ?? []);
    const isElsewhere = members.some(({ status_page }) => status_page && status_page !== composite.status_page);
    if (members.length === 0 || isElsewhere) {
      remarks.stays(isElsewhere ? "its members are on a page, where a composite would hide them" : "has no members");
      delete monitors[key];
      continue;
    }
    const surplus = children.splice(CHILDREN_MAX);
    if (surplus.length > 0) remarks.stays(`its members after the first ${CHILDREN_MAX}: ${surplus.join(", ")}`);
    if (composite.status_page) for (const member of members) member.status_page = composite.status_page;
  }
}

/** In whose clock it keeps times. */
function serverZone(settings: readonly ForeignRecord[]): string {
  const row = settings.find((setting) => setting.text("key") === "serverTimezone");
  const zone = (row?.text("value") ?? "").replace(/^"|"$/g, "");
  return zone !== "" && isTimeZone(zone) ? zone : "UTC";
}

/** Their slugs by their ids. */
function addPages(
  draft: Draft,
  tables: Tables,
  { keys, timezone }: { keys: ReadonlyMap<string, string>; timezone: string },
): Map<string, string> {
  const pages = new Map<string, { slug: string; remarks: Remarks }>();
  for (const row of tables.rows("status_page")) {
    const slug = row.text("slug") ?? "";
    const remarks = draft.name(row, `status page "${slug}"`);
    pages.set(row.text("id") ?? "", { slug, remarks });
    const page = pageOf(row, slug, remarks);
    draft.manifest.status_pages[slug] = { ...page, ...(timezone !== "UTC" && { timezone }) };
  }
  const sections = new Map(tables.rows("group").map((row) => [row.text("id"), row]));
  for (const row of sections.values()) row.ignore("id", "created_date", "weight", "status_page_id", "public", "name");
  const weightOf = (row: ForeignRecord | undefined) => row?.number("weight") ?? 1000;
  const sectionWeightOf = (row: ForeignRecord) => weightOf(sections.get(row.text("group_id")));
  const shown = [...tables.rows("monitor_group")].sort(
    (a, b) => sectionWeightOf(a) - sectionWeightOf(b) || weightOf(a) - weightOf(b),
  );
  for (const row of shown) {
    const section = sections.get(row.text("group_id"));
    const page = pages.get(section?.text("status_page_id") ?? "");
    const key = keys.get(row.text("monitor_id") ?? "") ?? "";
    const monitor = draft.manifest.monitors[key];
    row.ignore("id", "weight", "monitor_id", "group_id");
    row.subject = page ? `status page "${page.slug}"` : row.subject;
    if (!section || !page || !monitor) continue;
    if (monitor.status_page) {
      page.remarks.stays(`monitor "${monitor.name}": a monitor is on one page here`);
      continue;
    }
    const group = keyFrom(`${page.slug}.${section.text("name")}`);
    draft.manifest.groups[group] = { name: section.text("name") ?? "", status_page: page.slug };
    Object.assign(monitor, { status_page: page.slug, group });
    draft.placeLast(key);
  }
  for (const row of tables.rows("status_page_cname")) {
    const page = pages.get(row.text("status_page_id") ?? "");
    page?.remarks.stays(`its domain ${row.text("domain")}: add it to the page once its name leads here`);
    row.ignoreAll();
  }
  return new Map([...pages].map(([id, { slug }]) => [id, slug]));
}

function pageOf(row: ForeignRecord, slug: string, remarks: Remarks): Manifest["status_pages"][string] {
  row.ignore("id", "created_date", "modified_date");
  if (row.flag("search_engine_index") === false) remarks.stays("that search engines leave it out");
  if (row.flag("show_tags")) remarks.stays("the tags that it shows: visitors see none here");
  const [description, footer, icon] = [row.text("description"), row.text("footer_text"), row.text("icon")];
  const css = row.text("custom_css");
  if (css !== undefined && !/^\s*body\s*\{\s*\}\s*$/.test(css)) remarks.stays("its own style sheet");
  if (icon !== undefined && icon !== "/icon.svg") remarks.stays(`its icon ${icon}: upload it anew`);
  if (row.text("password") !== undefined) remarks.stays("its password: set one anew");
  // Visitors choose between light and dark.
  row.ignore("theme", "auto_refresh_interval");
  return {
    name: row.text("title") ?? slug,
    ...(description && { description }),
    ...(footer && { footer_text: footer }),
    ...(row.flag("published") === false && { is_public: false }),
    ...(row.flag("show_powered_by") === false && { show_branding: false }),
  };
}

/** What stays behind as a whole, a line each. */
function addRest(draft: Draft, tables: Tables): void {
  for (const row of tables.rows("proxy")) {
    draft.leave(row, `proxy ${row.text("host")}`, "checks here go through no proxy: use an agent behind it");
  }
  for (const { table, count } of tables.unread()) {
    if (OF_THE_PROGRAM.test(table) || OF_MAINTENANCE.test(table)) continue;
    draft
      .about(`table ${table}`)
      .stays(HISTORY.test(table) ? `history: ${count} rows` : `nothing here reads its ${count} rows`);
  }
}
