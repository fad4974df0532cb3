import { Timezone } from "../../contract/status-page.ts";
import { keyFrom } from "../export.ts";
import { CommandFailure } from "../failure.ts";
import { Draft, type Imported, type ImportOptions, pageSlug } from "./draft.ts";
import { parseForeignJson } from "./file.ts";
import type { ForeignRecord } from "./record.ts";
import { addComponent, describeEntries, instantOf, type Severity, titleOf } from "./status-components.ts";

/**
 * A page of Atlassian Statuspage: answers of `GET /v1/pages/ID` and what is below it, in one object, or those of the public
 * `/api/v2`, which has fewer fields.
 * https://developer.statuspage.io
 */

/** Its own ids, addresses and times; what a component is at the moment. */
const OF_THE_SERVICE = [
  ...["id", "page_id", "created_at", "updated_at", "shortlink", "status", "automation_email", "start_date"],
  ...["group", "component_id", "incident_id", "activity_score"],
];
/** How an announcement went out. */
const OF_ANNOUNCEMENTS = [
  ...["deliver_notifications", "custom_tweet", "tweet_id", "twitter_updated_at", "wants_twitter_update"],
  ...["affected_components", "scheduled_remind_prior", "scheduled_reminded_at", "auto_tweet_at_beginning"],
  ...["auto_tweet_on_completion", "auto_tweet_on_creation", "auto_tweet_one_hour_before", "reminder_intervals"],
  ...["auto_transition_deliver_notifications_at_end", "auto_transition_deliver_notifications_at_start"],
  ...["auto_transition_to_maintenance_state", "auto_transition_to_operational_state", "monitoring_at"],
  ...["scheduled_auto_completed", "scheduled_auto_in_progress", "scheduled_auto_transition"],
  ...["postmortem_ignored", "postmortem_notified_subscribers", "postmortem_notified_twitter"],
  ...["postmortem_body_last_updated_at", "postmortem_published_at", "impact_override", "components", "impact"],
];
const OF_MAINTENANCE = ["scheduled", "in_progress", "verifying", "completed"];
const SEVERITIES: Readonly<Record<string, Severity>> = { major: "major", critical: "critical" };

export function importStatuspage(text: string, options: ImportOptions = {}): Imported {
  const root = parseForeignJson(text, "Statuspage", "components");
  const page = root.record("page");
  const components = root.records("components");
  if (!page || (components.length === 0 && root.records("incidents").length === 0)) {
    throw new CommandFailure("the file holds no page with components or incidents of Statuspage");
  }
  const draft = new Draft(options);
  const slug = addPage(draft, page);
  // The state of the whole page, of the public API.
  root.ignore("status");
  const keys = addComponents(draft, slug, { components, listed: root.records("component_groups") });
  for (const record of [...root.records("incidents"), ...root.records("scheduled_maintenances")]) {
    addIncident(draft, record, { slug, keys });
  }
  leaveSubscribers(draft, root);
  return draft.finish(root);
}

function addPage(draft: Draft, page: ForeignRecord): string {
  const name = page.text("name") ?? "Status";
  const remarks = draft.name(page, `page "${name}"`);
  const url = page.text("url");
  const subdomain = page.text("subdomain") ?? /^https:\/\/([\w-]+)\.statuspage\.io/.exec(url ?? "")?.[1];
  const slug = pageSlug(subdomain ?? name);
  page.ignore(...OF_THE_SERVICE);
  const domain = page.text("domain");
  if (domain !== undefined) remarks.stays(`its domain ${domain}: add it to the page once its name leads here`);
  const zone = page.text("time_zone");
  const isZone = zone !== undefined && Timezone.safeParse(zone).success;
  if (zone !== undefined && !isZone) remarks.stays(`its time zone "${zone}": choose one`);
  const description = page.text("page_description");
  draft.manifest.status_pages[slug] = {
    name,
    ...(description && { description }),
    ...(isZone && { timezone: zone }),
  };
  return slug;
}

interface Lists {
  components: readonly ForeignRecord[];
  /** Its API lists groups apart; the public one has them among the components. */
  listed: readonly ForeignRecord[];
}

const placeOf = (record: ForeignRecord) => record.number("position") ?? 0;
const byPlace = (records: readonly ForeignRecord[]) => [...records].sort((a, b) => placeOf(a) - placeOf(b));

