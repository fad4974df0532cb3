import type { ProbeResult } from "../contract/check.ts";
import { type DegradedWhen, formOf, HttpCheck } from "../contract/http-check.ts";
import { statusRange } from "../contract/http-fields.ts";
import { journeySeconds } from "../contract/journey.ts";
import { formatMilliseconds } from "../lib/duration-format.ts";
import { maskTokens } from "../lib/mask-tokens.ts";
import type { Parsed } from "../lib/parse-result.ts";
import { classifyError, type ProbeFailure, resultOf, syntheticFailure } from "../net/faults.ts";
import { discard, readResponseBody } from "../net/http-body.ts";
import type { NetIo, NetResponse } from "../net/port.ts";
import { bodyMet, bodyProblem, needsBody, patternProblem } from "./body-match.ts";
import { conceal, evidenceOf, readExcerpt } from "./evidence.ts";
import { type Course, explain, follow, tlsTargetOf } from "./http-follow.ts";
import { runJourney } from "./journey.ts";
import { addressOf, checkSteps } from "./journey-rules.ts";
import { assertionMet, assertionProblem, headerMet, headerProblem, pathProblem } from "./json-assertions.ts";
import type { CheckContext, Probe } from "./port.ts";

const options = HttpCheck.superRefine((check, ctx) => {
  checkSteps(check.steps, ctx);
  for (const { path } of check.json_assertions) {
    const problem = pathProblem(path);
    if (problem) ctx.addIssue({ code: "custom", message: `json_assertions ${problem}`, path: ["json_assertions"] });
  }
  if (check.expected_body_match_type === "regex") {
    const problem = patternProblem(check.expected_body);
    if (problem) ctx.addIssue({ code: "custom", message: `expected_body ${problem}`, path: ["expected_body"] });
  }
  const problem = check.degraded_when && slowProblem(check.degraded_when);
  if (problem) ctx.addIssue({ code: "custom", message: `degraded_when ${problem}`, path: ["degraded_when"] });
});

function slowProblem({ body, body_match_type, json_assertions = [] }: DegradedWhen): string | null {
  if (body_match_type === "regex" && body !== undefined && patternProblem(body)) return patternProblem(body);
  return json_assertions.map(({ path }) => pathProblem(path)).find((problem) => problem !== null) ?? null;
}

/** Choice: an http monitor may also watch an https address, an https monitor nothing else. */
export const httpProbe: Probe<URL, HttpCheck> = {
  type: "http",
  needs: ["http"],
  timeout_seconds: 10,
  options,
  parseTarget: (text) => parseTarget(text, "http"),
  destination: (target) => splitCredentials(target).url,
  requests: (target, { steps }) => steps.flatMap(({ url }) => addressOf(url, target.origin) ?? []),
  secondsMax: ({ steps }, timeoutSeconds) =>
    steps.length === 0 ? timeoutSeconds : journeySeconds(steps.length, timeoutSeconds),
  judgeCertificate: (result, { certificate_days_min, degraded_when }, daysLeft) => {
    const days = Math.max(0, Math.floor(daysLeft));
    const left = `${days} ${days === 1 ? "day" : "days"} left of the certificate`;
    if (certificate_days_min !== null && daysLeft < certificate_days_min) {
      const message = `${left}, fewer than ${certificate_days_min}`;
      return { ...result, outcome: "failure", cause: "tls", message };
    }
    const warned = degraded_when?.certificate_days;
    if (result.outcome !== "success" || warned === undefined || daysLeft >= warned) return null;
    return degradedBy(result, `${left}, fewer than ${warned}`);
  },
  certificateAt: (target) => (target.protocol === "https:" ? tlsTargetOf(target) : null),
  check: (target, check, io, signal, context) =>
    check.steps.length === 0
      ? checkOnce(target, check, io, signal, context)
      : runJourney(splitCredentials(target), check, io, signal, context),
};

export const httpsProbe: Probe<URL, HttpCheck> = {
  ...httpProbe,
  type: "https",
  parseTarget: (text) => parseTarget(text, "https"),
};

