import { z } from "zod";
import { Id, Instant, Name } from "./common.ts";
import { INTERVAL_MIN_S } from "./monitor.ts";
import { MONITOR_TYPES } from "./monitor-values.ts";

const DAY_S = 86_400;

export const AgentDiscovery = z
  .object({
    id: Id.meta({ description: "the same each time that the service is found" }),
    seen_at: Instant,
    kind: z.string(),
    name: z.string(),
    target: z.string().nullable(),
    type: z.enum(MONITOR_TYPES).nullable().meta({ description: "of the monitor that can watch it; null: not known" }),
    monitor_id: Id.nullable().meta({ description: "a monitor of this agent that watches it, if you may see one" }),
    details: z.unknown(),
  })
  .meta({ id: "AgentDiscovery" });

export const DiscoveryMonitor = z
  .object({
    name: Name.optional().meta({ description: "default: the name of the discovery" }),
    type: z.enum(MONITOR_TYPES).optional().meta({ description: "default: the type of the discovery" }),
    target: z.string().trim().min(1).max(2048).optional().meta({ description: "default: the target of the discovery" }),
    interval: z.int().min(INTERVAL_MIN_S).max(DAY_S).optional(),
    status_page_id: Id.nullish().meta({ description: "default: the page of the agent; null: none" }),
    group_id: Id.nullish(),
    paused: z.boolean().optional(),
    verify_ssl: z.boolean().optional().meta({
      description:
        "default: false where the agent found at a private address a certificate that it cannot verify, else true",
    }),
  })
  .meta({ id: "DiscoveryMonitor" });
export type DiscoveryMonitor = z.infer<typeof DiscoveryMonitor>;
