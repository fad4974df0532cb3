import { keyFrom } from "../export.ts";
import { CommandFailure } from "../failure.ts";
import { Draft, type Imported, type ImportOptions, pageSlug } from "./draft.ts";
import { parseForeignJson } from "./file.ts";
import type { ForeignRecord } from "./record.ts";
import { addComponent, describeEntries, type Entry, instantOf, titleOf } from "./status-components.ts";

/**
 * A status page of Cachet: what the API of 2 (`/api/v1`) or 3 (`/api`) answers for component groups, components, incidents
 * and schedules, each list under its name.
 * https://github.com/cachethq/core/tree/main/src/Http/Resources
 */

const LISTS = ["component_groups", "components", "incidents", "schedules"] as const;
/** Its own ids and times, and what something is at the moment. */
const OF_THE_SERVICE = [
  ...["id", "created_at", "updated_at", "deleted_at", "created", "updated", "status_name", "human_status", "permalink"],
  ...[
    "latest_human_status",
    "latest_icon",
    "human_message",
    "formatted_message",
    "enabled_components",
    "lowest_human_status",
  ],
  ...["enabled_components_lowest", "enabled_components_lowest_human", "is_resolved", "latest_update_id", "user_id"],
  ...["latest_status", "component_status", "collapsed", "order_column", "order_direction", "updateable_id"],
  ...["updateable_type", "incident_id", "schedule_id", "component_id", "guid", "components_count", "duration"],
  ...["incident_template_id"],
];
const FIXED = 4;
const STATUSES = ["", "investigating", "identified", "watching", "fixed"];

export function importCachet(text: string, options: ImportOptions = {}): Imported {
  const root = parseForeignJson(text, "Cachet");
  if (LISTS.every((list) => itemsOf(root, list).length === 0)) {
    throw new CommandFailure(`the file holds nothing of Cachet: ${LISTS.join(", ")}`);
  }
  const draft = new Draft(options);
  for (const list of LISTS) requireWhole(draft, root, list);
  const slug = addPage(draft, root);
  const groups = addGroups(draft, root, slug);
  const keys = addComponents(draft, root, { slug, groups });
  for (const record of itemsOf(root, "incidents")) addIncident(draft, record, { slug, keys });
  for (const record of itemsOf(root, "schedules")) addSchedule(draft, record, { slug, keys });
  const subscribers = itemsOf(root, "subscribers");
  for (const record of subscribers) record.ignoreAll();
  if (subscribers.length > 0) {
    draft
      .about("subscribers")
      .stays(
        `${subscribers.length}: none is taken over and none is written to, verified or not. Post a last update there with ` +
          "the address of the page here, where each of them confirms anew",
      );
  }
  return draft.finish(root);
}

/** A list as it is, or within the answer of one request; items of 3 have their members among `attributes`. */
function itemsOf(record: ForeignRecord, list: string): ForeignRecord[] {
  const answer = record.record(list);
  const items = answer ? answer.records("data") : record.records(list);
  return items.map((item) => {
    const attributes = item.record("attributes");
    if (attributes) item.ignore("type");
    return attributes ?? item;
  });
}

/** Answers come in pages of a few items each. */
function requireWhole(draft: Draft, root: ForeignRecord, list: string): void {
  const answer = root.record(list);
  const total = answer?.record("meta")?.record("pagination")?.number("total") ?? 0;
  const next = answer?.record("links")?.text("next");
  if (next !== undefined || total > itemsOf(root, list).length)
    draft.about("the file").stays(`the rest of its ${list}: ask for more of them in one answer (per_page)`);
  answer?.ignore("meta", "links");
}

function addPage(draft: Draft, root: ForeignRecord): string {
  const settings = root.record("settings");
  const name = settings?.text("app_name") ?? settings?.text("name") ?? "Status";
  const slug = pageSlug(name);
  draft.manifest.status_pages[slug] = { name };
  return slug;
}

const orderOf = (record: ForeignRecord) => record.number("order") ?? 0;
const inOrder = (records: readonly ForeignRecord[]) => [...records].sort((a, b) => orderOf(a) - orderOf(b));

/** 2 and 3 name times differently: a text, or one among ways to write it. */
function timeOf(record: ForeignRecord, name: string, older: string): string | undefined {
  const written = record.record(name);
  written?.ignore("human");
  return instantOf(written?.text("string") ?? record.text(older));
}

function statusOf(record: ForeignRecord): number {
  const written = record.record("status");
  written?.ignore("human", "name");
  return written?.number("value") ?? record.number("status") ?? 0;
}

function addGroups(draft: Draft, root: ForeignRecord, page: string): Map<string, string> {
  const groups = new Map<string, string>();
  for (const record of inOrder(itemsOf(root, "component_groups"))) {
    const [id, name] = [record.text("id") ?? "", record.text("name") ?? "unnamed"];
    const remarks = draft.name(record, `group "${name}"`);
    record.ignore(...OF_THE_SERVICE, "order");
    if (["0", "2"].includes(record.text("visible") ?? "1"))
      remarks.changes("visitors see it: it was not for all there");
    record.ignore("visible");
    const key = keyFrom(`${page}.${name}`);
    groups.set(id, key);
    draft.manifest.groups[key] = { name, status_page: page };
  }
  return groups;
}

