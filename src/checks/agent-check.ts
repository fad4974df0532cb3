import type { Scope } from "../access/scope.ts";
import { DEFAULT_REGION, type ManualCheckResult } from "../contract/check.ts";
import { findCommand } from "../data/agent-reports/read.ts";
import { listLatestOfAgents, type RunByAgent } from "../data/agent-results/read.ts";
import type { MonitorRecord } from "../data/monitors/read.ts";
import { STATUS_OF_OUTCOME } from "../domain/check-status.ts";
import { now, sleep } from "../platform/clock.ts";
import { answerInTime } from "../platform/object-timeout.ts";
import { agentHistory } from "../platform/prober-objects.ts";

const LOOK_EVERY_MS = 500;

/** The order to an agent that it checks a monitor now, besides its schedule; it answers by submitting the result. */
export interface RequestedAgentCheck {
  agent_id: string;
  command_id: string;
  /** When the newest result that was there before was measured. */
  after: number;
}

export async function findNewestResultAt(scope: Pick<Scope, "db">, monitor: RunByAgent): Promise<number> {
  const [newest] = await listLatestOfAgents(scope.db, [monitor]);
  return newest?.[1] ?? 0;
}

/** Waits for the agent's result, at most AGENT_CHECK_WAIT_MS. */
export async function awaitAgentResult(
  scope: Scope,
  monitor: MonitorRecord,
  ordered: RequestedAgentCheck,
): Promise<ManualCheckResult> {
  const until = now() + scope.settings.AGENT_CHECK_WAIT_MS;
  for (;;) {
    const hasCome = (await findNewestResultAt(scope, { ...monitor, agent_id: ordered.agent_id })) > ordered.after;
    const result = hasCome ? await answerInTime(agentHistory(scope.env, ordered.agent_id).newest(monitor.id)) : null;
    if (result) {
      const { outcome, latency_ms, message, checked_at, details = {} } = result;
      const status = STATUS_OF_OUTCOME[outcome];
      return { status, latency_ms, message, region: DEFAULT_REGION, colo: null, checked_at, details };
    }
    const command = await findCommand(scope.db, ordered.agent_id, ordered.command_id);
    if (command?.ok === false) return unknownBecause(command.error ?? "the agent could not check", now());
    if (now() >= until) return unknownBecause("the agent did not answer in time", now());
    await sleep(Math.min(LOOK_EVERY_MS, until - now()));
  }
}

export function unknownBecause(message: string, checked_at: number): ManualCheckResult {
  const region = DEFAULT_REGION;
  return { status: "unknown", latency_ms: null, message, region, colo: null, checked_at, details: {} };
}