/** Keys of what they become, by their ids. */
function addComponents(draft: Draft, page: string, { components, listed }: Lists): Map<string, string> {
  const isGroup = (record: ForeignRecord) => record.flag("group") === true;
  const groups = new Map<string, string>();
  const groupOfMember = new Map<string, string>();
  for (const record of byPlace([...listed, ...components.filter(isGroup)])) {
    const [id, name] = [record.text("id") ?? "", record.text("name") ?? "unnamed"];
    draft.name(record, `group "${name}"`);
    const key = keyFrom(`${page}.${name}`);
    record.ignore(...OF_THE_SERVICE, "group_id", "showcase", "only_show_if_degraded", "position");
    for (const member of record.texts("components")) groupOfMember.set(member, key);
    groups.set(id, key);
    draft.manifest.groups[key] = { name, status_page: page };
  }
  const keys = new Map<string, string>();
  for (const record of byPlace(components.filter((component) => !isGroup(component)))) {
    const [id, name] = [record.text("id") ?? "", record.text("name") ?? "unnamed"];
    const remarks = draft.name(record, `component "${name}"`);
    record.ignore(...OF_THE_SERVICE, "showcase", "position");
    if (record.flag("only_show_if_degraded")) remarks.stays("that it is shown only while it is not well");
    record.ignore("only_show_if_degraded");
    const group = groups.get(record.text("group_id") ?? "") ?? groupOfMember.get(id);
    const key = addComponent(draft, { name, page, group }, remarks);
    if (key !== null) keys.set(id, key);
  }
  return keys;
}

function addIncident(
  draft: Draft,
  record: ForeignRecord,
  { slug, keys }: { slug: string; keys: ReadonlyMap<string, string> },
): void {
  const name = record.text("name") ?? "unnamed";
  const status = record.text("status") ?? "";
  const isMaintenance = OF_MAINTENANCE.includes(status);
  const subject = `${isMaintenance ? "maintenance" : "incident"} "${name}"`;
  const remarks = draft.name(record, subject);
  const started_at = instantOf(
    record.text(isMaintenance ? "scheduled_for" : "started_at") ?? record.text("created_at"),
  );
  const resolved_at = instantOf(record.text(isMaintenance ? "scheduled_until" : "resolved_at"));
  if (!isMaintenance && resolved_at === undefined) {
    draft.leave(record, subject, "it is not over: open it here, which tells those who are on call");
    return;
  }
  if (started_at === undefined || resolved_at === undefined) {
    draft.leave(record, subject, "it has no times");
    return;
  }
  const severity = SEVERITIES[record.text("impact_override") ?? record.text("impact") ?? ""] ?? "minor";
  const affected = [
    ...new Set(record.records("components").flatMap((component) => keys.get(component.text("id") ?? "") ?? [])),
  ];
  record.ignore(
    ...OF_THE_SERVICE,
    ...OF_ANNOUNCEMENTS,
    "scheduled_for",
    "scheduled_until",
    "started_at",
    "resolved_at",
  );
  const description = describeEntries(entriesOf(record), remarks);
  const common = { title: titleOf(name, remarks), description, status_page: slug, monitors: affected };
  const id = record.text("id") ?? `${started_at}-${name}`;
  if (isMaintenance)
    draft.addMaintenance({ ...common, key: id, start_time: started_at, end_time: resolved_at }, remarks);
  else draft.addIncident({ ...common, severity, started_at, resolved_at });
}

function entriesOf(record: ForeignRecord) {
  const postmortem = record.text("postmortem_body");
  const updates = record.records("incident_updates").map((update) => {
    update.ignore(...OF_THE_SERVICE, ...OF_ANNOUNCEMENTS);
    const at = instantOf(update.text("display_at") ?? update.text("created_at"));
    return {
      at: at ?? "",
      status: (update.text("status") ?? "").replaceAll("_", " "),
      text: update.text("body") ?? "",
    };
  });
  const last = instantOf(record.text("postmortem_published_at") ?? record.text("resolved_at"));
  return [
    ...updates,
    ...(postmortem === undefined ? [] : [{ at: last ?? "", status: "postmortem", text: postmortem }]),
  ];
}

/** They agreed to mail of somebody else: nobody is written to, and the file's addresses go nowhere. */
function leaveSubscribers(draft: Draft, root: ForeignRecord): void {
  const counts = new Map<string, { total: number; unreachable: number }>();
  for (const subscriber of root.records("subscribers")) {
    const mode = subscriber.text("mode") ?? "an unknown way";
    const count = counts.get(mode) ?? { total: 0, unreachable: 0 };
    count.total++;
    if (subscriber.text("quarantined_at") !== undefined) count.unreachable++;
    counts.set(mode, count);
    subscriber.ignoreAll();
  }
  for (const [mode, { total, unreachable }] of counts) {
    const quarantined = unreachable > 0 ? ` (${unreachable} of them quarantined there)` : "";
    draft
      .about(`subscribers by ${mode}`)
      .stays(
        `${total}${quarantined}: none is taken over and none is written to, confirmed or not. Post a last update there with ` +
          "the address of the page here, where each of them confirms anew",
      );
  }
}
