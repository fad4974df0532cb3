import { PLANS, type Plan } from "../contract/plan.ts";

/** null = no limit. */
export interface PlanLimits {
  monitors: number | null;
  /** Seconds. */
  min_interval: number;
  regions_per_monitor: number;
  status_pages: number | null;
  seats_per_page: number | null;
  /** Beta features (game servers): never, for users with the flag, or for everybody. */
  beta: "no" | "by_flag" | "yes";
}

export const PLAN_LIMITS: Record<Plan, PlanLimits> = {
  free: {
    monitors: 5,
    min_interval: 300,
    regions_per_monitor: 1,
    status_pages: 1,
    seats_per_page: 1,
    beta: "no",
  },
  starter: {
    monitors: 25,
    min_interval: 60,
    regions_per_monitor: 3,
    status_pages: 3,
    seats_per_page: 3,
    beta: "no",
  },
  pro: {
    monitors: 100,
    min_interval: 30,
    regions_per_monitor: 6,
    status_pages: 10,
    seats_per_page: 10,
    beta: "by_flag",
  },
  business: {
    monitors: 1000,
    min_interval: 10,
    regions_per_monitor: 9,
    status_pages: 100,
    seats_per_page: 50,
    beta: "by_flag",
  },
  self_hosted: {
    monitors: null,
    min_interval: 10,
    regions_per_monitor: 9,
    status_pages: null,
    seats_per_page: null,
    beta: "yes",
  },
};

/** Rules of one status page. All of them are read for each of its events, so there is a limit on every plan. */
export const EVENT_RULES_MAX: Record<Plan, number> = {
  free: 50,
  starter: 200,
  pro: 500,
  business: 500,
  self_hosted: 500,
};

/** Whether a plan includes what a smaller or equal one does. */
export function includesPlan(plan: Plan, smallest: Plan): boolean {
  return PLANS.indexOf(plan) >= PLANS.indexOf(smallest);
}

interface PlannedMonitor {
  type?: string;
  /** The smallest plan that includes the type. */
  type_plan?: Plan;
  interval?: number | null;
  regions?: readonly unknown[];
}

/** The one of two plans that includes less. */
export function lowerPlan(one: Plan, other: Plan): Plan {
  return PLANS.indexOf(one) < PLANS.indexOf(other) ? one : other;
}

/** The first limit of a plan that a monitor exceeds, as a sentence; absent members are not checked. */
export function findPlanViolation(plan: Plan, monitor: PlannedMonitor): string | null {
  const limits = PLAN_LIMITS[plan];
  const { type, type_plan, interval, regions } = monitor;
  if (type_plan && !includesPlan(plan, type_plan)) return `type ${type} is not included in the ${plan} plan`;
  if (interval && interval < limits.min_interval) {
    return `interval must be at least ${limits.min_interval} seconds on the ${plan} plan`;
  }
  if (regions && new Set(regions).size > limits.regions_per_monitor) {
    return `regions must have at most ${limits.regions_per_monitor} items on the ${plan} plan`;
  }
  return null;
}