function parseTarget(text: string, scheme: "http" | "https"): Parsed<URL> {
  const trimmed = text.trim();
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed) ? trimmed : `${scheme}://${trimmed}`;
  if (trimmed === "" || /\s/.test(trimmed) || !URL.canParse(address)) return { ok: false, reason: "must be a URL" };
  const url = new URL(address);
  const problem = credentialsProblem(url);
  if (problem) return { ok: false, reason: problem };
  if (url.protocol === "https:" || (scheme === "http" && url.protocol === "http:")) return { ok: true, value: url };
  const wanted = scheme === "http" ? "http:// or https://" : "https://";
  return { ok: false, reason: `must start with ${wanted}` };
}

/** A user name alone is refused because it would stand in clear where a password is hidden. */
function credentialsProblem({ username, password }: URL): string | null {
  if (username === "" && password === "") return null;
  if (username === "" || password === "") return "must name a user and a password, or neither";
  try {
    decodeURIComponent(username + password);
    return null;
  } catch {
    return "has a user name or password that is not valid";
  }
}

/** What stands before the host goes into a header, as RFC 7617 says it; nothing on the way takes it in an address. */
function splitCredentials(target: URL): { url: URL; authorization: Record<string, string> } {
  if (target.username === "") return { url: target, authorization: {} };
  const url = new URL(target);
  url.username = "";
  url.password = "";
  const pair = `${decodeURIComponent(target.username)}:${decodeURIComponent(target.password)}`;
  const bytes = new TextEncoder().encode(pair);
  return { url, authorization: { authorization: `Basic ${btoa(String.fromCharCode(...bytes))}` } };
}

async function checkOnce(
  target: URL,
  check: HttpCheck,
  io: NetIo,
  signal: AbortSignal,
  { observes }: CheckContext,
): Promise<ProbeResult> {
  const startedAt = io.now();
  const elapsed = () => io.now() - startedAt;
  const answer = await follow(courseOf(target, check), io, { signal, elapsed });
  if ("outcome" in answer) return resultOf(answer);
  const { url, response, latency_ms, redirects } = answer;
  const details = { status_code: response.status, redirects };
  const isRead = needsBody(check);
  const accepted = statusMet(response, check);
  const refused = (accepted ? null : statusFinding(response, check)) ?? headersFinding(response, check);
  const read = refused || !isRead ? null : await bodyFinding(response, check, signal, elapsed);
  const excerpt = refused || (observes && !read) ? await readExcerpt(response) : null;
  await discard(response.body);
  const finding = refused ?? read?.finding;
  const hide = (text: string) => conceal(text, secretsOf(target, check));
  const answered = { body: read ? read.text : excerpt, conceal: hide };
  if (!finding) {
    const success = { outcome: "success", message: `HTTP ${response.status}`, latency_ms, details, answered } as const;
    const slow = accepted ?? slowFinding(check.degraded_when, response, read);
    return slow === null ? success : degradedBy(success, hide(slow));
  }
  const explained = await explain(finding, { url, verify_tls: check.verify_ssl }, io, signal);
  const message = hide(explained.message);
  const evidence = evidenceOf(response, answered.body && hide(answered.body));
  return { ...explained, message, latency_ms, details, evidence, answered };
}

/** What the request carried in confidence: a server may repeat it in its answer. */
function secretsOf(target: URL, check: HttpCheck): string[] {
  const values = Object.values({ ...splitCredentials(target).authorization, ...check.http_headers });
  return [
    ...values,
    ...values.map((value) => value.replace(/^\w+ /, "")),
    decodeURIComponent(target.password),
    check.http_body,
    ...(check.http_body_type === "form" ? formValues(check.http_body) : []),
  ];
}

/** A server answers with single fields of a form, in clear or as they were sent. */
function formValues(lines: string): string[] {
  const fields = new URLSearchParams(formOf(lines) ?? "");
  return [...fields.values()].flatMap((value) => [value, encodeURIComponent(value)]);
}

