import { assertNever } from "../lib/assert-never.ts";
import { isTimeZone, zonedClock } from "../lib/zoned-days.ts";

/** What is wrong, by the name of the field that it stands beside; `""` is about the form as a whole. */
export type Problems = Record<string, string>;

/** What a form shows in its fields: what was typed, or what is stored. */
export type FormValues = Readonly<Record<string, string | readonly string[] | boolean>>;

interface FieldBase {
  /** Of the member of the body, too. */
  name: string;
  label: string;
  hint?: string;
  /** Left empty it is left out of the body, so that the API states that it is missing; other fields send null. */
  required?: boolean;
  /** Folded away under "Advanced". */
  advanced?: boolean;
  /** Neighbours of one name stand in a row of that name. */
  together?: string;
}

export type FormField = FieldBase &
  (
    | {
        kind: "text" | "url" | "email" | "password" | "textarea" | "color";
        placeholder?: string;
        maxlength?: number;
        suggestions?: readonly string[];
      }
    /** Its placeholder is the default, which holds while it is empty. */
    | {
        kind: "number";
        min?: number;
        max?: number;
        step?: number | "any";
        unit?: string;
        placeholder?: string;
        /** Usual values, offered while any other may be entered. */
        choices?: readonly Option[];
      }
    /** An instant, entered as the clock shows it in this time zone. */
    | {
        kind: "datetime";
        zone: string;
        /** Buttons that set it so many minutes after another field. */
        durations?: { after: string; minutes: readonly number[] };
      }
    | { kind: "checkbox" }
    /** `null`, true or false. */
    | { kind: "tristate"; options: { unset: string; yes: string; no: string } }
    | { kind: "select"; options: readonly Option[]; empty?: string }
    /** Several of a closed list, as check boxes. */
    | { kind: "several"; options: readonly Option[] }
    /** A list of texts, one per line. */
    | { kind: "lines" }
    /** A list of texts, separated by commas. */
    | { kind: "list" }
    /** JSON, sent as the value that it holds. */
    | { kind: "json" }
    /** The answer of a passkey, which a button asks for; `making` is what a new one is made of. */
    | { kind: "passkey"; making?: string }
  );

export interface Option {
  value: string;
  label: string;
  /** Of a status page: the script offers it only while this one is chosen in the same form. */
  within?: string;
}

/**
 * The JSON body that the form stands for, before any validation: what a field cannot express stays the text that was
 * typed, and the schema of the endpoint refuses it with its own words.
 */
