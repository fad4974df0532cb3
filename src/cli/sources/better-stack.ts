import { isHttpsUrl, Timezone } from "../../contract/status-page.ts";
import { keyFrom } from "../export.ts";
import { CommandFailure } from "../failure.ts";
import {
  basicAuthorization,
  Draft,
  type Imported,
  type ImportedMonitor,
  type ImportOptions,
  INTERVAL,
  pageSlug,
  type Remarks,
  THRESHOLD,
  TIMEOUT,
  within,
} from "./draft.ts";
import { parseForeignJson } from "./file.ts";
import type { ForeignRecord } from "./record.ts";

/**
 * Monitors, heartbeats and status pages of Better Stack, from the `data` of what its API answers; each item says its type.
 * https://github.com/BetterStackHQ/terraform-provider-better-uptime/tree/master/internal/provider
 */

/** What they found, and names of its own things. */
const OF_THE_SERVICE = [
  ...["status", "last_checked_at", "created_at", "updated_at", "paused_at", "team_name", "aggregate_state"],
  ...["sort_index", "availability", "status_history"],
];
/** Whom it notifies, and how: said once for all. */
const ALERTS = [
  ...["call", "sms", "email", "push", "critical_alert", "team_wait", "policy_id", "expiration_policy_id"],
];
const GRACE: [number, number] = [0, 86_400];
/** From here on a time-out is one of milliseconds. */
const MILLISECONDS_MIN = 500;

interface Item {
  id: string;
  record: ForeignRecord;
  attributes: ForeignRecord;
}

export function importBetterStack(text: string, options: ImportOptions = {}): Imported {
  const root = parseForeignJson(text, "Better Stack", "data");
  const draft = new Draft(options);
  const items = new Map<string, Item[]>();
  for (const record of root.records("data")) {
    const [id, type, attributes] = [record.text("id"), record.text("type"), record.record("attributes")];
    if (id !== undefined && type !== undefined && attributes)
      items.set(type, [...(items.get(type) ?? []), { id, record, attributes }]);
  }
  const [monitors, heartbeats, pages] = ["monitor", "heartbeat", "status_page"].map((type) => items.get(type) ?? []);
  if ([monitors, heartbeats, pages].every((list) => list?.length === 0)) {
    throw new CommandFailure("the file holds no monitors: take what GET /api/v2/monitors and its like answer");
  }
  const pagination = root.record("pagination");
  if (pagination?.text("next") !== undefined)
    draft.about("the file").stays("what is on its next page: import that, too");
  pagination?.ignore("first", "last", "prev", "next");
  const groups = groupNames([...(items.get("monitor_group") ?? []), ...(items.get("heartbeat_group") ?? [])]);
  const keys = new Map<string, string>();
  for (const item of monitors ?? []) addMonitor(draft, item, { groups, keys });
  for (const item of heartbeats ?? []) addHeartbeat(draft, item, { groups, keys });
  const sections = items.get("status_page_section") ?? [];
  const resources = items.get("status_page_resource") ?? [];
  addPages(draft, { pages: pages ?? [], sections, resources, keys });
  if ([...(monitors ?? []), ...(heartbeats ?? [])].length > 0) {
    draft
      .about("monitors")
      .stays("whom each tells, by calls, SMS, mail, and its escalation: set up channels and on-call");
    draft.about("monitors").stays("regions that check, and cookies between redirects: choose regions anew");
  }
  return draft.finish(root);
}

/** Its groups are for its own lists, as tags are here. */
function groupNames(items: readonly Item[]): Map<string, string> {
  return new Map(
    items.flatMap(({ id, record, attributes }) => {
      record.ignore("relationships");
      attributes.ignore("created_at", "updated_at", "sort_index", "team_name");
      const name = attributes.text("name");
      return name === undefined ? [] : [[id, name]];
    }),
  );
}

interface Found {
  groups: ReadonlyMap<string, string>;
  keys: Map<string, string>;
}

