import { z } from "zod";
import { DEFAULT_REGION } from "./check.ts";
import { REGIONS, type Region } from "./monitor-values.ts";

const AGENT_PREFIX = "agent:";
const AGENT = /^agent:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const EDGE: readonly string[] = [DEFAULT_REGION, ...REGIONS];

/** From where a monitor is checked: a region of the edge, wherever the edge runs, or an agent of the monitor's owner. */
export const Location = z
  .string()
  .refine((name) => EDGE.includes(name) || AGENT.test(name), "must be a region, default or agent:<id>");
export type Location = z.infer<typeof Location>;

export const LOCATIONS_MAX = 10;

export const agentLocation = (agentId: string): Location => `${AGENT_PREFIX}${agentId}`;

/** The agent that a location names; null of the edge's. */
export function agentOf(location: string): string | null {
  return location.startsWith(AGENT_PREFIX) ? location.slice(AGENT_PREFIX.length) : null;
}

/** The agents among locations, in their order. */
export function agentsAmong(locations: readonly string[]): string[] {
  return locations.flatMap((location) => agentOf(location) ?? []);
}

/** The regions of the edge among locations, in their order. */
export function regionsAmong(locations: readonly string[]): Region[] {
  return REGIONS.filter((region) => locations.includes(region));
}

/** Whether the edge is among those that check. */
export function asksEdge({ agent_id, locations }: { agent_id: string | null; locations: readonly string[] }): boolean {
  return agent_id === null && (locations.length === 0 || locations.some((location) => agentOf(location) === null));
}

/** Whether an agent checks a monitor, alone or as one of its locations. */
export function runsOnAgent(
  { agent_id, locations }: { agent_id: string | null; locations: readonly string[] },
  agentId: string,
): boolean {
  return agent_id === agentId || locations.includes(agentLocation(agentId));
}

/** Every agent that checks a monitor. */
export function agentsOf({ agent_id, locations }: { agent_id: string | null; locations: readonly string[] }): string[] {
  return agent_id === null ? agentsAmong(locations) : [agent_id];
}

/** Whether agents vote on a monitor, and none runs it alone. */
export function isVotedOn({ agent_id, locations }: { agent_id: string | null; locations: readonly string[] }): boolean {
  return agent_id === null && locations.length > 0;
}

/** How many check a monitor; 0: wherever the checker runs. */
export function countLocations(monitor: {
  agent_id: string | null;
  locations: readonly string[];
  regions: readonly string[];
}): number {
  return isVotedOn(monitor) ? monitor.locations.length : monitor.regions.length;
}

/** Without a shard and an agent, nothing is checked: the results arrive as pushes, if at all. */
export function isChecked(monitor: {
  shard_id: string;
  agent_id: string | null;
  locations: readonly string[];
}): boolean {
  return monitor.shard_id !== "" || monitor.agent_id !== null || monitor.locations.length > 0;
}
