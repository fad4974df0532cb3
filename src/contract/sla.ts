import { z } from "zod";
import { Id, Instant, InstantInput, Name } from "./common.ts";

/** The target where none is set. */
export const TARGET_DEFAULT = 99.9;
export const SLA_DAYS_MAX = 400;
const TARGETS_MAX = 1000;
const DECIMALS = 4;

/** Calendar periods of a policy; they begin in the page's time zone. */
export const POLICY_PERIODS = ["monthly", "quarterly", "yearly"] as const;
export type PolicyPeriod = (typeof POLICY_PERIODS)[number];

/** Periods of a report: the last days, or the present month, quarter or year. */
export const SLA_PERIODS = ["7d", "30d", "90d", "month", "quarter", "year"] as const;
export type SlaPeriod = (typeof SLA_PERIODS)[number];

/** What a report is made by besides statuses, and people change: a monitor's name, all targets of a page, its policy. */
export const SLA_FORMER_KINDS = ["name", "targets", "policy"] as const;
export type SlaFormerKind = (typeof SLA_FORMER_KINDS)[number];

/** How their former values are stored. */
export const FormerNames = z.array(z.tuple([z.string(), z.string()]));
export const FormerTargets = z.array(z.tuple([z.string().nullable(), z.number()]));
export const FormerPolicy = z.object({
  id: z.string(),
  owner_id: z.string(),
  created_by: z.string(),
  name: z.string(),
  target_percentage: z.number(),
  period: z.enum(POLICY_PERIODS),
  exclude_maintenance: z.boolean(),
  degraded_counts_as_downtime: z.boolean(),
  created_at: z.number(),
  updated_at: z.number(),
});

export const EXPORT_FORMATS = ["csv", "json", "pdf"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** Computed exactly, therefore no more decimals than are kept. */
const Target = z
  .number()
  .min(0)
  .max(100)
  .refine((value) => Number(value.toFixed(DECIMALS)) === value, `must have at most ${DECIMALS} decimals`)
  .meta({ description: "percent of the time, with at most four decimals" });

const period = z.enum(SLA_PERIODS).optional().meta({
  description: "the last days, or the present calendar month, quarter or year in the page's time zone, until now",
});
export const SlaQuery = z
  .object({
    period,
    from: InstantInput.optional().meta({ description: "instead of period; with an offset or Z" }),
    to: InstantInput.optional().meta({ description: "exclusive; default now, which is also the latest" }),
  })
  .refine(({ period, from }) => period === undefined || from === undefined, {
    path: ["period"],
    message: "cannot be given together with from",
  })
  .refine(({ from, to }) => to === undefined || from !== undefined, {
    path: ["from"],
    message: "is required where to is given",
  });
export type SlaQuery = z.infer<typeof SlaQuery>;

export const SlaExportQuery = SlaQuery.safeExtend({ format: z.enum(EXPORT_FORMATS).default("csv") });

export const SlaPolicyCreate = z
  .object({
    name: Name,
    target_percentage: Target,
    period: z.enum(POLICY_PERIODS).nullish().meta({ description: "default monthly" }),
    exclude_maintenance: z.boolean().nullish().meta({ description: "default true" }),
    degraded_counts_as_downtime: z.boolean().nullish().meta({ description: "default false" }),
  })
  .meta({ id: "SlaPolicyCreate" });
export type SlaPolicyCreate = z.infer<typeof SlaPolicyCreate>;

export const SlaPolicyUpdate = SlaPolicyCreate.partial().meta({ id: "SlaPolicyUpdate" });
export type SlaPolicyUpdate = z.infer<typeof SlaPolicyUpdate>;

export const SlaPolicy = z
  .object({
    id: Id,
    name: z.string(),
    target_percentage: z.number(),
    period: z.enum(POLICY_PERIODS),
    exclude_maintenance: z.boolean(),
    degraded_counts_as_downtime: z.boolean(),
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: "SlaPolicy" });

export const SlaAssignment = z
  .object({ policy_id: Id.nullable().meta({ description: "null: no policy" }) })
  .meta({ id: "SlaAssignment" });

export const AssignedSlaPolicy = z.object({ policy: SlaPolicy.nullable() }).meta({ id: "AssignedSlaPolicy" });

const SlaTarget = z.object({
  monitor_id: Id.nullable().meta({ description: "null: the page as a whole, and every monitor without its own" }),
  target_percentage: Target,
});

export const SlaTargets = z.object({ targets: z.array(SlaTarget).max(TARGETS_MAX) }).meta({ id: "SlaTargets" });
export type SlaTargets = z.infer<typeof SlaTargets>;

const Seconds = z.number().int();
const figures = {
  target_percentage: z.number(),
  uptime_percentage: z.number().nullable().meta({ description: "of the counted time; null where none is counted" }),
  downtime_seconds: Seconds.meta({ description: "degraded time included where the policy counts it" }),
  degraded_seconds: Seconds,
  maintenance_seconds: Seconds.meta({ description: "known time inside maintenance windows" }),
  outages: Seconds,
  mttr_seconds: Seconds.nullable().meta({ description: "mean downtime of an outage; null without one" }),
  mtbf_seconds: Seconds.nullable().meta({ description: "mean uptime between outages; null without one" }),
  meets_target: z
    .boolean()
    .nullable()
    .meta({ description: "so far: false once the error budget is overdrawn; null where no time is counted" }),
  error_budget_seconds: Seconds.meta({
    description:
      "the downtime that the target allows: in the whole month, quarter or year from the monitor's creation on, of other periods in the counted time",
  }),
  error_budget_remaining_seconds: Seconds.meta({ description: "negative when it is exceeded" }),
};

export const SlaFigures = z.object(figures);
export type SlaFigures = z.infer<typeof SlaFigures>;

export const SlaSummary = z
  .object({
    status_page_id: Id,
    period: z.object({ from: Instant, to: Instant }),
    target_percentage: z.number(),
    overall: SlaFigures.omit({ target_percentage: true }),
    monitors: z.array(SlaFigures.extend({ monitor_id: Id, name: z.string() })),
  })
  .meta({ id: "SlaSummary" });
export type SlaSummary = z.infer<typeof SlaSummary>;

export const SlaHistory = z
  .object({
    status_page_id: Id,
    period: z.object({ from: Instant, to: Instant }),
    target_percentage: z.number(),
    steps: z
      .array(
        z.object({
          from: Instant,
          to: Instant,
          uptime_percentage: z.number().nullable().meta({ description: "null: nothing was measured" }),
          downtime_seconds: z.int(),
        }),
      )
      .meta({ description: "days of the page's time zone, or weeks where the period is longer than 92 days" }),
  })
  .meta({ id: "SlaHistory" });
export type SlaHistory = z.infer<typeof SlaHistory>;