interface Known {
  slug: string;
  keys: ReadonlyMap<string, string>;
}

function addComponents(
  draft: Draft,
  root: ForeignRecord,
  { slug, groups }: { slug: string; groups: ReadonlyMap<string, string> },
): Map<string, string> {
  const keys = new Map<string, string>();
  for (const record of inOrder(itemsOf(root, "components"))) {
    const [id, name] = [record.text("id") ?? "", record.text("name") ?? "unnamed"];
    const subject = `component "${name}"`;
    const remarks = draft.name(record, subject);
    if (record.flag("enabled") === false) {
      draft.leave(record, subject, "it is not enabled");
      continue;
    }
    statusOf(record);
    record.ignore(...OF_THE_SERVICE, "order", "status");
    const given = record.text("group_id") ?? record.text("component_group_id") ?? "0";
    const group = groups.get(given);
    if (given !== "0" && group === undefined) remarks.stays(`its group ${given}, which the file does not hold`);
    const key = addComponent(draft, { name, page: slug, group }, remarks);
    if (key !== null) keys.set(id, key);
  }
  return keys;
}

function addIncident(draft: Draft, record: ForeignRecord, { slug, keys }: Known): void {
  const name = record.text("name") ?? "unnamed";
  const subject = `incident "${name}"`;
  const remarks = draft.name(record, subject);
  const started_at = timeOf(record, "occurred", "occurred_at") ?? timeOf(record, "created", "created_at");
  const updates = entriesOf(record);
  const isOver = statusOf(record) === FIXED || updates.some(({ status }) => status === STATUSES[FIXED]);
  const resolved = updates.find(({ status }) => status === STATUSES[FIXED])?.at;
  const resolved_at = resolved ?? timeOf(record, "updated", "updated_at");
  if (!isOver || started_at === undefined || resolved_at === undefined) {
    const why = isOver ? "it has no times" : "it is not over: open it here, which tells those who are on call";
    draft.leave(record, subject, why);
    return;
  }
  const entries: Entry[] = [{ at: started_at, status: "", text: record.text("message") ?? "" }, ...updates];
  const isPublic = ["1", "true"].includes(record.text("visible") ?? "1");
  const component = keys.get(record.text("component_id") ?? "");
  if (record.flag("stickied")) remarks.stays("that it is held above others");
  record.ignore(
    ...OF_THE_SERVICE,
    "status",
    "occurred",
    "occurred_at",
    "published",
    "notifications",
    "visible",
    "stickied",
  );
  draft.addIncident({
    title: titleOf(name, remarks),
    description: describeEntries(entries, remarks),
    status_page: slug,
    severity: "minor",
    started_at,
    resolved_at: Date.parse(resolved_at) < Date.parse(started_at) ? started_at : resolved_at,
    monitors: component === undefined ? affectedBy(record, keys) : [component],
    ...(!isPublic && { is_public: false }),
  });
}

function affectedBy(record: ForeignRecord, keys: ReadonlyMap<string, string>): string[] {
  return itemsOf(record, "components").flatMap((component) => {
    const id = component.text("id") ?? component.text("component_id") ?? "";
    component.ignoreAll();
    return keys.get(id) ?? [];
  });
}

function entriesOf(record: ForeignRecord): Entry[] {
  return itemsOf(record, "updates").map((update) => {
    const at = timeOf(update, "created", "created_at") ?? "";
    const status = STATUSES[statusOf(update)] ?? "";
    update.ignore(...OF_THE_SERVICE, "status");
    return { at, status, text: update.text("message") ?? "" };
  });
}

function addSchedule(draft: Draft, record: ForeignRecord, { slug, keys }: Known): void {
  const name = record.text("name") ?? "unnamed";
  const subject = `maintenance "${name}"`;
  const remarks = draft.name(record, subject);
  const start_time = timeOf(record, "scheduled", "scheduled_at");
  const end_time = timeOf(record, "completed", "completed_at");
  if (start_time === undefined || end_time === undefined) {
    draft.leave(record, subject, "it has no end: plan it anew");
    return;
  }
  statusOf(record);
  const text = record.text("message") ?? "";
  const updates = describeEntries(entriesOf(record), remarks);
  const monitors = affectedBy(record, keys);
  const key = record.text("id") ?? keyFrom(`${name}-${start_time}`);
  record.ignore(...OF_THE_SERVICE, "status", "scheduled", "scheduled_at", "completed", "completed_at", "published");
  const description = [text, updates].filter((part) => part !== "").join("\n\n");
  draft.addMaintenance(
    { key, title: titleOf(name, remarks), description, status_page: slug, start_time, end_time, monitors },
    remarks,
  );
}
