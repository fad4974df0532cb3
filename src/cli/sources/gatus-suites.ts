import { type Draft, type ImportedMonitor, type Remarks, TIMEOUT, within } from "./draft.ts";
import { importConditions } from "./gatus-conditions.ts";
import { intervalOf, nameOf, readBody, readCommon } from "./gatus-endpoint.ts";
import { milliseconds } from "./go-duration.ts";
import type { ForeignRecord } from "./record.ts";

/** A suite of Gatus is a journey: requests one after the other that hand values on. */

const STEPS_MAX = 10;
const STEP_FIELDS = ["expected_statuses", "json_assertions"];

/** Its key, or null where it does not come. */
export function addSuite(draft: Draft, suite: ForeignRecord): string | null {
  const { name, key } = nameOf(suite);
  const subject = `suite "${name}"`;
  const remarks = draft.name(suite, subject);
  const endpoints = suite.records("endpoints");
  const context = suite.dictionary("context");
  const first = fill(endpoints[0]?.text("url") ?? "", context);
  const scheme = /^https?(?=:)/.exec(first)?.[0];
  if (scheme !== "http" && scheme !== "https") {
    draft.leave(suite, subject, "a journey begins with a request over HTTP");
    return null;
  }
  if (endpoints.length > STEPS_MAX) {
    draft.leave(suite, subject, `a journey has at most ${STEPS_MAX} steps`);
    return null;
  }
  const timeout = suite.text("timeout");
  const monitor: ImportedMonitor = {
    type: scheme,
    target: URL.parse(first)?.origin ?? first,
    interval: intervalOf(suite, "10m", remarks),
    ...(timeout && {
      timeout_seconds: within(milliseconds(timeout) / 1000, TIMEOUT, (to) => remarks.changes(`a step takes ${to} s`)),
    }),
    ...readCommon(suite, remarks),
    steps: endpoints.map((endpoint, n) => {
      const step = endpoint.text("name") ?? `step ${n + 1}`;
      return stepOf(endpoint, step, context, draft.name(endpoint, `${subject}, "${step}"`));
    }),
  };
  return draft.addMonitor(name, monitor, remarks, key);
}

function stepOf(record: ForeignRecord, name: string, context: Record<string, string>, remarks: Remarks): object {
  const { body, headers } = readBody(record);
  const method = (record.text("method") ?? "GET").toUpperCase();
  const filled = Object.entries(headers).map(([header, value]) => [header, fill(value, context)]);
  return {
    name,
    url: fill(record.text("url") ?? "", context),
    ...(method !== "GET" && { method }),
    ...(filled.length > 0 && { headers: Object.fromEntries(filled) }),
    ...(body && method !== "GET" && { body: fill(body, context) }),
    ...expectationsOf(record, context, remarks),
    ...capturesOf(record, remarks),
    ...(record.flag("always-run") && { always: true }),
  };
}

function expectationsOf(record: ForeignRecord, context: Record<string, string>, remarks: Remarks): object {
  const found: ImportedMonitor = { type: "https" };
  const conditions = record.texts("conditions").map((condition) => fill(condition, context));
  const isFilled = (condition: string) => !condition.includes("{{");
  importConditions(found, conditions.filter(isFilled), remarks);
  for (const condition of conditions) {
    if (!isFilled(condition)) remarks.stays(`its condition "${condition}", which compares with a stored value`);
  }
  const kept = Object.entries(found).filter(([field]) => STEP_FIELDS.includes(field));
  const isWord = found.expected_body_match_type === undefined;
  const hasPlace = [...STEP_FIELDS, "type", ...(isWord ? ["expected_body"] : ["expected_body_match_type"])];
  for (const field of Object.keys(found).filter((name) => !hasPlace.includes(name))) {
    remarks.stays(`what it says of ${field} has no place in a step`);
  }
  return {
    ...Object.fromEntries(kept),
    ...(isWord && found.expected_body !== undefined && { expected_body: found.expected_body }),
  };
}

function capturesOf(record: ForeignRecord, remarks: Remarks): object {
  const captures = Object.entries(record.dictionary("store")).flatMap(([name, value]) => {
    const path = /^\[BODY\](([.[]).+)$/.exec(value)?.[1];
    if (path !== undefined && /^[A-Za-z_]\w{0,63}$/.test(name)) return [{ name, from: "json", path: `$${path}` }];
    remarks.stays(`what it stores as ${name}: ${value}`);
    return [];
  });
  return captures.length > 0 ? { captures } : {};
}

/** What the suite begins with is known already; what a step stored has its name. */
function fill(text: string, context: Record<string, string>): string {
  return text.replace(/\[CONTEXT\]\.(\w+)/g, (_, name: string) => {
    return Object.hasOwn(context, name) ? String(context[name]) : `{{${name}}}`;
  });
}
