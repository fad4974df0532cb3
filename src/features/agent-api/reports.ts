import type { AuditSubject } from "../../access/audited-write.ts";
import { commit, commitReports } from "../../access/commit.ts";
import { requireCallingAgent } from "../../access/principal.ts";
import type { RequestScope } from "../../access/scope.ts";
import type { AgentDiscoveriesReport, AgentEventsReport, AgentMetricsReport } from "../../contract/agent.ts";
import { type AgentReportRecord, countKnown } from "../../data/agent-reports/read.ts";
import { insertReports } from "../../data/agent-reports/write.ts";
import { evaluateHostRules } from "../../events/metric-rules.ts";
import { DAY_MS } from "../../lib/durations.ts";
import { idFrom } from "../../platform/ids.ts";
import { agentAudit } from "./service.ts";

export async function reportMetrics(ctx: RequestScope, metrics: AgentMetricsReport): Promise<number> {
  const accepted = await keepReports(
    ctx,
    "metric",
    // Reports without a time are distinguished by their position; the last one counts as now.
    metrics.map(({ collected_at, ...data }, n) => ({
      at: collected_at ?? ctx.now - (metrics.length - 1 - n),
      key: [],
      data,
    })),
  );
  const { agent, evaluates_rules } = requireCallingAgent(ctx);
  if (evaluates_rules && agent.status_page_id !== null) {
    ctx.defer(evaluateHostRules(ctx, { agent_id: agent.id, page_id: agent.status_page_id, at: ctx.now }));
  }
  return accepted;
}

export function reportEvents(ctx: RequestScope, { events }: AgentEventsReport): Promise<number> {
  return keepReports(
    ctx,
    "event",
    events.map(({ at, ...data }) => ({ at: at ?? ctx.now, key: [data.level, data.type, data.message], data })),
  );
}

/** What is found again is the same finding, and is kept for another day; only what is new is in the audit log. */
export async function reportDiscoveries(ctx: RequestScope, { discoveries }: AgentDiscoveriesReport): Promise<number> {
  const { agent } = requireCallingAgent(ctx);
  const audit = agentAudit(agent, `agent "${agent.name}" found services on its host`);
  return keepReports(
    ctx,
    "discovery",
    discoveries.map((data) => ({ at: null, key: [data.kind, data.name, data.target ?? ""], data })),
    audit,
  );
}

interface Report {
  /** null: now, also when it is repeated. */
  at: number | null;
  key: string[];
  data: Record<string, unknown>;
}

/** A clock that is ahead does not make a report last longer; what is too old to be kept is not taken. */
async function keepReports(
  ctx: RequestScope,
  kind: AgentReportRecord["kind"],
  received: readonly Report[],
  audit?: AuditSubject,
): Promise<number> {
  const { id: agent_id, owner_id } = requireCallingAgent(ctx).agent;
  const reports = received
    .map(({ at, key, data }) => ({
      id: idFrom(`agent ${kind}`, agent_id, String(at), ...key),
      agent_id,
      kind,
      at: Math.min(at ?? ctx.now, ctx.now),
      data,
    }))
    .filter(({ at }) => at > ctx.now - DAY_MS);
  const distinct = [...new Map(reports.map((report) => [report.id, report])).values()];
  const statements = distinct.length > 0 ? insertReports(ctx.db, { agent_id, kind }, distinct) : [];
  const known = audit ? await countKnown(ctx.db, distinct) : distinct.length;
  const found = distinct.length - known;
  if (audit && found > 0) await commit(ctx, statements, { audit: { ...audit, data: { found } }, counts_text: true });
  else if (statements.length > 0) await commitReports(ctx, owner_id, statements);
  return distinct.length;
}
