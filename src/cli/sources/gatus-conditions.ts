import { DAY_MS } from "../../lib/durations.ts";
import { type ImportedMonitor, type Remarks, scalarOf, within } from "./draft.ts";
import { milliseconds } from "./go-duration.ts";

/** The conditions of Gatus, as the expectations of a monitor or of the step of a journey. */

type Expectations = Pick<ImportedMonitor, "type"> & Record<string, unknown>;

const CONDITION = /^(.+?) (==|!=|<=|>=|<|>) (.+)$/;
/** True of every monitor that is up. */
const IMPLIED = new Set(["[CONNECTED] == true", "[DNS_RCODE] == NOERROR"]);
const ASSERTIONS_MAX = 20;
const STATUSES_MAX = 20;
const EXPECTED_MAX = 20;

export function importConditions(monitor: Expectations, conditions: readonly string[], remarks: Remarks): void {
  const statuses: ((status: number) => boolean)[] = [];
  for (const condition of conditions.map((text) => text.trim())) {
    if (IMPLIED.has(condition)) continue;
    const [, subject = "", operator = "", value = ""] = CONDITION.exec(condition) ?? [];
    if (subject === "[STATUS]" && monitor.type !== "dns") {
      const test = statusTest(operator, value);
      if (test) statuses.push(test);
      else remarks.stays(`its condition "${condition}"`);
    } else if (subject === "[RESPONSE_TIME]") importResponseTime(monitor, { condition, operator, value }, remarks);
    else if (subject === "[CERTIFICATE_EXPIRATION]" && importCertificate(monitor, { operator, value }, remarks))
      continue;
    else if (subject === "[CERTIFICATE_EXPIRATION]" || subject === "[DOMAIN_EXPIRATION]") {
      const type = subject === "[DOMAIN_EXPIRATION]" ? "domain" : "ssl";
      remarks.stays(`its condition "${condition}": a monitor of type ${type} says that`);
    } else if (!importBody(monitor, { subject, operator, value })) remarks.stays(`its condition "${condition}"`);
  }
  settleStatuses(monitor, statuses, remarks);
}

interface Condition {
  subject: string;
  operator: string;
  value: string;
}

const PATTERN = /^pat\((.*)\)$/;
const ANY = /^any\((.*)\)$/;

/** What a value of `==` and `!=` allows: alternatives, each a text or a pattern. */
function alternativesOf(value: string): string[] {
  return (ANY.exec(value)?.[1]?.split(",") ?? [value]).map((each) => each.trim());
}

/** `*` and `?` of a pattern; everything else stands for itself. */
function regexOf(alternative: string): string {
  const pattern = PATTERN.exec(alternative)?.[1];
  const escaped = (pattern ?? alternative).replace(/[.+^${}()|[\]\\/-]/g, "\\$&");
  if (pattern === undefined) return escaped.replace(/[*?]/g, "\\$&");
  return escaped.replace(/\*/g, "[\\s\\S]*").replace(/\?/g, "[\\s\\S]");
}

function matches(pattern: string, text: string): boolean {
  const rest = pattern.slice(1);
  if (pattern === "") return text === "";
  if (pattern[0] === "*") return matches(rest, text) || (text !== "" && matches(pattern, text.slice(1)));
  return text !== "" && (pattern[0] === "?" || pattern[0] === text[0]) && matches(rest, text.slice(1));
}

function statusTest(operator: string, value: string): ((status: number) => boolean) | null {
  if (operator === "==" || operator === "!=") {
    const alternatives = alternativesOf(value);
    if (!alternatives.every((each) => /^(\d{3}|pat\([\d*?]{1,8}\))$/.test(each))) return null;
    const patterns = alternatives.map((each) => PATTERN.exec(each)?.[1] ?? each);
    return (status) => patterns.some((pattern) => matches(pattern, String(status))) === (operator === "==");
  }
  if (!/^\d{1,4}$/.test(value)) return null;
  const limit = Number(value);
  const tests: Record<string, (status: number) => boolean> = {
    "<": (status) => status < limit,
    "<=": (status) => status <= limit,
    ">": (status) => status > limit,
    ">=": (status) => status >= limit,
  };
  return tests[operator] ?? null;
}

/** All of them hold at once; without any, Gatus is content with every answer. */
function settleStatuses(
  monitor: Expectations,
  tests: readonly ((status: number) => boolean)[],
  remarks: Remarks,
): void {
  if (monitor.type !== "http" && monitor.type !== "https") return;
  const allowed = Array.from({ length: 500 }, (_, n) => n + 100).filter((status) =>
    tests.every((test) => test(status)),
  );
  const ranges = rangesOf(allowed);
  if (ranges.length === 0 || ranges.length > STATUSES_MAX) {
    remarks.stays("its conditions of [STATUS], of which no list can be made");
    return;
  }
  monitor.expected_statuses = ranges.map(([from, to]) => (from === to ? from : `${from}-${to}`));
}

