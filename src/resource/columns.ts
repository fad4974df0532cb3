import type { Bodies, Field, Fields } from "../contract/fields.ts";
import { replaced } from "../lib/merge-field.ts";
import { toIso } from "../platform/clock.ts";

const columnOf = (name: string, field: Field) => field.column ?? name;

type Columns = Record<string, unknown>;

/** The columns that a creation gives. */
export function columnsOfCreation(fields: Fields, input: object): Columns {
  const given: Columns = { ...input };
  return columnsOf(fields, ["creation", undefined], (name, field) => given[name] ?? field.default);
}

/** The columns after a change of `current`. */
export function columnsOfChange(fields: Fields, input: object, row: object): Columns {
  const given: Columns = { ...input };
  const current: Columns = { ...row };
  return columnsOf(fields, [undefined], (name, field) =>
    replaced(given[name], current[columnOf(name, field)], field.default),
  );
}

function columnsOf(
  fields: Fields,
  setters: readonly Field["set_by"][],
  valueFor: (name: string, field: Field) => unknown,
): Columns {
  const settable = Object.entries(fields).filter(([, field]) => setters.includes(field.set_by));
  return Object.fromEntries(settable.map(([name, field]) => [columnOf(name, field), valueFor(name, field)]));
}

/** The body of an answer. */
export function present<All extends Fields>(
  fields: All,
  row: { id: string; created_at: number; updated_at: number },
): Bodies<All>["Shown"] {
  const columns: Columns = { ...row };
  const members = Object.entries<Field>(fields).map(([name, field]) => [name, columns[columnOf(name, field)]]);
  const shown = {
    id: row.id,
    ...Object.fromEntries(members),
    created_at: toIso(row.created_at),
    updated_at: toIso(row.updated_at),
  };
  // Each member is the column whose type the table of the resource gives it.
  return shown as Bodies<All>["Shown"];
}
