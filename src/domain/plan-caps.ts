import type { PlanCap } from "../contract/limiter-object.ts";
import type { Plan } from "../contract/plan.ts";

/** null = no limit. */
type ByPlan = Record<Plan, number | null>;

const byPlan = (free: number, starter: number, pro: number, business: number): ByPlan => ({
  free,
  starter,
  pro,
  business,
  self_hosted: null,
});
const MEGABYTE = 1_000_000;
const UPDATES_MAX = 500;

/**
 * What one account may hold, or cause, on each plan, so that it can neither fill the database nor run up the operator's
 * bill. The setting RATE_LIMITS replaces single numbers. Automatic incidents, escalation and on-call are never refused.
 */
export const PLAN_CAPS: Record<PlanCap, ByPlan> = {
  agents: byPlan(5, 25, 100, 500),
  webhooks: byPlan(10, 25, 50, 200),
  /** That journeys send. */
  secrets: byPlan(10, 25, 100, 1_000),
  /** Of those that people open. */
  open_incidents: byPlan(50, 200, 500, 2_000),
  /** Of one incident or maintenance window. */
  timeline_updates: { ...byPlan(UPDATES_MAX, UPDATES_MAX, UPDATES_MAX, UPDATES_MAX), self_hosted: UPDATES_MAX },
  incident_templates: byPlan(50, 200, 500, 2_000),
  /** Windows with an occurrence to come or in progress. */
  planned_maintenance: byPlan(50, 200, 500, 2_000),
  /** Confirmed, of one page. */
  page_subscribers: byPlan(250, 2_500, 10_000, 100_000),
  /** Accounts that an owner opened with a password, ever: removing them again makes no room. */
  opened_accounts: byPlan(5, 25, 250, 5_000),
  /** Bytes. */
  stored_text: byPlan(10 * MEGABYTE, 100 * MEGABYTE, 1_000 * MEGABYTE, 10_000 * MEGABYTE),
  /** An hour, by what people change. */
  written_rows: byPlan(20_000, 60_000, 200_000, 1_000_000),
  /** An hour, by what agents report, so that they leave people theirs. */
  agent_rows: byPlan(10_000, 50_000, 200_000, 1_000_000),
  /** Of the audit log, which then begins with a summary of its oldest entries. */
  audit_bytes: byPlan(5 * MEGABYTE, 25 * MEGABYTE, 100 * MEGABYTE, 1_000 * MEGABYTE),
  /** A minute, of all webhooks of an owner; what is above waits. */
  deliveries: byPlan(60, 300, 1_000, 5_000),
  /** A day, of requests and answers that deliveries keep; what is above is sent, and not kept. */
  delivery_bytes: byPlan(1 * MEGABYTE, 10 * MEGABYTE, 50 * MEGABYTE, 500 * MEGABYTE),
  /** A day, to addresses that are no account of the team: alerts, and questions whether they are wanted. */
  mails: byPlan(100, 500, 2_500, 20_000),
  /** A day, of news to confirmed subscribers. */
  subscriber_mails: byPlan(10_000, 100_000, 500_000, 5_000_000),
};
