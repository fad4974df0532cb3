import { isHttpsUrl } from "../../contract/status-page.ts";
import { CommandFailure } from "../failure.ts";
import {
  Draft,
  type Imported,
  type ImportedMonitor,
  type ImportOptions,
  INTERVAL,
  pageSlug,
  type Remarks,
  scalarOf,
  THRESHOLD,
  TIMEOUT,
  within,
} from "./draft.ts";
import { parseForeignJson, parseForeignYaml } from "./file.ts";
import { milliseconds } from "./go-duration.ts";
import type { ForeignRecord } from "./record.ts";

/**
 * Monitors of OpenStatus, from `openstatus.yaml` of its command line, or from what `GET /v1/monitor` answers; with the
 * answer of `GET /v1/page` in one object, pages, too.
 * https://github.com/openstatusHQ/cli/blob/main/internal/config/monitor.go
 * https://github.com/openstatusHQ/openstatus/blob/main/apps/server/src/routes/v1/monitors/schema.ts
 */

const SLOW: [number, number] = [1, 60_000];
const BANDS: Readonly<Record<string, (target: number) => [from: number, to: number]>> = {
  eq: (target) => [target, target],
  gt: (target) => [target + 1, 599],
  gte: (target) => [target, 599],
  lt: (target) => [100, target - 1],
  lte: (target) => [100, target],
};
const OPERATORS: Readonly<Record<string, string>> = { eq: "eq", not_eq: "neq", contains: "contains" };