function addMonitor(draft: Draft, { id, record, attributes }: Item, { groups, keys }: Found): void {
  const name = attributes.text("pronounceable_name") ?? attributes.text("url") ?? "unnamed";
  const subject = `monitor "${name}"`;
  record.ignore("relationships");
  const remarks = draft.name(attributes, subject);
  const kind = kindOf(attributes, remarks);
  if (typeof kind === "string") {
    draft.leave(attributes, subject, kind);
    return;
  }
  const seconds = attributes.number("check_frequency") ?? 180;
  const interval = within(seconds, INTERVAL, (to) => remarks.changes(`interval is ${to} s here`));
  attributes.ignore(...OF_THE_SERVICE, ...ALERTS, "regions", "remember_cookies");
  if ((attributes.number("domain_expiration") ?? -1) > 0)
    remarks.stays("reminders of its domain: add a monitor of type domain");
  leaveWindow(attributes, remarks);
  if (attributes.text("proxy_host") !== undefined) remarks.stays(`its proxy ${attributes.text("proxy_host")}`);
  attributes.ignore("proxy_port");
  const monitor: ImportedMonitor = {
    ...kind,
    interval,
    ...timeoutOf(attributes, interval, remarks),
    ...thresholdsOf(attributes, interval, remarks),
    ...tagOf(groups.get(attributes.text("monitor_group_id") ?? "")),
    ...pausedOf(attributes),
  };
  const key = draft.addMonitor(name, monitor, remarks);
  if (key !== null) keys.set(`Monitor ${id}`, key);
}

const tagOf = (group: string | undefined) => (group === undefined ? {} : { tags: [group] });

function pausedOf(attributes: ForeignRecord): { paused?: boolean } {
  const isPaused = attributes.flag("paused") ?? attributes.text("paused_at") !== undefined;
  return isPaused ? { paused: true } : {};
}

function leaveWindow(attributes: ForeignRecord, remarks: Remarks): void {
  const [from, to] = [attributes.text("maintenance_from"), attributes.text("maintenance_to")];
  const [days, zone] = [attributes.texts("maintenance_days"), attributes.text("maintenance_timezone")];
  if (from !== undefined || to !== undefined)
    remarks.stays(`its maintenance from ${from} to ${to} ${zone ?? ""} (${days.join(", ")}): plan it anew`);
}

function timeoutOf(attributes: ForeignRecord, interval: number, remarks: Remarks): Partial<ImportedMonitor> {
  const given = attributes.number("request_timeout");
  if (given === undefined) return {};
  const seconds = given >= MILLISECONDS_MIN ? given / 1000 : given;
  const timeout = within(seconds, TIMEOUT, (to) => remarks.changes(`gives up after ${to} s here`));
  return { timeout_seconds: Math.min(timeout, interval) };
}

/** It waits so many seconds before it believes a change; here so many checks have to agree. */
function thresholdsOf(attributes: ForeignRecord, interval: number, remarks: Remarks): Partial<ImportedMonitor> {
  const checksOf = (name: string) => {
    const seconds = attributes.number(name);
    if (seconds === undefined) return undefined;
    const checks = within(1 + Math.ceil(seconds / interval), THRESHOLD, () => {});
    if (seconds > 0) remarks.changes(`${name} ${seconds} s is ${checks} checks here`);
    return checks;
  };
  const [failure, recovery] = [checksOf("confirmation_period"), checksOf("recovery_period")];
  return { ...(failure && { failure_threshold: failure }), ...(recovery && { recovery_threshold: recovery }) };
}

