import { CAPTURE_SOURCES, STEPS_MAX } from "../../contract/journey.ts";
import { HTTP_METHODS } from "../../contract/monitor-values.ts";
import { isRecord } from "../../lib/is-record.ts";
import {
  type FormField,
  type FormValues,
  type Problems,
  readBody,
  storedValues,
  typedValues,
  writeField,
} from "../form-fields.ts";
import { words } from "../words.ts";

/**
 * The steps of a journey in the form of a monitor. Each is a group of fields with its number in their names, so that the
 * form needs no script: buttons that add and remove steps send it, and it comes back with one more or less.
 */

export const ADD_STEP = "add_step";
export const REMOVE_STEP = "remove_step_";

const NAME = /^step_(\d{1,2})_(\w+)$/;
const PREFIX = (place: number) => `step_${place}_`;

/** Of the step at this place, from 1. */
export function stepFields(place: number): FormField[] {
  const prefix = PREFIX(place);
  const text = words("dashboard-monitors").steps.fields;
  return [
    { kind: "text", name: `${prefix}name`, label: text.name.label({ place }), hint: text.name.hint },
    {
      kind: "select",
      name: `${prefix}method`,
      label: text.method.label({ place }),
      options: HTTP_METHODS.map((value) => ({ value, label: value })),
      empty: text.method.empty,
    },
    { kind: "text", name: `${prefix}url`, label: text.url.label({ place }), hint: text.url.hint },
    {
      kind: "textarea",
      name: `${prefix}headers`,
      label: text.headers.label({ place }),
      hint: text.headers.hint({ example: "Authorization: Bearer {{token}}" }),
    },
    {
      kind: "textarea",
      name: `${prefix}body`,
      label: text.body.label({ place }),
      hint: text.body.hint({ example: '{"password": "{{secret.SHOP_PASSWORD}}"}' }),
    },
    {
      kind: "list",
      name: `${prefix}expected_statuses`,
      label: text.expected_statuses.label({ place }),
      hint: text.expected_statuses.hint,
    },
    { kind: "text", name: `${prefix}expected_body`, label: text.expected_body.label({ place }) },
    {
      kind: "json",
      name: `${prefix}json_assertions`,
      label: text.json_assertions.label({ place }),
      hint: text.json_assertions.hint({ example: '[{"path": "status", "operator": "eq", "value": "ok"}]' }),
    },
    {
      kind: "lines",
      name: `${prefix}captures`,
      label: text.captures.label({ place }),
      hint: text.captures.hint({ sources: CAPTURE_SOURCES.join(", "), example: "token = json $.access_token" }),
    },
    { kind: "checkbox", name: `${prefix}always`, label: text.always.label({ place }) },
  ];
}

/** As many steps as were sent. */
export function countSteps(entered: URLSearchParams): number {
  const places = [...entered.keys()].map((key) => Number(NAME.exec(key)?.[1] ?? 0));
  return Math.min(STEPS_MAX, Math.max(0, ...places));
}

/** As many as the values of a form hold. */
export function stepsShown(values: FormValues): number {
  return countSteps(new URLSearchParams(Object.keys(values).map((name) => [name, ""])));
}

/** What was sent, after the button that adds or removes a step. */
export function changeSteps(entered: URLSearchParams): URLSearchParams {
  const intent = entered.get("intent") ?? "";
  const count = countSteps(entered);
  const changed = new URLSearchParams(entered);
  if (intent === ADD_STEP && count < STEPS_MAX) changed.set(`${PREFIX(count + 1)}name`, "");
  if (!intent.startsWith(REMOVE_STEP)) return changed;
  const removed = Number(intent.slice(REMOVE_STEP.length));
  const kept = [...entered].flatMap(([key, value]): [string, string][] => {
    const [, place = "0", field = ""] = NAME.exec(key) ?? [];
    if (Number(place) === removed) return [];
    return [[Number(place) > removed ? `${PREFIX(Number(place) - 1)}${field}` : key, value]];
  });
  return new URLSearchParams(kept);
}

