import type { AlertTargets } from "../contract/alert-targets.ts";

/** A monitor, as far as targets name it. */
export interface TargetedMonitor {
  id: string;
  group_id: string | null;
  tags: readonly string[];
}

/** What an event concerns. */
export interface Concern {
  monitor_ids: readonly string[];
  group_ids: readonly string[];
  /** Of a whole page. */
  is_of_page: boolean;
}

/** The members of an event that say what it concerns. */
export interface ConcerningEvent {
  name: string;
  monitor_id: string | null;
  data: Readonly<Record<string, unknown>>;
}

/** Null for what concerns no monitor: an agent, a gap on call, an event of the user's own that names none. */
export function concernOf({ name, monitor_id, data }: ConcerningEvent): Concern | null {
  const own = monitor_id === null ? [] : [monitor_id];
  if (!/^(?:incident|maintenance)\./.test(name)) {
    return monitor_id === null ? null : { monitor_ids: own, group_ids: [], is_of_page: false };
  }
  const monitor_ids = [...own, ...idsIn(data.monitor_ids)];
  const group_ids = idsIn(data.group_ids);
  return { monitor_ids, group_ids, is_of_page: monitor_ids.length === 0 && group_ids.length === 0 };
}

/** Whether what an event concerns is among the targets. `monitors`: those that it concerns, by itself or by their group. */
export function isTargeted(
  targets: AlertTargets,
  concern: Concern,
  monitors: ReadonlyMap<string, TargetedMonitor>,
): boolean {
  if (concern.is_of_page || concern.group_ids.some((id) => targets.group_ids.includes(id))) return true;
  return [...monitors.values()].some(
    ({ id, group_id, tags }) =>
      (concern.monitor_ids.includes(id) || (group_id !== null && concern.group_ids.includes(group_id))) &&
      (targets.monitor_ids.includes(id) ||
        (group_id !== null && targets.group_ids.includes(group_id)) ||
        targets.tags.some((tag) => tags.includes(tag))),
  );
}

interface LimitedPolicy {
  is_default: boolean;
  targets: AlertTargets | null;
}

/**
 * By which of a page's policies, in their order, an event escalates: the first that is limited to what it concerns, else the
 * active one. What concerns the whole page has no team of its own; it wakes the first one rather than nobody.
 */
export function choosePolicy<Policy extends LimitedPolicy>(
  policies: readonly Policy[],
  concern: Concern | null,
  monitors: ReadonlyMap<string, TargetedMonitor>,
): Policy | undefined {
  const active = policies.find(({ is_default }) => is_default);
  if (concern === null) return active;
  if (concern.is_of_page) return active ?? policies[0];
  return policies.find(({ targets }) => targets !== null && isTargeted(targets, concern, monitors)) ?? active;
}

const idsIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((id): id is string => typeof id === "string") : [];
