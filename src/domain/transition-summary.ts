import type { MonitorTransition } from "../contract/monitor-transition.ts";
import { assertNever } from "../lib/assert-never.ts";
import { formatDuration, secondsBetween } from "../lib/duration-format.ts";

type Change = Pick<MonitorTransition, "seq" | "from" | "to" | "effective_at" | "outage">;

/** A change of status as one line for people, without the name of its monitor: `is up again after 4 min`. */
export function describeTransition({ seq, from, to, effective_at, outage }: Change): string {
  switch (to) {
    case "up":
      if (outage) return `is up again after ${formatDuration(secondsBetween(outage.started_at, effective_at))}`;
      if (from !== "pending") return "is up again";
      return seq === 1 ? "is up for the first time" : "is up";
    case "down":
      // An outage goes on through a pause or an unknown time.
      return outage && outage.seq !== seq ? "is still down" : "went down";
    case "degraded":
      return "is degraded";
    case "unknown":
      return "is not known to be up or down";
    case "paused":
      return "is paused";
    case "pending":
      return from === "paused" ? "is resumed" : "waits for its first check";
    default:
      return assertNever(to);
  }
}