export function importOpenStatus(text: string, options: ImportOptions = {}): Imported {
  const isJson = /^\s*[[{]/.test(text);
  const root = isJson ? parseForeignJson(text, "OpenStatus", "monitors") : parseForeignYaml(text, "OpenStatus");
  const isOfApi = isJson && root.records("monitors").length > 0;
  const monitors = isOfApi ? root.records("monitors") : root.names().flatMap((id) => root.record(id) ?? []);
  const known = monitors.filter((record) => record.text(isOfApi ? "url" : "kind") !== undefined);
  if (known.length === 0) throw new CommandFailure("the file is no openstatus.yaml: it has no monitors");
  const draft = new Draft(options);
  const keys = new Map<string, string>();
  for (const record of known) {
    const key = addMonitor(draft, record);
    if (key !== null) keys.set(record.text("id") ?? "", key);
  }
  if (isOfApi) for (const page of root.records("pages")) addPage(draft, page, keys);
  if (known.some((record) => record.texts("regions").length > 0))
    draft.about("monitors").stays("regions that check: choose regions anew");
  return draft.finish(root);
}

function addMonitor(draft: Draft, record: ForeignRecord): string | null {
  const request = record.record("request") ?? record;
  const url = request.text("url") ?? "";
  const name = record.text("name") ?? (url || "unnamed");
  const subject = `monitor "${name}"`;
  const remarks = draft.name(record, subject);
  // How its own lists show it; pages say which monitors they show.
  record.ignore("id", "public");
  const kind = kindOf(record, request, remarks);
  if (typeof kind === "string") {
    draft.leave(record, subject, kind);
    return null;
  }
  const every = record.text("frequency") ?? record.text("periodicity") ?? "10m";
  const interval = within(milliseconds(every) / 1000, INTERVAL, (to) => remarks.changes(`interval is ${to} s here`));
  const [slow, timeout, retries] = [record.number("degradedAfter"), record.number("timeout"), record.number("retry")];
  const external = record.text("externalName");
  if (external !== undefined && external !== name) remarks.changes(`visitors read "${name}", not "${external}"`);
  const monitor: ImportedMonitor = {
    ...kind,
    interval,
    ...(slow && { latency_threshold_ms: within(slow, SLOW, (to) => remarks.changes(`slow from ${to} ms`)) }),
    ...(timeout && {
      timeout_seconds: Math.min(
        interval,
        within(timeout / 1000, TIMEOUT, (to) => remarks.changes(`gives up after ${to} s here`)),
      ),
    }),
    ...(retries !== undefined && { failure_threshold: within(retries + 1, THRESHOLD, () => {}) }),
    ...(record.flag("active") === false && { paused: true }),
  };
  return draft.addMonitor(name, monitor, remarks);
}

/** The reason where nothing here does what it does. */
function kindOf(record: ForeignRecord, request: ForeignRecord, remarks: Remarks): ImportedMonitor | string {
  const type = record.text("kind") ?? record.text("jobType") ?? "http";
  const url = request.text("url") ?? "";
  switch (type) {
    case "http":
      return httpOf(record, { request, url }, remarks);
    case "tcp": {
      const [host, port] = [request.text("host"), request.text("port")];
      // Its API fills these in for every type.
      if (request === record) request.ignore("method", "body", "headers", "followRedirects");
      return { type: "tcp", target: host === undefined ? url.replace(/^\w+:\/\//, "") : `${host}:${port}` };
    }
    case "dns":
      request.ignore("method", "body", "headers", "followRedirects");
      return dnsOf(record, url, remarks);
    case "icmp":
      request.ignore("method", "body", "headers", "followRedirects");
      return { type: "ping", target: url.replace(/^\w+:\/\//, "") };
    default:
      return `nothing here does what its monitors of type ${type} do`;
  }
}

/** Records of one type are one monitor. */
function dnsOf(record: ForeignRecord, url: string, remarks: Remarks): ImportedMonitor {
  const assertions = assertionsOf(record);
  const first = assertions.find(({ type }) => type === "dnsRecord");
  const expected = assertions.filter(({ type, key, compare, target }) => {
    if (type === "dnsRecord" && key === first?.key && ["eq", "contains"].includes(compare)) return true;
    remarks.stays(`its assertion ${type} ${key} ${compare} "${target}"`);
    return false;
  });
  return {
    type: "dns",
    target: url.replace(/^\w+:\/\//, ""),
    ...(first && { dns_record_type: first.key }),
    ...(expected.length > 0 && { dns_expected: expected.map(({ target }) => target) }),
  };
}

interface Assertion {
  type: string;
  compare: string;
  key: string;
  target: string;
}

function assertionsOf(record: ForeignRecord): Assertion[] {
  return record.records("assertions").map((assertion) => ({
    type: assertion.text("kind") ?? assertion.text("type") ?? "",
    compare: assertion.text("compare") ?? "eq",
    key: assertion.text("key") ?? "",
    target: assertion.text("target") ?? "",
  }));
}

function httpOf(
  record: ForeignRecord,
  { request, url }: { request: ForeignRecord; url: string },
  remarks: Remarks,
): ImportedMonitor {
  const method = (request.text("method") ?? "GET").toUpperCase();
  const body = method === "GET" || method === "HEAD" ? undefined : request.text("body");
  const headers = headersOf(request);
  return {
    type: url.startsWith("https:") ? "https" : "http",
    target: url,
    ...(method !== "GET" && { http_method: method }),
    ...(Object.keys(headers).length > 0 && { http_headers: headers }),
    ...(body && { http_body: body }),
    ...(request.flag("followRedirects") === false && { follow_redirects: false }),
    ...expectationsOf(record, method, remarks),
  };
}

/** A dictionary in its file, a list of its API. */
function headersOf(request: ForeignRecord): Record<string, string> {
  const listed = request.records("headers").flatMap((header) => {
    const [name, value] = [header.text("key"), header.text("value") ?? ""];
    return name === undefined ? [] : [[name, value]];
  });
  return { ...request.dictionary("headers"), ...Object.fromEntries(listed) };
}

/** All of them hold at once; without one of the status, it has to be a 2xx. */
function expectationsOf(record: ForeignRecord, method: string, remarks: Remarks): Partial<ImportedMonitor> {
  const found: Partial<ImportedMonitor> = {};
  const headers: object[] = [];
  let [from, to] = [200, 299];
  let hasStatus = false;
  for (const { type, compare, key, target } of assertionsOf(record)) {
    const band = BANDS[compare]?.(Number(target));
    const operator = OPERATORS[compare];
    if ((type === "status" || type === "statusCode") && band) {
      [from, to] = hasStatus ? [Math.max(from, band[0]), Math.min(to, band[1])] : band;
      hasStatus = true;
    } else if (type === "header" && key !== "" && (operator !== undefined || compare.endsWith("empty"))) {
      headers.push(
        operator === undefined
          ? { name: key, operator: "exists", value: compare === "not_empty" }
          : { name: key, operator, value: scalarOf(target) },
      );
    } else if (
      type === "textBody" &&
      method !== "HEAD" &&
      !("expected_body" in found) &&
      bodyRuleOf(compare) !== null
    ) {
      Object.assign(found, { expected_body: target, expected_body_match_type: bodyRuleOf(compare) });
    } else
      remarks.stays(`its assertion ${[type, key, compare, `"${target}"`].filter((each) => each !== "").join(" ")}`);
  }
  if (from > to || from < 100 || to > 599) remarks.stays("its assertions of the status, which no status meets");
  else found.expected_statuses = [from === to ? from : `${from}-${to}`];
  return { ...found, ...(headers.length > 0 && { expected_headers: headers }) };
}

function bodyRuleOf(compare: string): string | null {
  return { contains: "contains", not_contains: "not_contains", eq: "exact" }[compare] ?? null;
}

function addPage(draft: Draft, record: ForeignRecord, keys: ReadonlyMap<string, string>): void {
  const name = record.text("title") ?? record.text("slug") ?? "Status";
  const slug = pageSlug(record.text("slug") ?? name);
  const remarks = draft.name(record, `status page "${name}"`);
  const [description, domain, icon] = [record.text("description"), record.text("customDomain"), record.text("icon")];
  record.ignore("id", "showMonitorValues");
  if (domain !== undefined) remarks.stays(`its domain ${domain}: add it to the page once its name leads here`);
  const access = record.text("accessType") ?? "public";
  const isOpen = access === "public" && record.flag("passwordProtected") !== true;
  record.ignore("passwordProtected");
  if (!isOpen)
    remarks.changes(`visitors needed ${access === "public" ? "password" : access}: it is not public until you set one`);
  draft.manifest.status_pages[slug] = {
    name,
    ...(description && { description }),
    ...(icon !== undefined && isHttpsUrl(icon) && { favicon_url: icon }),
    ...(!isOpen && { is_public: false }),
  };
  for (const id of shownOn(record)) {
    const key = keys.get(id);
    const monitor = draft.manifest.monitors[key ?? ""];
    if (key === undefined || !monitor) remarks.stays(`its monitor ${id}, which does not come`);
    else if (monitor.status_page !== undefined)
      remarks.stays(`monitor "${monitor.name}": a monitor is on one page here`);
    else {
      monitor.status_page = slug;
      draft.placeLast(key);
    }
  }
}

/** Ids, in the order in which they are shown. */
function shownOn(record: ForeignRecord): string[] {
  const listed = record.records("monitors").map((item) => {
    return { id: item.text("monitorId") ?? "", order: item.number("order") ?? 0 };
  });
  return [...record.texts("monitors"), ...[...listed].sort((a, b) => a.order - b.order).map(({ id }) => id)];
}