export function readBody(fields: readonly FormField[], form: URLSearchParams): Record<string, unknown> {
  const entries = fields.map((field) => [field.name, readField(field, form)] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

function readField(field: FormField, form: URLSearchParams): unknown {
  if (field.kind === "checkbox") return form.has(field.name);
  if (field.kind === "several") return form.getAll(field.name);
  const text = form.get(field.name);
  // A field that the form did not show keeps its value.
  if (text === null) return undefined;
  const trimmed = text.replaceAll("\r\n", "\n").trim();
  if (field.kind === "lines") return splitList(trimmed, "\n");
  if (field.kind === "list") return splitList(trimmed, ",");
  if (trimmed === "") return field.required ? undefined : null;
  switch (field.kind) {
    case "number":
      return Number.isFinite(Number(trimmed)) ? Number(trimmed) : trimmed;
    case "tristate":
      return trimmed === "yes" ? true : trimmed === "no" ? false : trimmed;
    case "datetime":
      return readInstant(trimmed, zoneOf(field, form));
    case "password":
      return text;
    case "json":
    case "passkey":
      return parseJson(trimmed);
    case "text":
    case "url":
    case "email":
    case "textarea":
    case "color":
    case "select":
      return trimmed;
    default:
      return assertNever(field);
  }
}

/** What is no JSON stays text, which the schema refuses. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Of the hidden field that says in which zone the control beside it was filled in. */
export const zoneName = (name: string) => `${name}_zone`;

/** The page that a form belongs to may have changed since it was shown, and with it the zone. */
function zoneOf(field: { name: string; zone: string }, form: URLSearchParams): string {
  const shown = form.get(zoneName(field.name));
  return shown !== null && isTimeZone(shown) ? shown : field.zone;
}

/** A browser sends the reading of a clock, without a zone. */
function readInstant(text: string, zone: string): string {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?$/.test(text)) return text;
  const reading = Date.parse(`${text}Z`);
  return Number.isNaN(reading) ? text : new Date(zonedClock(zone).instantOf(reading)).toISOString();
}

/** An instant as the clock of the zone shows it, in the form that a control for date and time takes. */
export function toClockReading(at: number, zone: string): string {
  return new Date(zonedClock(zone).toLocal(at)).toISOString().slice(0, 16);
}

function splitList(text: string, separator: string): string[] {
  return text
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

/** What was typed, to be shown again. */
export function typedValues(fields: readonly FormField[], form: URLSearchParams): FormValues {
  return Object.fromEntries(
    fields.map((field) => {
      if (field.kind === "checkbox") return [field.name, form.has(field.name)];
      if (field.kind === "several") return [field.name, form.getAll(field.name)];
      const text = form.get(field.name) ?? "";
      return [field.name, field.kind === "datetime" ? readingOf(text, field, form) : text];
    }),
  );
}

/** Stays the same instant where another status page, and with it another zone, was chosen. */
function readingOf(text: string, field: { name: string; zone: string }, form: URLSearchParams): string {
  const shown = zoneOf(field, form);
  const at = shown === field.zone ? Number.NaN : Date.parse(readInstant(text.trim(), shown));
  return Number.isNaN(at) ? text : toClockReading(at, field.zone);
}

/** A stored object in its wire form, as a form shows it. */
export function storedValues(fields: readonly FormField[], stored: Readonly<Record<string, unknown>>): FormValues {
  return Object.fromEntries(fields.map((field) => [field.name, showStored(field, stored[field.name])]));
}

function showStored(field: FormField, value: unknown): string | readonly string[] | boolean {
  if (field.kind === "checkbox") return value === true;
  if (field.kind === "several") return Array.isArray(value) ? value.map(String) : [];
  if (value === null || value === undefined) return "";
  switch (field.kind) {
    case "tristate":
      return value === true ? "yes" : "no";
    case "lines":
      return Array.isArray(value) ? value.map(String).join("\n") : String(value);
    case "list":
      return Array.isArray(value) ? value.map(String).join(", ") : String(value);
    case "datetime":
      return toClockReading(Date.parse(String(value)), field.zone);
    case "json":
      return typeof value === "string" ? value : JSON.stringify(value, null, 2);
    default:
      return String(value);
  }
}

/** Labels of the fields in which something else than a default is set, to be said where they are folded away. */
export function labelsOfSet(fields: readonly FormField[], values: FormValues, defaults: FormValues = {}): string[] {
  const isSet = (field: FormField) => {
    const value = values[field.name];
    const isThere = Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false && value !== "";
    return isThere && !isSameValue(field, value, defaults[field.name]);
  };
  return fields.filter(isSet).map(({ label }) => label);
}

/** Fields that hold something else than what was shown, so that saving one leaves what others cannot express as it is. */
export function changedFields(
  fields: readonly FormField[],
  entered: URLSearchParams,
  shown: FormValues,
): readonly FormField[] {
  const typed = typedValues(fields, entered);
  return fields.filter((field) => !isSameValue(field, typed[field.name], shown[field.name]));
}

export function isSameValue(field: FormField, one: FormValues[string] | undefined, other: typeof one): boolean {
  return JSON.stringify(shownValue(field, one)) === JSON.stringify(shownValue(field, other));
}

/** What the control of the field holds: browsers send line breaks as CR LF, and check boxes in the order of the form. */
export function shownValue(field: FormField, value: FormValues[string] | undefined): string | string[] | boolean {
  if (field.kind === "checkbox") return value === true;
  if (field.kind === "several") {
    const offered = new Set(field.options.map((option) => option.value));
    return [value ?? []]
      .flat()
      .map(String)
      .filter((each) => offered.has(each))
      .toSorted();
  }
  const text = String(value ?? "").replaceAll("\r\n", "\n");
  const isOffered = field.kind !== "select" || field.options.some((option) => option.value === text);
  // A list without an empty entry stands on its first one.
  return isOffered || field.kind !== "select" || field.empty !== undefined ? text : (field.options[0]?.value ?? "");
}

/** Puts a value into what a form sends, as its control would. */
export function writeField(field: FormField, form: URLSearchParams, value: FormValues[string] | undefined): void {
  const shown = shownValue(field, value);
  form.delete(field.name);
  if (field.kind === "datetime") form.set(zoneName(field.name), field.zone);
  if (typeof shown === "boolean") {
    if (shown) form.set(field.name, "on");
  } else for (const each of [shown].flat()) form.append(field.name, each);
}

/** Refusals name fields as the API does; people know them by their labels. */
const FIELD_NAME = /\b[a-z]+(?:_[a-z]+)+\b/g;

function withoutFieldName(name: string, message: string): string {
  return name !== "" && message.startsWith(`${name} `) ? message.slice(name.length + 1) : message;
}

/** As a sentence that begins with the field's label. Problems of fields that the form does not have stand above it. */
export function toSentences(fields: readonly FormField[], problems: Problems): Problems {
  const labels = new Map(fields.map(({ name, label }) => [name, label]));
  const sentences: Problems = {};
  for (const [path, message] of Object.entries(problems)) {
    const name = fieldNames(path).find((each) => labels.has(each));
    const label = name === undefined ? undefined : labels.get(name);
    const worded = withoutFieldName(memberOf(path), message).replace(
      FIELD_NAME,
      (each) => labels.get(each) ?? inWords(each),
    );
    if (name !== undefined) sentences[name] ??= `${label} ${worded}.`;
    else {
      const text = `${inWords(memberOf(path))} ${worded}.`.trimStart();
      const sentence = `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
      sentences[""] = sentences[""] === undefined ? sentence : `${sentences[""]} ${sentence}`;
    }
  }
  return sentences;
}

/** Of the field that shows a member: in its row of a list, of its own name, or one for the whole list. */
function fieldNames(path: string): string[] {
  const [, list = path, place, member = ""] = /^(\w+)[.[](\d+)\]?\.(\w+)$/.exec(path) ?? [];
  return place === undefined ? [path] : [`${member}_${place}`, member, list];
}

const memberOf = (path: string) => path.replace(/^.*\./, "");
const inWords = (name: string) => name.replaceAll("_", " ");

/** A refusal that stands beside no field. */
export const plainReason = (message: string) => message.replace(FIELD_NAME, inWords);
