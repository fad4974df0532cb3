import { REDIRECTS_MAX } from "../../contract/http-check.ts";
import { CommandFailure } from "../failure.ts";
import {
  Draft,
  type Imported,
  type ImportedMonitor,
  type ImportOptions,
  pageSlug,
  type Remarks,
  TIMEOUT,
  within,
} from "./draft.ts";
import { parseForeignYaml } from "./file.ts";
import type { ForeignRecord } from "./record.ts";

/**
 * Sites of Upptime, from `.upptimerc.yml`.
 * https://github.com/upptime/uptime-monitor/blob/master/src/interfaces.ts
 */

/** What says how its workflows and its repository go on. */
const OF_THE_PROGRAM = [
  ...["owner", "repo", "assignees", "delay", "PAT", "skipDescriptionUpdate", "skipTopicsUpdate", "skipHomepageUpdate"],
  ...["skipDeleteIssues", "skipPoweredByReadme", "commitMessages", "summaryStartHtmlComment", "summaryEndHtmlComment"],
  ...["liveStatusHtmlComment", "commitPrefixStatusUp", "commitPrefixStatusDown", "commitPrefixStatusDegraded", "i18n"],
  ...["workflowSchedule", "runner", "customStatusWebsitePackage", "skipGeneratingWebsite", "secrets"],
];
const INTERVAL_S = 300;
/** What it takes for up without a list of its own. */
const STATUSES = ["200-208", 226, "300-308"];

export function importUpptime(text: string, options: ImportOptions = {}): Imported {
  const root = parseForeignYaml(text, "Upptime");
  const sites = root.records("sites");
  if (sites.length === 0) throw new CommandFailure("the file is no .upptimerc.yml: it has no sites");
  const draft = new Draft(options);
  root.ignore(...OF_THE_PROGRAM);
  const page = pageOf(draft, root);
  const agent = root.text("user-agent");
  for (const site of sites) addSite(draft, site, { page, agent });
  for (const notification of root.records("notifications")) {
    const subject = `notification "${notification.text("type")}"`;
    draft.leave(notification, subject, "its settings are secrets of the repository: set it up anew");
  }
  return draft.finish(root);
}

/** Its key, or null where there is no website. */
function pageOf(draft: Draft, root: ForeignRecord): string | null {
  const website = root.record("status-website");
  const repository = root.text("repo");
  if (!website) return null;
  const remarks = draft.name(website, "status website");
  const name = website.text("name") ?? repository ?? "Status";
  const introduction = [website.text("introTitle"), website.text("introMessage")].filter((part) => part !== undefined);
  const domain = website.text("cname");
  if (domain) remarks.stays(`its domain ${domain}: add it to the page once its name leads here`);
  website.ignore("publish", "singleCommit");
  const links = website.records("navbar").flatMap((link) => {
    const [label, url] = [link.text("title"), link.text("href") ?? link.text("url")];
    if (label && url?.startsWith("https://")) return [{ label, url }];
    remarks.stays(`its link ${label}`);
    return [];
  });
  const key = pageSlug(name);
  draft.manifest.status_pages[key] = {
    name,
    ...(introduction.length > 0 && { description: introduction.join("\n\n") }),
    ...(links.length > 0 && { footer_links: links }),
  };
  return key;
}

function addSite(draft: Draft, site: ForeignRecord, around: { page: string | null; agent: string | undefined }): void {
  const name = site.text("name") ?? site.text("url") ?? "unnamed";
  const subject = `site "${name}"`;
  const remarks = draft.name(site, subject);
  const kind = kindOf(site, around.agent, remarks);
  if (typeof kind === "string") {
    draft.leave(site, subject, kind);
    return;
  }
  // Names of files and issues of its repository.
  site.ignore("slug", "icon", "assignees", "verbose");
  const tags = site.texts("tags");
  const [slow, seconds] = [site.number("maxResponseTime") ?? 0, site.number("requestTimeout") ?? 0];
  if (slow > 60_000) remarks.changes("slow from 60 s here");
  const monitor: ImportedMonitor = {
    ...kind,
    interval: INTERVAL_S,
    ...(slow > 0 && { latency_threshold_ms: Math.min(slow, 60_000) }),
    ...(seconds > 0 && {
      timeout_seconds: within(seconds, TIMEOUT, (to) => remarks.changes(`gives up after ${to} s here`)),
    }),
    ...(tags.length > 0 && { tags }),
    ...(around.page !== null && { status_page: around.page }),
  };
  draft.addMonitor(name, monitor, remarks);
}

/** The reason where nothing here does what it does. */
function kindOf(site: ForeignRecord, agent: string | undefined, remarks: Remarks): ImportedMonitor | string {
  const url = site.text("url") ?? "";
  const port = site.text("port");
  const host = url.replace(/^\w+:\/\//, "").replace(/[/:].*$/, "");
  switch (site.text("check") ?? "http") {
    case "http":
      return httpOf(site, { url, agent }, remarks);
    case "tcp-ping":
      return { type: "tcp", target: `${host}:${port ?? "80"}` };
    case "ssl":
      return { type: "ssl", target: `${host}:${port ?? "443"}` };
    default:
      return `nothing here checks by ${site.text("check")}`;
  }
}

function httpOf(
  site: ForeignRecord,
  { url, agent }: { url: string; agent: string | undefined },
  remarks: Remarks,
): ImportedMonitor {
  const method = (site.text("method") ?? "GET").toUpperCase();
  const body = method === "GET" || method === "HEAD" ? undefined : site.text("body");
  const headers = Object.fromEntries(
    site.texts("headers").flatMap((line) => {
      const colon = line.indexOf(":");
      if (colon > 0) return [[line.slice(0, colon).trim(), line.slice(colon + 1).trim()]];
      remarks.stays("a header without a value");
      return [];
    }),
  );
  if (agent) headers["User-Agent"] = agent;
  const statuses = site.texts("expectedStatusCodes").map(Number);
  const isUnverified = ["insecure", "disable_verify_peer", "disable_verify_host"].filter((name) => {
    return site.flag(`__dangerous__${name}`);
  });
  return {
    type: url.startsWith("https:") ? "https" : "http",
    target: url,
    ...(method !== "GET" && { http_method: method }),
    ...(Object.keys(headers).length > 0 && { http_headers: headers }),
    ...(body && { http_body: body }),
    expected_statuses: statuses.length > 0 ? statuses : STATUSES,
    ...(isUnverified.length > 0 && { verify_ssl: false }),
    ...redirectsOf(site.number("maxRedirects"), remarks),
    ...bodyRuleOf(site, remarks),
  };
}

function redirectsOf(most: number | undefined, remarks: Remarks): Partial<ImportedMonitor> {
  if (most === undefined) return {};
  if (most === 0) return { follow_redirects: false };
  return { redirects_max: within(most, [1, REDIRECTS_MAX], (to) => remarks.changes(`follows ${to} redirects here`)) };
}

/** A body is compared once. */
function bodyRuleOf(site: ForeignRecord, remarks: Remarks): Partial<ImportedMonitor> {
  const missing = site.text("__dangerous__body_down_if_text_missing");
  const present = site.text("__dangerous__body_down");
  if (missing && present) remarks.stays(`that it is down where its body has "${present}"`);
  if (missing) return { expected_body: missing };
  return present ? { expected_body: present, expected_body_match_type: "not_contains" } : {};
}
