import type { MonitorStatus } from "../contract/monitor-values.ts";

/** Where somebody has to do something, the worst first. */
export const NEEDS_ATTENTION: readonly MonitorStatus[] = ["down", "degraded", "unknown"];

/** What is broken before what is fine; otherwise in the order that they have. */
export function worstFirst<Item extends { status: MonitorStatus }>(items: readonly Item[]): Item[] {
  const rankOf = ({ status }: Item) => {
    const rank = NEEDS_ATTENTION.indexOf(status);
    return rank === -1 ? NEEDS_ATTENTION.length : rank;
  };
  return items.toSorted((a, b) => rankOf(a) - rankOf(b));
}
