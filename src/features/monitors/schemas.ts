import { z } from "zod";
import {
  BULK_ACTIONS,
  BULK_MAX,
  Monitor,
  MonitorBulkFilter,
  MonitorCreate,
  MonitorUpdate,
} from "../../contract/monitor.ts";
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

export const MonitorBulkBody = z
  .object({
    ids: z.array(z.uuid()).min(1).max(BULK_MAX).optional(),
    filter: MonitorBulkFilter.optional().meta({ description: "instead of ids: as the query of the list of monitors" }),
    action: z.enum(BULK_ACTIONS),
    changes: MonitorUpdateBody.optional().meta({ description: "of action update: as the body of an update" }),
  })
  .superRefine(({ ids, filter, action, changes }, ctx) => {
    const refuse = (path: string, message: string) => ctx.addIssue({ code: "custom", path: [path], message });
    if ((ids === undefined) === (filter === undefined)) refuse("ids", "or filter must be given, and not both");
    if (action === "update" && Object.keys(changes ?? {}).length === 0) refuse("changes", "is required for update");
    if (changes?.external_key) refuse("changes", "must not set external_key, which no two monitors may share");
  })
  .meta({ id: "MonitorBulk" });
export type MonitorBulk = z.output<typeof MonitorBulkBody>;
