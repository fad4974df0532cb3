import type { MonitorStatus } from "../contract/monitor-values.ts";

/** Where somebody has to do something, the worst first. */
export const NEEDS_ATTENTION = ["down", "degraded", "unknown"] as const satisfies readonly MonitorStatus[];

const WORST_FIRST: readonly MonitorStatus[] = NEEDS_ATTENTION;

export function needsAttention(status: MonitorStatus): boolean {
  return WORST_FIRST.includes(status);
}

/** What is broken before what is fine; otherwise in the order that they have. */
export function worstFirst<Item extends { status: MonitorStatus }>(items: readonly Item[]): Item[] {
  const rankOf = ({ status }: Item) => {
    const rank = WORST_FIRST.indexOf(status);
    return rank === -1 ? WORST_FIRST.length : rank;
  };
  return items.toSorted((a, b) => rankOf(a) - rankOf(b));
}
