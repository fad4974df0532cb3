import type { AgentVote } from "../contract/monitor-object.ts";

/** What an agent found last of a monitor, and what is known of the agent. */
export interface KnownVote {
  vote: AgentVote;
  interval_ms: number;
  is_online: boolean;
}

/**
 * Which locations need not be waited for in a slot: whose agent is offline, has missed the slot before or never reported. It
 * may have come back just now; then it votes in the next slot.
 */
export function findGone(locations: readonly string[], known: readonly KnownVote[], slotAt: number): string[] {
  const present = known.filter(({ vote, interval_ms, is_online }) => is_online && vote.slot_at >= slotAt - interval_ms);
  return locations.filter((location) => !present.some(({ vote }) => vote.region === location));
}
