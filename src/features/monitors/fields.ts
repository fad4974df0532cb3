import { z } from "zod";
import { CheckRules } from "../../contract/check-rules.ts";
import { type ErrorDetail, invalid } from "../../contract/errors.ts";
import { JourneyStep } from "../../contract/journey.ts";
import type { MonitorType } from "../../contract/monitor-values.ts";
import { isRecord } from "../../lib/is-record.ts";
import { isChecked, monitorType, type ResultSource, resultSourceOf, TYPE_FIELDS } from "../../probes/registry.ts";

/** The fields that belong to a monitor's type: how they are read when they are saved, and shown. */
export type Fields = Readonly<Record<string, unknown>>;

export interface TypeFields {
  source: ResultSource;
  /** As the type's probe takes them. */
  read: unknown;
  /** How its checks are judged; null of what nobody checks. */
  rules: CheckRules | null;
  /** As they were given, only those of the type and only where given: what is stored. */
  options: Record<string, unknown>;
}

/** Throws a refusal that names the field. */
export function readFields(type: MonitorType, fields: Fields): TypeFields {
  const read = monitorType(type).options.safeParse(fields);
  if (!read.success) throw invalidField(read.error.issues[0]);
  const source = resultSourceOf(type, read.data);
  const rules = readRules(source, fields);
  if (!rules.success) throw invalidField(rules.error.issues[0]);
  const names = Object.keys({ ...asRecord(read.data), ...rules.data });
  const given = names.filter((name) => fields[name] !== undefined && fields[name] !== null);
  return {
    source,
    read: read.data,
    rules: rules.data,
    options: Object.fromEntries(given.map((name) => [name, fields[name]])),
  };
}

const readRules = (source: ResultSource, fields: Fields) =>
  (isChecked(source) ? CheckRules : z.unknown().transform(() => null)).safeParse(fields);

/** The steps among the fields of a monitor, which its schema has read. */
export function stepsOf({ steps }: Fields): JourneyStep[] {
  return JourneyStep.array().safeParse(steps).data ?? [];
}

function invalidField(issue?: { path: readonly PropertyKey[]; message: string }) {
  const detail: ErrorDetail = { path: issue?.path.join(".") ?? "", message: issue?.message ?? "is not valid" };
  const [field = "", place, ...inner] = issue?.path ?? [];
  const outer = typeof place === "number" ? `${String(field)}[${place}]` : String(field);
  const own = inner.join(".");
  const { message } = detail;
  // Some messages begin with the field's name already.
  if (own === "") return invalid(message.startsWith(String(field)) ? message : `${outer} ${message}`, [detail]);
  return invalid(`${outer}.${message.startsWith(own) ? message : `${own} ${message}`}`, [detail]);
}

const NOTHING = Object.fromEntries(Object.keys(TYPE_FIELDS).map((name) => [name, null]));

/** Every field of every type by name, null where this type does not have it; defaults as they apply. */
export function showFields(type: MonitorType, fields: Fields): Fields {
  const read = monitorType(type).options.safeParse(fields);
  const rules = read.success ? readRules(resultSourceOf(type, read.data), fields).data : null;
  const known: Record<string, unknown> = read.success ? { ...asRecord(read.data), ...rules } : {};
  const shown = Object.entries(known).map(([name, value]) => [
    name,
    // Some fields are read into an object; people see the text they wrote.
    isRecord(value) ? (fields[name] ?? null) : value === "" ? null : value,
  ]);
  // The names are those that the type's schema declares and the values passed it, so no stored member slips through.
  return { ...NOTHING, ...Object.fromEntries(shown) };
}

/** A type without fields reads null. */
function asRecord(options: unknown): Record<string, unknown> {
  return isRecord(options) ? options : {};
}