/** Where the check begins, and how far redirects lead. */
function courseOf(target: URL, check: HttpCheck): Course {
  const { url, authorization } = splitCredentials(target);
  const named = new Set(Object.keys(check.http_headers).map((name) => name.toLowerCase()));
  const isForm = check.http_body_type === "form" && check.http_body !== "";
  return {
    first: {
      url,
      method: check.http_method,
      headers: {
        ...(!named.has("authorization") && authorization),
        ...(isForm && !named.has("content-type") && { "content-type": "application/x-www-form-urlencoded" }),
        ...check.http_headers,
      },
      body: check.http_body === "" ? null : isForm ? formOf(check.http_body) : check.http_body,
    },
    verify_tls: check.verify_ssl,
    redirects_max: check.redirects_max,
    follows: (status) => check.follow_redirects && !namesStatus(check, status),
  };
}

/** Choice: a redirect status that is expected by its very number ends the chain, else it could never be met. */
function namesStatus(check: HttpCheck, status: number): boolean {
  return check.expected_status === status || check.expected_statuses.some((entry) => String(entry) === String(status));
}

function statusFinding(response: NetResponse, check: HttpCheck): ProbeFailure | null {
  const expected = [...(check.expected_status === null ? [] : [check.expected_status]), ...check.expected_statuses];
  const ranges = (expected.length > 0 ? expected : ["200-299"]).map(statusRange);
  if (ranges.some((range) => range && response.status >= range.from && response.status <= range.to)) return null;
  const wanted = expected.length > 0 ? expected.join(" or ") : "a 2xx";
  return (
    syntheticFailure(response.status, response.headers) ?? {
      outcome: "failure",
      cause: "status",
      message: `HTTP ${response.status} instead of ${wanted}`,
    }
  );
}

/** A status that is taken for a slow answer, regardless of the other expectations. */
function statusMet({ status }: NetResponse, { degraded_when }: HttpCheck): string | null {
  const ranges = degraded_when?.statuses?.map(statusRange) ?? [];
  return ranges.some((range) => range && status >= range.from && status <= range.to) ? `status ${status}` : null;
}

function headersFinding({ headers }: NetResponse, { expected_headers }: HttpCheck): ProbeFailure | null {
  const problem = expected_headers.map((claim) => headerProblem(claim, headers)).find((each) => each !== null);
  return problem ? { outcome: "failure", cause: "protocol", message: problem } : null;
}

/** Why an answer that is as expected is a slow one. */
function slowFinding(slow: DegradedWhen | null, { headers }: NetResponse, read: ReadBody | null): string | null {
  if (slow === null) return null;
  const { download_ms } = slow;
  const body = read?.body ?? null;
  if (read && download_ms !== undefined && read.download_ms > download_ms) {
    return `the body took ${formatMilliseconds(read.download_ms)}, limit ${formatMilliseconds(download_ms)}`;
  }
  return (
    headerMet(slow.headers ?? [], headers) ??
    (body && (bodyMet(slow, body) ?? assertionMet(slow.json_assertions ?? [], body)))
  );
}

function degradedBy(result: ProbeResult, reason: string): ProbeResult {
  return { ...result, outcome: "slow", message: `${result.message}, degraded: ${reason}` };
}

interface ReadBody {
  finding: ProbeFailure | null;
  text: string | null;
  body: { text: string; isCut: boolean } | null;
  download_ms: number;
}

async function bodyFinding(
  response: NetResponse,
  check: HttpCheck,
  signal: AbortSignal,
  elapsed: () => number,
): Promise<ReadBody> {
  const startedAt = elapsed();
  try {
    const body = await readResponseBody(response.body, response.headers.get("content-type"));
    const problem = bodyProblem(check, body) ?? assertionProblem(check.json_assertions, body);
    const finding: ProbeFailure | null =
      problem === null ? null : { outcome: "failure", cause: "body", message: maskTokens(problem) };
    return { finding, text: body.text, body, download_ms: elapsed() - startedAt };
  } catch (error) {
    return { finding: classifyError(error, signal, elapsed()), text: null, body: null, download_ms: 0 };
  }
}
