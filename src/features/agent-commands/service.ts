import { z } from "zod";
import { commit } from "../../access/commit.ts";
import { requireCallingAgent } from "../../access/principal.ts";
import { requireOwnCommand } from "../../access/resources.ts";
import type { RequestScope } from "../../access/scope.ts";
import { AgentFinding } from "../../contract/agent.ts";
import type { AgentCommandAck } from "../../contract/agent-command.ts";
import type { AgentCaller, QueuedCommand } from "../../contract/agent-object.ts";
import { unauthenticated } from "../../contract/errors.ts";
import { agentLocation } from "../../contract/location.ts";
import type { AgentCommandRecord } from "../../data/agent-reports/read.ts";
import { acknowledge } from "../../data/agent-reports/write.ts";
import { updateAgent } from "../../data/agents/write.ts";
import { OUTCOME_OF_STATUS } from "../../domain/check-status.ts";
import { awaitAgentCommands, connectAgent } from "../../platform/agent-objects.ts";
import { newMachineToken, sha256Hex } from "../../platform/credentials.ts";
import { monitorObject } from "../../platform/monitor-objects.ts";
import { agentAudit } from "../agent-api/service.ts";

const Asked = z.object({ asked_at: z.number(), assignment: z.object({ id: z.string() }) });

/** Waits until there is something to do, for at most this long. */
export async function awaitCommands(ctx: RequestScope, waitSeconds: number): Promise<QueuedCommand[]> {
  const commands = await awaitAgentCommands(ctx.env, callerOf(ctx), waitSeconds * 1000);
  if (commands === null) throw unauthenticated();
  return commands;
}

export function connectForCommands(ctx: RequestScope, connection: { answers: boolean }): Promise<Response> {
  return connectAgent(ctx.env, callerOf(ctx), connection);
}

function callerOf(ctx: RequestScope): AgentCaller {
  const { id, token_hash } = requireCallingAgent(ctx).agent;
  if (token_hash === null) throw new Error("an agent called without a credential");
  return { agent_id: id, token_hash };
}

/**
 * The first answer to a command stands. An agent that confirms rotate_token gets the next credential; as long as it is
 * not used, the answer may have been lost, and asking again gives another.
 */
export async function acknowledgeCommand(
  ctx: RequestScope,
  commandId: string,
  ack: AgentCommandAck,
): Promise<{ agent_token?: string }> {
  const { agent } = requireCallingAgent(ctx);
  const command = await requireOwnCommand(ctx, commandId);
  const isFirst = command.acked_at === null;
  const rotates = command.type === "rotate_token" && (isFirst ? ack.ok : command.ok && agent.next_token_hash !== null);
  if (!isFirst && !rotates) {
    // The request that stored the answer may have failed before it passed it on.
    if (command.type === "confirm") await passOn(ctx, command, { ok: command.ok === true, result: command.result });
    return {};
  }
  const token = rotates ? newMachineToken("agent") : undefined;
  const answer = { acked_at: ctx.now, ok: ack.ok, result: ack.result ?? null, error: ack.error ?? null };
  await commit(
    ctx,
    [
      acknowledge(ctx.db, { ...command, ...answer }),
      ...(token ? [updateAgent(ctx.db, agent, { next_token_hash: sha256Hex(token) })] : []),
    ],
    {
      audit: {
        ...agentAudit(agent, `agent "${agent.name}" answered ${command.type}`, { ok: ack.ok }),
        target_type: "agent_command",
        target_id: command.id,
      },
    },
  );
  if (command.type === "confirm") await passOn(ctx, command, ack);
  return token ? { agent_token: token } : {};
}

/** What an agent found that was asked about an outage. One that could not check lets it begin. */
async function passOn(
  ctx: RequestScope,
  { agent_id, params }: AgentCommandRecord,
  ack: Pick<AgentCommandAck, "ok" | "result">,
): Promise<void> {
  const asked = Asked.safeParse(params).data;
  if (!asked) return;
  const found = ack.ok ? AgentFinding.safeParse(ack.result).data : undefined;
  const { asked_at, assignment } = asked;
  await monitorObject(ctx.env, assignment.id).answer(assignment.id, {
    asked_at,
    region: agentLocation(agent_id),
    slot_at: asked_at,
    checked_at: ctx.now,
    outcome: found ? OUTCOME_OF_STATUS[found.status] : "error",
    latency_ms: found?.latency_ms ?? null,
    message: found?.message ?? "",
    ...(found?.observation && { observation: found.observation }),
  });
}
