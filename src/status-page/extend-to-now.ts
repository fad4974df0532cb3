import type { DayDurations, PagePayload, PublicMonitor } from "../contract/public-page.ts";
import type { StatusDurations } from "../domain/uptime.ts";

/**
 * The days of a monitor as of now. A payload stays good for as long as nothing changes, so the present status has held
 * since it was made.
 */
export function talliesUntil(
  monitor: PublicMonitor,
  { generated_at, valid_until }: Pick<PagePayload, "generated_at" | "valid_until">,
  now: number,
): StatusDurations[] {
  const tallies = monitor.tallies.map(unpack);
  const today = tallies.at(-1);
  const { status, counts_as } = monitor;
  if (today && counts_as !== "nothing" && (status === "up" || status === "degraded" || status === "down")) {
    today[counts_as ?? status] += Math.max(0, Math.min(now, valid_until) - generated_at);
  }
  return tallies;
}

function unpack(tally: DayDurations): StatusDurations {
  const [up, degraded, down, maintenance = 0] = tally ?? [0, 0, 0];
  return { up, degraded, down, maintenance };
}