/** What was sent, with the steps of these values in place of its own. */
export function replaceSteps(entered: URLSearchParams, values: FormValues): URLSearchParams {
  const replaced = new URLSearchParams([...entered].filter(([name]) => !NAME.test(name)));
  for (const field of fieldsOf(stepsShown(values))) writeField(field, replaced, values[field.name]);
  return replaced;
}

/** What was typed, to be shown again. */
export function typedSteps(entered: URLSearchParams): FormValues {
  return typedValues(fieldsOf(countSteps(entered)), entered);
}

/** Stored steps in their wire form, as the form shows them. */
export function storedSteps(steps: unknown): FormValues {
  const list = Array.isArray(steps) ? steps.filter(isRecord) : [];
  return Object.assign(
    {},
    ...list.map((step, n) => {
      const wire = { ...step, headers: linesOf(step.headers), captures: captureLines(step.captures) };
      const named = Object.entries(wire).map(([field, value]) => [`${PREFIX(n + 1)}${field}`, emptied(value)]);
      return storedValues(stepFields(n + 1), Object.fromEntries(named));
    }),
  );
}

/** An empty list is an empty field. */
function emptied(value: unknown): unknown {
  return Array.isArray(value) && value.length === 0 ? null : value;
}

function linesOf(headers: unknown): string {
  return isRecord(headers)
    ? Object.entries(headers)
        .map(([name, value]) => `${name}: ${String(value)}`)
        .join("\n")
    : "";
}

function captureLines(captures: unknown): string[] {
  const list = Array.isArray(captures) ? captures.filter(isRecord) : [];
  return list.map(({ name, from, path }) => `${String(name)} = ${String(from)} ${String(path)}`);
}

/** `steps` of a creation, or of a change of the steps that were shown; nothing where they stay as they are. */
export function readSteps(entered: URLSearchParams, shown?: FormValues): { steps?: unknown[] | null } {
  const count = countSteps(entered);
  const steps = Array.from({ length: count }, (_, n) => readStep(n + 1, entered));
  if (!shown) return count === 0 ? {} : { steps };
  if (stepsText(shown) === stepsText(typedSteps(entered))) return {};
  return { steps: count === 0 ? null : steps };
}

/** All steps among the values of a form as one text, to be compared. */
export function stepsText(values: FormValues): string {
  const fields = Object.entries(values)
    .filter(([name]) => NAME.test(name))
    .map(([name, value]): [string, unknown] => [
      name,
      typeof value === "string" ? value.replaceAll("\r\n", "\n") : value,
    ]);
  return JSON.stringify(fields.sort(([a], [b]) => a.localeCompare(b)));
}

function readStep(place: number, entered: URLSearchParams): Record<string, unknown> {
  const body = readBody(stepFields(place), entered);
  const step = Object.fromEntries(
    Object.entries(body).map(([name, value]) => [name.slice(PREFIX(place).length), value]),
  );
  const lines = Array.isArray(step.captures) ? step.captures.map(String) : [];
  return { ...step, name: step.name ?? `step ${place}`, captures: lines.map(readCapture) };
}

/** What is no capture is refused by the schema, beside its field. */
function readCapture(line: string): Record<string, string> {
  const [, name = line, from = "", path = ""] = /^(\w+)\s*=\s*(\w+)\s+(.+)$/.exec(line) ?? [];
  return { name, from, path };
}

/** Problems of steps, which the API names by their place in the list from 0, beside the fields of the form. */
export function placeProblems(problems: Problems): Problems {
  return Object.fromEntries(
    Object.entries(problems).map(([name, problem]) => {
      const [, place, field = ""] = /^steps[.[](\d+)\]?\.(\w+)/.exec(name) ?? [];
      if (place === undefined) return [name, problem];
      // The label says which field it is.
      return [
        `${PREFIX(Number(place) + 1)}${field}`,
        problem.startsWith(`${field} `) ? problem.slice(field.length + 1) : problem,
      ];
    }),
  );
}

export function fieldsOf(count: number): FormField[] {
  return Array.from({ length: count }, (_, n) => stepFields(n + 1)).flat();
}
