import type { Evidence, ProbeResult } from "../contract/check.ts";
import type { HttpCheck } from "../contract/http-check.ts";
import { statusRange } from "../contract/http-fields.ts";
import { type Capture, type JourneyStep, journeySeconds } from "../contract/journey.ts";
import { SECRET_PLACEHOLDER } from "../contract/monitor.ts";
import { fillPlaceholders, formsOf, placeholdersIn, secretNameOf } from "../domain/placeholders.ts";
import { maskTokens } from "../lib/mask-tokens.ts";
import { withTimeoutSignal } from "../lib/with-deadline.ts";
import { classifyError, type ProbeFailure, syntheticFailure } from "../net/faults.ts";
import { discard, readResponseBody } from "../net/http-body.ts";
import type { NetIo, NetResponse } from "../net/port.ts";
import { captureFrom } from "./body-match.ts";
import { CookieJar } from "./cookie-jar.ts";
import { evidenceOf, readExcerpt } from "./evidence.ts";
import { type Answer, explain, follow } from "./http-follow.ts";
import { requestOf } from "./journey-request.ts";
import { assertionProblem, parseJson, valueAtPath } from "./json-assertions.ts";
import type { CheckContext } from "./port.ts";

/**
 * A journey: the steps of an http monitor, one after the other, with the cookies and the captured values of those before.
 * The first step that fails ends it, but for the steps that always run, which clean up; its name begins the message.
 * Values of secrets and captures are only put into requests: what a result says is without them.
 */

/** Redirects included, of all steps together: a journey is as bounded in what it sends as in time. */
const REQUESTS_MAX = 20;
const CAPTURED_MAX = 4096;
/** Shorter captured values are words like "1" or "ok", which hide nothing and occur everywhere. */
const CONFIDENTIAL_MIN = 6;
/** Kept of the whole time for each step that is still to clean up. */
const CLEANUP_SECONDS = 5;
const SHOWN_MAX = 80;
/** Twice what evidence looks at, so that it never begins in the middle of a value. */
const ANSWER_SHOWN_MAX = 8192;

interface Base {
  url: URL;
  authorization: Record<string, string>;
}

interface StepResult {
  /** Why it failed; null where it passed. */
  finding: ProbeFailure | null;
  status_code: number | null;
  latency_ms: number;
  evidence?: Evidence;
  body?: string | null;
}

interface StepReport {
  name: string;
  status: "passed" | "failed" | "skipped";
  status_code?: number;
  latency_ms?: number;
}

export async function runJourney(
  base: Base,
  check: HttpCheck,
  io: NetIo,
  signal: AbortSignal,
  context: CheckContext,
): Promise<ProbeResult> {
  const run = new JourneyRun(base, check, io, context);
  const endsAt = io.now() + journeySeconds(check.steps.length, context.timeout_seconds) * 1000;
  const reports: StepReport[] = [];
  let failed: (StepResult & { finding: ProbeFailure }) | undefined;
  let latency_ms = 0;
  for (const [n, step] of check.steps.entries()) {
    const cleanups = failed ? 0 : check.steps.slice(n + 1).filter(({ always }) => always).length;
    const reservedMs = cleanups * Math.min(CLEANUP_SECONDS, context.timeout_seconds) * 1000;
    const limitMs = Math.min(context.timeout_seconds * 1000, endsAt - io.now() - reservedMs);
    if ((failed && !step.always) || run.lacks(step)) {
      reports.push({ name: step.name, status: "skipped" });
      continue;
    }
    const result = await withTimeoutSignal(Math.max(1, limitMs), (own) =>
      run.take(step, AbortSignal.any([signal, own])),
    );
    const { finding, status_code } = result;
    latency_ms += result.latency_ms;
    reports.push({
      name: step.name,
      status: finding ? "failed" : "passed",
      ...(status_code === null ? {} : { status_code }),
      latency_ms: result.latency_ms,
    });
    if (!finding || failed) continue;
    io.notice?.({ ends: true });
    const message = `step ${n + 1} '${step.name}': ${finding.message}`;
    failed = { ...result, finding: { ...finding, message } };
  }
  const details = { requests: run.requests, steps: reports };
  const conceal = (text: string) => run.mask(text);
  if (!failed) {
    const message = `${check.steps.length} steps passed`;
    return { outcome: "success", message, latency_ms, details, answered: { body: null, conceal } };
  }
  const { finding, evidence, body = null } = failed;
  return { ...finding, latency_ms, details, answered: { body, conceal }, ...(evidence && { evidence }) };
}