function rangesOf(statuses: readonly number[]): [number, number][] {
  const ranges: [number, number][] = [];
  for (const status of statuses) {
    const last = ranges.at(-1);
    if (last?.[1] === status - 1) last[1] = status;
    else ranges.push([status, status]);
  }
  return ranges;
}

function importCertificate(
  monitor: Expectations,
  { operator, value }: { operator: string; value: string },
  remarks: Remarks,
): boolean {
  const isWeb = monitor.type === "http" || monitor.type === "https";
  const days = milliseconds(value) / DAY_MS;
  if (!isWeb || !operator.startsWith(">") || days <= 0) return false;
  monitor.certificate_days_min = within(Math.ceil(days), [1, 365], (to) => remarks.changes(`${to} days, not ${days}`));
  return true;
}

function importResponseTime(
  monitor: Expectations,
  { condition, operator, value }: { condition: string; operator: string; value: string },
  remarks: Remarks,
): void {
  const [, count, unit = "ms"] = /^(\d+)(ms|s|m)?$/.exec(value) ?? [];
  const limit = Number(count) * (unit === "s" ? 1000 : unit === "m" ? 60_000 : 1);
  if (count === undefined || !operator.startsWith("<") || limit < 1 || limit > 60_000) {
    remarks.stays(`its condition "${condition}"`);
    return;
  }
  monitor.latency_threshold_ms = Math.min(limit, Number(monitor.latency_threshold_ms ?? limit));
  remarks.changes(`"${condition}": slower is degraded here, not down`);
}

/** False where the monitor cannot say it, or says something else of its body by now. */
function importBody(monitor: Expectations, condition: Condition): boolean {
  const { subject, operator, value } = condition;
  if (monitor.type === "dns") return subject === "[BODY]" && operator === "==" && importRecords(monitor, value);
  if (monitor.type !== "http" && monitor.type !== "https") return false;
  if (subject === "[BODY]") return importWholeBody(monitor, operator, value);
  const exists = /^has\(\[BODY\]([.[].+)\)$/.exec(subject)?.[1];
  if (exists !== undefined && (value === "true" || value === "false")) {
    const isWanted = (operator === "==") === (value === "true");
    return addAssertion(monitor, { path: `$${exists}`, operator: "exists", value: isWanted });
  }
  const path = /^\[BODY\]([.[].+)$/.exec(subject)?.[1];
  if (path === undefined || ANY.test(value)) return false;
  const pattern = PATTERN.exec(value)?.[1];
  if (pattern !== undefined) {
    const inner = /^\*([^*?]+)\*$/.exec(pattern)?.[1];
    if (inner === undefined || operator !== "==") return false;
    return addAssertion(monitor, { path: `$${path}`, operator: "contains", value: inner });
  }
  const scalar = scalarOf(value);
  if (/[<>]/.test(operator) && typeof scalar !== "number") return false;
  return addAssertion(monitor, { path: `$${path}`, operator, value: scalar });
}

const PATH = /^\$(\.[A-Za-z_][\w-]*|\[\d{1,6}\])+$/;

function addAssertion(
  monitor: Expectations,
  assertion: { path: string; operator: string; value: string | number | boolean },
): boolean {
  const present = (monitor.json_assertions as object[] | undefined) ?? [];
  if (!PATH.test(assertion.path) || present.length === ASSERTIONS_MAX) return false;
  monitor.json_assertions = [...present, assertion];
  return true;
}

/** The answer of a name server is one of these. */
function importRecords(monitor: Expectations, value: string): boolean {
  const alternatives = alternativesOf(value);
  const isTaken = monitor.dns_expected !== undefined || alternatives.some((each) => PATTERN.test(each));
  if (isTaken || alternatives.length > EXPECTED_MAX) return false;
  monitor.dns_expected = alternatives;
  if (alternatives.length > 1) monitor.dns_match_type = "any";
  return true;
}

/** A body is compared once; further words that it has to hold are keywords. */
function importWholeBody(monitor: Expectations, operator: string, value: string): boolean {
  const word = /^pat\(\*([^*?]+)\*\)$/.exec(value)?.[1];
  const isFree = monitor.expected_body === undefined;
  if (word !== undefined && (operator === "==" || operator === "!=")) {
    if (isFree) {
      monitor.expected_body = word;
      if (operator === "!=") monitor.expected_body_match_type = "not_contains";
      return true;
    }
    if (operator === "!=" || word.includes(",") || word.trim() !== word) return false;
    monitor.expected_keywords = [monitor.expected_keywords, word].filter((each) => each !== undefined).join(",");
    return true;
  }
  if (operator !== "==" || !isFree) return false;
  const isPlain = !ANY.test(value) && !PATTERN.test(value);
  const body = isPlain ? value : `^(?:${alternativesOf(value).map(regexOf).join("|")})$`;
  Object.assign(monitor, { expected_body: body, expected_body_match_type: isPlain ? "exact" : "regex" });
  return true;
}
