import type { Deps } from "../access/scope.ts";
import { type AdHocResult, DEFAULT_REGION } from "../contract/check.ts";
import { findCommand } from "../data/agent-reports/read.ts";
import { listResults } from "../data/agent-results/read.ts";
import type { MonitorRecord } from "../data/monitors/read.ts";
import { sleep } from "../platform/clock.ts";

const LOOK_EVERY_MS = 500;

/** The order to an agent that it checks a monitor now, besides its schedule; it answers by submitting the result. */
export interface OrderedCheck {
  agent_id: string;
  command_id: string;
  /** When the newest result that was there before was measured. */
  after: number;
}

export async function findNewestResultAt(deps: Pick<Deps, "db">, monitorId: string): Promise<number> {
  const [newest] = await listResults(deps.db, monitorId, { limit: 1 });
  return newest?.checked_at ?? 0;
}

/** Waits for the agent's result, but no longer than somebody waits for an answer. */
export async function awaitAgent(deps: Deps, monitor: MonitorRecord, ordered: OrderedCheck): Promise<AdHocResult> {
  const until = deps.now() + deps.settings.AGENT_CHECK_WAIT_MS;
  for (;;) {
    const [result] = await listResults(deps.db, monitor.id, { from: ordered.after + 1, limit: 1 });
    if (result) {
      const { status, latency_ms, message, checked_at, details } = result;
      return { status, latency_ms, message, region: DEFAULT_REGION, checked_at, details };
    }
    const command = await findCommand(deps.db, ordered.agent_id, ordered.command_id);
    if (command?.ok === false) return unknownBecause(command.error ?? "the agent could not check", deps.now());
    if (deps.now() >= until) return unknownBecause("the agent did not answer in time", deps.now());
    await sleep(Math.min(LOOK_EVERY_MS, until - deps.now()));
  }
}

export function unknownBecause(message: string, checked_at: number): AdHocResult {
  return { status: "unknown", latency_ms: null, message, region: DEFAULT_REGION, checked_at, details: {} };
}
