import { z } from "zod";
import { Id, Instant, InstantInput } from "./common.ts";
import { Cursor, Offset } from "./pagination.ts";

export const ACTOR_TYPES = ["user", "agent", "system", "token"] as const;
export type ActorType = (typeof ACTOR_TYPES)[number];

const LIMIT_DEFAULT = 50;
const LIMIT_MAX = 500;
const DAYS_DEFAULT = 30;
const DAYS_MAX = 90;
const EVENT_TYPE_LENGTH_MAX = 100;
const ACTOR_LENGTH_MAX = 254;

const page = {
  limit: z.coerce.number().int().min(1).max(LIMIT_MAX).default(LIMIT_DEFAULT),
  offset: Offset,
  cursor: Cursor.optional(),
};
const days = z.coerce.number().int().min(1).max(DAYS_MAX).default(DAYS_DEFAULT);
const event_type = z.string().trim().min(1).max(EVENT_TYPE_LENGTH_MAX);

/** Without a monitor or status page: everything that concerns the caller's own account. */
const object = { monitor_id: Id.optional(), status_page_id: Id.optional() };

export const AuditQuery = z.object({
  ...object,
  event_type: event_type.optional(),
  actor: z
    .string()
    .trim()
    .min(1)
    .max(ACTOR_LENGTH_MAX)
    .optional()
    .meta({ description: "e-mail address of a person, name of an agent, or `system`" }),
  from: InstantInput.optional(),
  to: InstantInput.optional().meta({ description: "exclusive" }),
  ...page,
});
export const AuditExportQuery = AuditQuery.omit({ limit: true, offset: true, cursor: true });
export const AuditTimelineQuery = z.object({ event_type: event_type.optional(), ...page });
export const AuditStatsQuery = z.object({ ...object, days });
export const AuditDaysQuery = z
  .object({ days, ...page, limit: page.limit.unwrap().default(LIMIT_MAX) })
  .omit({ cursor: true });

export interface AuditFilter {
  monitor_id?: string;
  status_page_id?: string;
  event_type?: string;
  /** The name under which an entry was made. */
  actor?: string;
  /** The period: [from, to). */
  from?: number;
  to?: number;
}

export const AuditEntry = z
  .object({
    id: Id,
    event_type: z.string(),
    actor: z.object({ type: z.enum(ACTOR_TYPES), id: z.string().nullable(), name: z.string() }),
    monitor_id: Id.nullable(),
    status_page_id: Id.nullable(),
    target_type: z.string(),
    target_id: z.string().nullable(),
    summary: z.string().meta({ description: "one line for people" }),
    data: z.record(z.string(), z.unknown()).meta({ description: "what changed, without secrets" }),
    ip: z.string().nullable(),
    created_at: Instant,
  })
  .meta({ id: "AuditEntry" });
export type AuditEntry = z.infer<typeof AuditEntry>;

const Count = z.number().int();

export const AuditStats = z
  .object({
    from: Instant,
    to: Instant,
    total: Count,
    by_event_type: z.array(z.object({ event_type: z.string(), count: Count })),
    by_actor_type: z.array(z.object({ actor_type: z.enum(ACTOR_TYPES), count: Count })),
  })
  .meta({ id: "AuditStats" });

export const AuditDay = z
  .object({
    date: z.iso.date().meta({ description: "a day in UTC" }),
    total: Count,
    events: z.record(z.string(), Count).meta({ description: "how often each event type occurred" }),
  })
  .meta({ id: "AuditDay" });