/** The reason where nothing here does what it does. */
function kindOf(attributes: ForeignRecord, remarks: Remarks): ImportedMonitor | string {
  const type = attributes.text("monitor_type") ?? "status";
  const url = attributes.text("url") ?? "";
  const host = url.replace(/^\w+:\/\//, "").replace(/[/?#].*$/, "");
  const [port, ...further] = (attributes.text("port") ?? "").split(",").map((each) => each.trim());
  if (further.length > 0) remarks.stays(`its ports after the first: ${further.join(", ")}`);
  const address = port ? `${host}:${port}` : host;
  switch (type) {
    case "status":
    case "expected_status_code":
    case "keyword":
    case "keyword_absence":
      return httpOf(attributes, { type, url }, remarks);
    case "ping":
      return { type: "ping", target: host };
    case "tcp":
      return { type: "tcp", target: address };
    case "udp": {
      const [payload, keyword] = [attributes.text("request_body"), attributes.text("required_keyword")];
      return {
        type: "udp",
        target: address,
        ...(payload && { udp_payload: payload }),
        ...(keyword && { expected_body: keyword }),
      };
    }
    case "smtp":
      return { type: "smtp", target: address };
    case "pop":
      return { type: "pop3", target: address, ...(port === "995" && { tls_mode: "on" }) };
    case "imap":
      return { type: "imap", target: address, ...(port === "993" && { tls_mode: "on" }) };
    case "dns":
      return {
        type: "dns",
        target: attributes.text("request_body") ?? "",
        dns_server: address,
        ...dnsExpectation(attributes, remarks),
      };
    default:
      return `nothing here does what its monitors of type ${type} do`;
  }
}

function dnsExpectation(attributes: ForeignRecord, remarks: Remarks): Partial<ImportedMonitor> {
  const keyword = attributes.text("required_keyword");
  if (keyword === undefined) return {};
  remarks.changes(`"${keyword}" has to be a record of type A here`);
  return { dns_expected: [keyword] };
}

function httpOf(
  attributes: ForeignRecord,
  { type, url }: { type: string; url: string },
  remarks: Remarks,
): ImportedMonitor {
  const method = (attributes.text("http_method") ?? "GET").toUpperCase();
  const body = method === "GET" || method === "HEAD" ? undefined : attributes.text("request_body");
  const headers = headersOf(attributes);
  const [user, password] = [attributes.text("auth_username"), attributes.text("auth_password")];
  if (user !== undefined || password !== undefined)
    headers.Authorization = basicAuthorization(user ?? "", password ?? "");
  const statuses = type === "expected_status_code" ? attributes.texts("expected_status_codes").map(Number) : [];
  const keyword = type.startsWith("keyword") ? attributes.text("required_keyword") : undefined;
  const days = attributes.number("ssl_expiration") ?? -1;
  return {
    type: url.startsWith("https:") ? "https" : "http",
    target: url,
    ...(method !== "GET" && { http_method: keyword && method === "HEAD" ? "GET" : method }),
    ...(Object.keys(headers).length > 0 && { http_headers: headers }),
    ...(body && { http_body: body }),
    ...(type !== "expected_status_code" && { expected_statuses: ["200-299"] }),
    ...(statuses.length > 0 && { expected_statuses: statuses }),
    ...(keyword && { expected_body: keyword }),
    ...(keyword && type === "keyword_absence" && { expected_body_match_type: "not_contains" }),
    ...(attributes.flag("follow_redirects") === false && { follow_redirects: false }),
    ...(attributes.flag("verify_ssl") === false && { verify_ssl: false }),
    ...(days > 0 && url.startsWith("https:") && certificateOf(days, remarks)),
  };
}

/** It writes a mail then; here it is an outage. */
function certificateOf(days: number, remarks: Remarks): Partial<ImportedMonitor> {
  remarks.changes(`is down from ${days} days before its certificate ends`);
  return { certificate_days_min: days };
}

function headersOf(attributes: ForeignRecord): Record<string, string> {
  return Object.fromEntries(
    attributes.records("request_headers").flatMap((header) => {
      header.ignore("id");
      const [name, value] = [header.text("name"), header.text("value") ?? ""];
      return name === undefined ? [] : [[name, value]];
    }),
  );
}

function addHeartbeat(draft: Draft, { id, record, attributes }: Item, { groups, keys }: Found): void {
  const name = attributes.text("name") ?? "unnamed";
  record.ignore("relationships");
  const remarks = draft.name(attributes, `heartbeat "${name}"`);
  attributes.ignore(...OF_THE_SERVICE, ...ALERTS, "server_timezone");
  if (attributes.text("url") !== undefined) remarks.stays("the address that its senders have: give them the new one");
  leaveWindow(attributes, remarks);
  const period = within(attributes.number("period") ?? INTERVAL[1], INTERVAL, (to) => {
    remarks.changes(`is due every ${to} s here`);
  });
  const grace = attributes.number("grace");
  const monitor: ImportedMonitor = {
    type: "heartbeat",
    interval: period,
    ...(grace !== undefined && {
      grace_seconds: within(grace, GRACE, (to) => remarks.changes(`may be ${to} s late here`)),
    }),
    ...tagOf(groups.get(attributes.text("heartbeat_group_id") ?? "")),
    ...pausedOf(attributes),
  };
  const key = draft.addMonitor(name, monitor, remarks);
  if (key !== null) keys.set(`Heartbeat ${id}`, key);
}

interface Pages {
  pages: readonly Item[];
  sections: readonly Item[];
  resources: readonly Item[];
  keys: ReadonlyMap<string, string>;
}

function addPages(draft: Draft, { pages, sections, resources, keys }: Pages): void {
  const slugs = new Map(pages.map((page) => [page.id, addPage(draft, page)]));
  const [only] = slugs.values();
  const groups = new Map<string, { key: string; page: string; place: number }>();
  for (const { id, record, attributes } of sections) {
    record.ignore("relationships");
    const name = attributes.text("name") ?? "Services";
    const remarks = draft.name(attributes, `section "${name}"`);
    const pageId = attributes.text("status_page_id");
    const page = pageId === undefined && slugs.size === 1 ? only : slugs.get(pageId ?? "");
    attributes.ignore("created_at", "updated_at", "fixed_position");
    const place = attributes.number("position") ?? 0;
    if (page === undefined) remarks.stays("nothing says on which page it is: import one page a file");
    else groups.set(id, { key: keyFrom(`${page}.${name}`), page, place });
  }
  const sectionOf = ({ attributes }: Item) => groups.get(attributes.text("status_page_section_id") ?? "");
  const placeOf = (item: Item) => item.attributes.number("position") ?? 0;
  const shown = [...resources].sort((one, other) => {
    return (sectionOf(one)?.place ?? 0) - (sectionOf(other)?.place ?? 0) || placeOf(one) - placeOf(other);
  });
  for (const [id, { key, page }] of [...groups].sort(([, one], [, other]) => one.place - other.place)) {
    const name = sections.find((section) => section.id === id)?.attributes.text("name") ?? key;
    draft.manifest.groups[key] = { name, status_page: page };
  }
  for (const item of shown) {
    const { record, attributes } = item;
    const section = sectionOf(item);
    const publicName = attributes.text("public_name");
    const [kind, id] = [attributes.text("resource_type") ?? "", attributes.text("resource_id") ?? ""];
    const remarks = draft.name(attributes, `resource "${publicName ?? `${kind} ${id}`}"`);
    attributes.ignore(...OF_THE_SERVICE, "position", "fixed_position", "history", "widget_type");
    record.ignore("relationships");
    const key = keys.get(`${kind} ${id}`);
    const monitor = draft.manifest.monitors[key ?? ""];
    if (key === undefined || !monitor || !section) {
      remarks.stays(section ? `its ${kind.toLowerCase()} does not come` : "its section does not come");
      continue;
    }
    if (monitor.status_page !== undefined) {
      remarks.stays("a monitor is in one place of one page here");
      continue;
    }
    if (publicName !== undefined && publicName !== monitor.name)
      remarks.changes(`visitors read "${monitor.name}", the name of its monitor`);
    Object.assign(monitor, { status_page: section.page, group: section.key });
    draft.placeLast(key);
  }
}

function addPage(draft: Draft, { record, attributes }: Item): string {
  const name = attributes.text("company_name") ?? "Status";
  const slug = pageSlug(attributes.text("subdomain") ?? name);
  const remarks = draft.name(attributes, `status page "${name}"`);
  record.ignore("relationships");
  attributes.ignore(...OF_THE_SERVICE);
  const domain = attributes.text("custom_domain");
  if (domain !== undefined) remarks.stays(`its domain ${domain}: add it to the page once its name leads here`);
  if (attributes.flag("password_enabled")) remarks.stays("its password: set one anew");
  if (attributes.flag("hide_from_search_engines")) remarks.stays("that search engines leave it out");
  const zone = attributes.text("timezone");
  const isZone = zone !== undefined && Timezone.safeParse(zone).success;
  if (zone !== undefined && !isZone) remarks.stays(`its time zone "${zone}": choose one`);
  const [logo, dark] = [attributes.text("logo_url"), attributes.text("dark_logo_url")];
  const links = [
    ...["company_url", "contact_url"].map((field) => ({ field, url: attributes.text(field) })),
    ...attributes
      .records("navigation_links")
      .map((link) => ({ field: link.text("text") ?? "", url: link.text("href") })),
  ].flatMap(({ field, url }) => {
    if (url === undefined) return [];
    if (isHttpsUrl(url)) return [{ label: { company_url: name, contact_url: "Contact" }[field] ?? field, url }];
    remarks.stays(`its link ${url}, which is none by https`);
    return [];
  });
  draft.manifest.status_pages[slug] = {
    name,
    ...(isZone && { timezone: zone }),
    ...(logo !== undefined && isHttpsUrl(logo) && { logo_url: logo }),
    ...(dark !== undefined && isHttpsUrl(dark) && { logo_dark_url: dark }),
    ...(links.length > 0 && { footer_links: links }),
  };
  return slug;
}
