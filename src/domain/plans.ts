import { MONITOR_TYPES, type MonitorType } from "../contract/monitor-values.ts";
import type { Plan } from "../contract/plan.ts";

/** null = no limit. */
export interface PlanLimits {
  monitors: number | null;
  /** Seconds. */
  min_interval: number;
  regions_per_monitor: number;
  status_pages: number | null;
  seats_per_page: number | null;
  monitor_types: readonly MonitorType[];
  /** Beta features (game servers): never, for users with the flag, or for everybody. */
  beta: "no" | "by_flag" | "yes";
}

const FREE_TYPES: readonly MonitorType[] = ["http", "https", "icmp", "ping", "tcp", "dns", "ssl", "heartbeat"];
const STARTER_TYPES: readonly MonitorType[] = [
  ...FREE_TYPES,
  "udp",
  "smtp",
  "pop3",
  "imap",
  "telnet",
  "domain",
  "api",
  "composite",
];

export const PLAN_LIMITS: Record<Plan, PlanLimits> = {
  free: {
    monitors: 5,
    min_interval: 300,
    regions_per_monitor: 1,
    status_pages: 1,
    seats_per_page: 1,
    monitor_types: FREE_TYPES,
    beta: "no",
  },
  starter: {
    monitors: 25,
    min_interval: 60,
    regions_per_monitor: 3,
    status_pages: 3,
    seats_per_page: 3,
    monitor_types: STARTER_TYPES,
    beta: "no",
  },
  pro: {
    monitors: 100,
    min_interval: 30,
    regions_per_monitor: 6,
    status_pages: 10,
    seats_per_page: 10,
    monitor_types: MONITOR_TYPES,
    beta: "by_flag",
  },
  business: {
    monitors: 1000,
    min_interval: 10,
    regions_per_monitor: 9,
    status_pages: 100,
    seats_per_page: 50,
    monitor_types: MONITOR_TYPES,
    beta: "by_flag",
  },
  self_hosted: {
    monitors: null,
    min_interval: 10,
    regions_per_monitor: 9,
    status_pages: null,
    seats_per_page: null,
    monitor_types: MONITOR_TYPES,
    beta: "yes",
  },
};

/** What of a monitor a plan does not include, as a sentence; members that are absent are not judged. */
export function findPlanViolation(
  plan: Plan,
  monitor: { type?: MonitorType; interval?: number; regions?: readonly unknown[] },
): string | null {
  const limits = PLAN_LIMITS[plan];
  const { type, interval, regions } = monitor;
  if (type && !limits.monitor_types.includes(type)) return `the ${plan} plan has no monitors of type ${type}`;
  if (interval !== undefined && interval < limits.min_interval) {
    return `interval must be at least ${limits.min_interval} seconds on the ${plan} plan`;
  }
  if (regions && regions.length > limits.regions_per_monitor) {
    return `regions must have at most ${limits.regions_per_monitor} items on the ${plan} plan`;
  }
  return null;
}