class JourneyRun {
  requests = 0;
  readonly #base: Base;
  readonly #check: HttpCheck;
  readonly #io: NetIo;
  readonly #jar: CookieJar;
  readonly #values: Map<string, string>;
  /** In every form in which an answer may repeat them. */
  readonly #confidential = new Set<string>();

  constructor(base: Base, check: HttpCheck, io: NetIo, { secrets }: CheckContext) {
    this.#base = base;
    this.#check = check;
    this.#io = io;
    this.#jar = new CookieJar(() => io.now());
    // The same for all steps, so that the last one finds what the first one made.
    this.#values = new Map([
      ["now", new Date(io.now()).toISOString()],
      ["uuid", io.newId()],
      ...Object.entries(secrets).map(([name, value]): [string, string] => [`secret.${name}`, value]),
    ]);
    for (const value of [...Object.values(secrets), ...Object.values(base.authorization)]) this.#hide(value);
  }

  /** Whether the step names a value that no step has captured, because of a failure. */
  lacks({ url, headers, body }: JourneyStep): boolean {
    const named = [url, body, ...Object.values(headers)].flatMap(placeholdersIn);
    return named.some((name) => !this.#values.has(name) && secretNameOf(name) === null);
  }

  async take(step: JourneyStep, signal: AbortSignal): Promise<StepResult> {
    const io = this.#io;
    const startedAt = io.now();
    const elapsed = () => io.now() - startedAt;
    const request = requestOf(step, { values: this.#values, base: this.#base });
    if (!request.ok) return failedBefore({ outcome: "error", message: this.mask(request.reason) });
    if (this.requests >= REQUESTS_MAX) {
      return failedBefore(failure("status", `the steps before sent ${REQUESTS_MAX} requests, redirects included`));
    }
    for (const value of [...Object.values(step.headers), step.body]) {
      const sent = this.#filled(value);
      this.#hide(sent, CONFIDENTIAL_MIN);
      this.#hide(sent.replace(/^\w+ /, ""), CONFIDENTIAL_MIN);
    }
    const answer = await follow(
      {
        first: request.value,
        verify_tls: this.#check.verify_ssl,
        redirects_max: Math.min(this.#check.redirects_max, REQUESTS_MAX - this.requests - 1),
        follows: (status) =>
          this.#check.follow_redirects && !step.expected_statuses.map(String).includes(String(status)),
        cookies: {
          headerFor: (url) => {
            this.requests += 1;
            return this.#jar.headerFor(url);
          },
          store: (url, headers) => this.#jar.store(url, headers),
        },
        keepsBody: true,
      },
      io,
      { signal, elapsed },
    );
    for (const value of this.#jar.values()) this.#hide(value, CONFIDENTIAL_MIN);
    if ("outcome" in answer) return failedBefore({ ...answer, message: this.mask(answer.message) }, elapsed());
    return this.#judge(step, answer, { signal, elapsed });
  }

  async #judge(
    step: JourneyStep,
    answer: Answer,
    { signal, elapsed }: { signal: AbortSignal; elapsed: () => number },
  ): Promise<StepResult> {
    const { url, response, latency_ms } = answer;
    const refused = statusFinding(step, response);
    const excerpt = refused && (await readExcerpt(response));
    const read = refused ? null : await this.#read(step, answer, { signal, elapsed });
    await discard(response.body);
    const finding = refused ?? read?.finding ?? null;
    const result = { status_code: response.status, latency_ms };
    if (!finding) return { ...result, finding };
    const explained = await explain(finding, { url, verify_tls: this.#check.verify_ssl }, this.#io, signal);
    const answered = read ? read.text : excerpt;
    const body = answered && this.mask(answered.slice(0, ANSWER_SHOWN_MAX));
    return {
      ...result,
      finding: { ...explained, message: this.mask(explained.message) },
      evidence: evidenceOf(response, body),
      body,
    };
  }

  /** Judges the body and captures from the answer; whichever are configured. */
  async #read(
    step: JourneyStep,
    { url, response }: Answer,
    { signal, elapsed }: { signal: AbortSignal; elapsed: () => number },
  ): Promise<{ finding: ProbeFailure | null; text: string | null }> {
    const needsText =
      step.expected_body !== "" ||
      step.json_assertions.length > 0 ||
      step.captures.some(({ from }) => from === "json" || from === "regex");
    try {
      const body = needsText ? await readResponseBody(response.body, response.headers.get("content-type")) : NO_BODY;
      const problem = this.#bodyProblem(step, body) ?? this.#capture(step, { url, headers: response.headers, body });
      return { finding: problem === null ? null : failure("body", problem), text: needsText ? body.text : null };
    } catch (error) {
      return { finding: classifyError(error, signal, elapsed()), text: null };
    }
  }

  #bodyProblem({ expected_body, json_assertions }: JourneyStep, body: Body): string | null {
    const expected = this.#filled(expected_body);
    if (expected !== "" && !body.text.includes(expected)) return `body does not contain ${shown(expected)}`;
    const assertions = json_assertions.map((assertion) => {
      const { value } = assertion;
      return typeof value === "string" ? { ...assertion, value: this.#filled(value) } : assertion;
    });
    const problem = assertionProblem(assertions, body);
    return problem === null ? null : maskTokens(problem);
  }

  /** The first capture that finds nothing, in words, or null. */
  #capture({ captures }: JourneyStep, found: { url: URL; headers: Headers; body: Body }): string | null {
    for (const capture of captures) {
      const value = this.#valueOf(capture, found);
      if (value === null) return `capture '${capture.name}' found nothing: ${capture.from} ${shown(capture.path)}`;
      if (value.length > CAPTURED_MAX) return `capture '${capture.name}' is longer than ${CAPTURED_MAX} characters`;
      this.#values.set(capture.name, value);
      this.#hide(value, CONFIDENTIAL_MIN);
    }
    return null;
  }

  #valueOf({ from, path }: Capture, { url, headers, body }: { url: URL; headers: Headers; body: Body }): string | null {
    switch (from) {
      case "json": {
        const parsed = body.isCut ? null : parseJson(body.text);
        const value = parsed?.ok ? valueAtPath(parsed.value, path) : undefined;
        return ["string", "number", "boolean"].includes(typeof value) ? String(value) : null;
      }
      case "header":
        return headers.get(path);
      case "cookie":
        return this.#jar.valueFor(url, path);
      case "regex":
        return captureFrom(path, body.text);
    }
  }

  /** What is not known was refused before, where the request is made. */
  #filled(text: string): string {
    const filled = fillPlaceholders(text, this.#values, "none");
    return filled.ok ? filled.text : text;
  }

  #hide(value: string, lengthMin = 1): void {
    if (value.length < lengthMin) return;
    for (const form of formsOf(value)) if (form !== "") this.#confidential.add(form);
  }

  mask(text: string): string {
    const longestFirst = [...this.#confidential].sort((a, b) => b.length - a.length);
    return longestFirst.reduce((masked, value) => masked.replaceAll(value, SECRET_PLACEHOLDER), text);
  }
}

interface Body {
  text: string;
  isCut: boolean;
}
const NO_BODY: Body = { text: "", isCut: false };

function statusFinding({ expected_statuses }: JourneyStep, response: NetResponse): ProbeFailure | null {
  const wanted = expected_statuses.length > 0 ? expected_statuses : ["200-299"];
  const ranges = wanted.map(statusRange);
  if (ranges.some((range) => range && response.status >= range.from && response.status <= range.to)) return null;
  const expected = expected_statuses.length > 0 ? expected_statuses.join(" or ") : "a 2xx";
  return (
    syntheticFailure(response.status, response.headers) ??
    failure("status", `status ${response.status}, expected ${expected}`)
  );
}

function failure(cause: "status" | "body", message: string): ProbeFailure {
  return { outcome: "failure", cause, message };
}

/** Of a step that has no answer. */
function failedBefore(finding: ProbeFailure, latency_ms = 0): StepResult {
  return { finding, status_code: null, latency_ms };
}

function shown(text: string): string {
  return JSON.stringify(text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text);
}
