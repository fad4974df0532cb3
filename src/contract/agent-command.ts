import { z } from "zod";
import { printable, printableJson } from "../lib/printable.ts";
import { AGENT_JSON_MAX, AGENT_MESSAGE_MAX, Bag } from "./agent.ts";
import { Id, Instant } from "./common.ts";

/** Those that people queue. */
export const ORDERED_COMMANDS = ["check_now", "update", "rotate_token", "discover"] as const;
export const AGENT_COMMANDS = [...ORDERED_COMMANDS, "confirm"] as const;
export type AgentCommandType = (typeof AGENT_COMMANDS)[number];

export const AgentCommand = z
  .object({
    id: Id,
    type: z.enum(AGENT_COMMANDS),
    params: z.record(z.string(), z.unknown()).meta({
      description:
        "of check_now: `monitor_id`, the one monitor to check; absent: all of them. Of confirm, which the service asks by itself before an outage is announced: `assignment`, to check once; the result goes into the answer",
    }),
  })
  .meta({ id: "AgentCommand" });

/** A command as people see it. */
export const AgentCommandStatus = AgentCommand.extend({
  acknowledged_at: Instant.nullable().meta({ description: "null: the agent has not answered yet" }),
  ok: z.boolean().nullable(),
  result: z.unknown().meta({
    description:
      "what the agent answered: of check_now `{status, latency_ms, message}` or `{checked}`, of discover `{found}`, of update `{updated, version}`",
  }),
  error: z.string().nullable().meta({ description: "why it could not be done" }),
  created_at: Instant,
  updated_at: Instant,
}).meta({ id: "AgentCommandStatus" });

/** What the service sends over the connection of GET /agents/commands/live. */
export interface AgentCommandsMessage {
  commands: z.infer<typeof AgentCommand>[];
  /** GET /agents/monitors has a new answer. */
  monitors_changed: boolean;
}

export const AgentCommandCreate = z
  .object({ type: z.enum(ORDERED_COMMANDS), params: Bag.nullish() })
  .meta({ id: "AgentCommandCreate" });
export type AgentCommandCreate = z.infer<typeof AgentCommandCreate>;

export const AgentCommandAck = z
  .object({
    ok: z.boolean(),
    result: z.unknown().overwrite(printableJson).optional(),
    error: z.string().overwrite(printable).max(AGENT_MESSAGE_MAX).nullish(),
  })
  .refine(({ result }) => (JSON.stringify(result) ?? "").length <= AGENT_JSON_MAX, {
    path: ["result"],
    message: `must take at most ${AGENT_JSON_MAX} characters as JSON`,
  })
  .meta({ id: "AgentCommandAck" });
export type AgentCommandAck = z.infer<typeof AgentCommandAck>;

export const AgentCommandAcked = z
  .object({
    acknowledged: z.literal(true),
    agent_token: z.string().optional().meta({
      description: "after rotate_token: the new credential; the old one is good until the new one is first used",
    }),
  })
  .meta({ id: "AgentCommandAcked" });
