import { keyFrom } from "../export.ts";
import { CommandFailure } from "../failure.ts";
import {
  basicAuthorization,
  Draft,
  type Imported,
  type ImportedMonitor,
  type ImportOptions,
  INTERVAL,
  type Remarks,
  reverseName,
  TIMEOUT,
  within,
} from "./draft.ts";
import { parseForeignYaml } from "./file.ts";
import { milliseconds } from "./go-duration.ts";
import type { ForeignRecord } from "./record.ts";

/**
 * Targets that Prometheus has its blackbox_exporter probe: the scrape configurations of `prometheus.yml` and the modules of
 * `blackbox.yml`, one after the other in one file.
 * https://github.com/prometheus/blackbox_exporter/blob/master/CONFIGURATION.md
 */

export function importBlackboxExporter(text: string, options: ImportOptions = {}): Imported {
  const root = parseForeignYaml(text, "Prometheus");
  const modules = root.record("modules");
  const jobs = root.records("scrape_configs");
  if (!modules || jobs.length === 0) {
    throw new CommandFailure(
      "the file needs scrape_configs of prometheus.yml and modules of blackbox.yml: join the two",
    );
  }
  const draft = new Draft(options);
  const every = root.record("global")?.text("scrape_interval") ?? "1m";
  const used = new Set<string>();
  for (const job of jobs) addJob(draft, job, { modules, every, used });
  for (const name of modules.names()) {
    const module = modules.record(name);
    if (module && !used.has(name)) draft.leave(module, `module "${name}"`, "no job of the file uses it");
  }
  return draft.finish(root);
}

interface Around {
  modules: ForeignRecord;
  every: string;
  used: Set<string>;
}

function addJob(draft: Draft, job: ForeignRecord, { modules, every, used }: Around): void {
  const name = job.text("job_name") ?? "unnamed";
  const subject = `job "${name}"`;
  const [moduleName] = job.record("params")?.texts("module") ?? [];
  const module = moduleName === undefined ? undefined : modules.record(moduleName);
  if (job.text("metrics_path") !== "/probe" || !module || moduleName === undefined) {
    draft.leave(job, subject, "it probes nothing by a module of the file");
    return;
  }
  const remarks = draft.name(job, subject);
  for (const relabel of job.records("relabel_configs")) readRelabel(relabel, remarks);
  const said = used.has(moduleName)
    ? draft.about(`module "${moduleName}"`)
    : draft.name(module, `module "${moduleName}"`);
  used.add(moduleName);
  const seconds = milliseconds(job.text("scrape_interval") ?? every) / 1000;
  const interval = within(seconds, INTERVAL, (to) => remarks.changes(`interval is ${to} s here`));
  for (const group of job.records("static_configs")) {
    const tags = [name, ...Object.entries(group.dictionary("labels")).map(([label, value]) => `${label}:${value}`)];
    for (const target of group.texts("targets")) {
      const kind = kindOf(module, target, said);
      if (typeof kind === "string") remarks.stays(`${target}: ${kind}`);
      else draft.addMonitor(target, { ...kind, interval, tags }, remarks, keyFrom(`${name}.${target}`));
    }
  }
}

/** Most of them lead the probe to the exporter. */
function readRelabel(relabel: ForeignRecord, remarks: Remarks): void {
  const label = relabel.text("target_label");
  const isUsual = label === undefined || label.startsWith("__") || label === "instance";
  if (!isUsual) remarks.stays(`the label ${label}, which it makes of others`);
  relabel.ignore("source_labels", "replacement", "action", "regex", "separator");
}

/** The reason where nothing here does what the module does. */
function kindOf(module: ForeignRecord, target: string, remarks: Remarks): ImportedMonitor | string {
  const timeout = module.text("timeout");
  const around = timeout
    ? {
        timeout_seconds: within(milliseconds(timeout) / 1000, TIMEOUT, (to) =>
          remarks.changes(`gives up after ${to} s`),
        ),
      }
    : {};
  const bare = target.replace(/^\w+:\/\//, "");
  switch (module.text("prober")) {
    case "http":
      return { ...around, ...httpOf(module.record("http"), target, remarks) };
    case "tcp": {
      const hasTls = module.record("tcp")?.flag("tls");
      return { ...around, type: hasTls ? "ssl" : "tcp", target: bare };
    }
    case "icmp":
      return { ...around, type: "ping", target: bare };
    case "dns":
      return { ...around, ...dnsOf(module.record("dns"), bare) };
    default:
      return `nothing here probes by ${module.text("prober")}`;
  }
}

function dnsOf(dns: ForeignRecord | undefined, server: string): ImportedMonitor {
  const [name, type] = [dns?.text("query_name") ?? "", dns?.text("query_type") ?? "A"];
  return { type: "dns", target: type === "PTR" ? reverseName(name) : name, dns_record_type: type, dns_server: server };
}

function httpOf(http: ForeignRecord | undefined, target: string, remarks: Remarks): ImportedMonitor {
  const url = /^https?:\/\//.test(target) ? target : `http://${target}`;
  const method = (http?.text("method") ?? "GET").toUpperCase();
  const body = method === "GET" || method === "HEAD" ? undefined : http?.text("body");
  const headers = { ...authorizationOf(http), ...http?.dictionary("headers") };
  const statuses = http?.texts("valid_status_codes") ?? [];
  const follows = http?.flag("follow_redirects") !== false && http?.flag("no_follow_redirects") !== true;
  return {
    type: url.startsWith("https:") ? "https" : "http",
    target: url,
    ...(method !== "GET" && { http_method: method }),
    ...(Object.keys(headers).length > 0 && { http_headers: headers }),
    ...(body && { http_body: body }),
    ...(statuses.length > 0 && { expected_statuses: statuses.map(Number) }),
    ...(!follows && { follow_redirects: false }),
    ...(http?.record("tls_config")?.flag("insecure_skip_verify") && { verify_ssl: false }),
    ...bodyRuleOf(http, remarks),
  };
}

function authorizationOf(http: ForeignRecord | undefined): Record<string, string> {
  const basic = http?.record("basic_auth");
  const authorization = http?.record("authorization");
  const user = basic?.text("username");
  const bearer = http?.text("bearer_token");
  const credentials = authorization?.text("credentials");
  if (user !== undefined) return { Authorization: basicAuthorization(user, basic?.text("password") ?? "") };
  if (bearer !== undefined) return { Authorization: `Bearer ${bearer}` };
  return credentials === undefined
    ? {}
    : { Authorization: `${authorization?.text("type") ?? "Bearer"} ${credentials}` };
}

/** A body is compared once. */
function bodyRuleOf(http: ForeignRecord | undefined, remarks: Remarks): Partial<ImportedMonitor> {
  const wanted = http?.texts("fail_if_body_not_matches_regexp") ?? [];
  const refused = http?.texts("fail_if_body_matches_regexp") ?? [];
  const [first, ...further] = wanted;
  const left = [...further, ...refused];
  if (left.length > 0) remarks.stays(`what it says of bodies besides: ${left.join(", ")}`);
  return first === undefined ? {} : { expected_body: first, expected_body_match_type: "regex" };
}
