import type { z } from "zod";
import { Monitor, MonitorCreate, MonitorUpdate } from "../../contract/monitor.ts";
import { TYPE_FIELDS } from "../../probes/registry.ts";

/** Bodies of monitors with the fields of every monitor type. */

export const MonitorCreateBody = withTypeFields(MonitorCreate).meta({ id: "MonitorCreate" });
export const MonitorUpdateBody = withTypeFields(MonitorUpdate).meta({ id: "MonitorUpdate" });
/** A field is null where the monitor's type does not have it, or it has no value. */
export const MonitorBody = withTypeFields(Monitor).meta({ id: "Monitor" });

/** The static type stays that of the loose object, whose further members are unknown values. */
function withTypeFields<Schema extends z.ZodObject>(schema: Schema): Schema {
  const fields = Object.entries(TYPE_FIELDS).filter(([name]) => !(name in schema.shape));
  const extended: z.ZodObject = schema.extend(Object.fromEntries(fields));
  // Members were added to a loose object and none was replaced, so that what it parses is still of its type.
  return extended as Schema;
}
