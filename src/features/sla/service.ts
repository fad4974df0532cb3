import { commit } from "../../access/commit.ts";
import { requirePage } from "../../access/pages.ts";
import { requireUser } from "../../access/principal.ts";
import { requireSlaPolicy } from "../../access/resources.ts";
import type { RequestScope } from "../../access/scope.ts";
import { invalid } from "../../contract/errors.ts";
import { SLA_DAYS_MAX, type SlaQuery, type SlaTargets, TARGET_DEFAULT } from "../../contract/sla.ts";
import { readMaintenanceTime } from "../../data/maintenance/time.ts";
import {
  findAssignedPolicy,
  listSlaTargets,
  readSla,
  type SlaPolicyRecord,
  type SlaTargetRecord,
} from "../../data/sla/read.ts";
import { assignSlaPolicy, replaceSlaTargets } from "../../data/sla/write.ts";
import type { StatusPageRecord } from "../../data/status-pages/read.ts";
import {
  evaluateSla,
  REPORT_PERIODS,
  type SlaResult,
  type SlaRules,
  spanOfPeriod,
  splitIntoSteps,
  sumSlaTallies,
  tallySla,
  tallySteps,
} from "../../domain/sla.ts";
import { DAY_MS } from "../../lib/durations.ts";
import type { Span } from "../../lib/spans.ts";
import { newId } from "../../platform/ids.ts";

/** Without a policy. */
export const RULES_DEFAULT: SlaRules = { exclude_maintenance: true, degraded_counts_as_downtime: false };

export interface MeasuredMonitor {
  id: string;
  name: string;
  target_percentage: number;
  result: SlaResult;
}

export interface MeasuredPage {
  page: StatusPageRecord;
  range: Span;
  policy: SlaPolicyRecord | null;
  target_percentage: number;
  overall: SlaResult;
  monitors: MeasuredMonitor[];
}

/**
 * Measures a page. The whole is the sum of its monitors' time; members of a composite are listed, but in the whole their
 * composite stands for them. Choice: without a period that of the policy, else 30 days.
 */
export async function measureSla(ctx: RequestScope, pageId: string, query: SlaQuery): Promise<MeasuredPage> {
  const { page, range, policy, rules, target_percentage, histories } = await loadHistories(ctx, pageId, query);
  const measured = histories.map(({ monitor, intervals, maintenance, target }) => {
    return { monitor, target, tally: tallySla(intervals, { maintenance, range, now: ctx.now, rules }) };
  });
  const standing = measured.filter(({ monitor }) => monitor.parent_monitor_id === null);
  return {
    page,
    range,
    policy,
    target_percentage,
    overall: evaluateSla(sumSlaTallies(standing.map(({ tally }) => tally)), target_percentage, rules),
    monitors: measured.map(({ monitor: { id, name }, tally, target }) => ({
      id,
      name,
      target_percentage: target,
      result: evaluateSla(tally, target, rules),
    })),
  };
}

export interface MeasuredHistory extends Pick<MeasuredPage, "page" | "range" | "target_percentage"> {
  steps: (Span & { result: SlaResult })[];
}

/** The whole of a page by days or weeks. */
export async function measureSlaHistory(ctx: RequestScope, pageId: string, query: SlaQuery): Promise<MeasuredHistory> {
  const { page, range, rules, target_percentage, histories } = await loadHistories(ctx, pageId, query);
  const steps = splitIntoSteps(range, page.timezone);
  const tallies = histories
    .filter(({ monitor }) => monitor.parent_monitor_id === null)
    .map(({ intervals, maintenance }) => tallySteps(intervals, { maintenance, steps, now: ctx.now, rules }));
  return {
    page,
    range,
    target_percentage,
    steps: steps.map((step, n) => {
      const tally = sumSlaTallies(tallies.flatMap((each) => each[n] ?? []));
      return { ...step, result: evaluateSla(tally, target_percentage, rules) };
    }),
  };
}

/** What both are computed from: each monitor's statuses and maintenance, by which rules, against which target. */
async function loadHistories(ctx: RequestScope, pageId: string, query: SlaQuery) {
  const page = await requirePage(ctx, pageId);
  const period = query.period ?? (await periodOfPolicy(ctx, pageId, query));
  const range = period === null ? explicitRange(query, ctx.now) : spanOfPeriod(period, page.timezone, ctx.now);
  const found = await readSla(ctx.db, pageId, range);
  if (found.isTooLong) {
    throw invalid("the period holds more changes of status than one report takes; choose a shorter one");
  }
  const timeOf = await readMaintenanceTime(
    ctx.db,
    found.monitors.map(({ id }) => id),
    { since: range.from_at, now: ctx.now },
  );
  const targetOf = new Map(found.targets.map((target) => [target.monitor_id, target.target_percentage]));
  const target_percentage = targetOf.get(null) ?? found.policy?.target_percentage ?? TARGET_DEFAULT;
  const histories = found.monitors.map(({ intervals, ...monitor }) => {
    const target = targetOf.get(monitor.id) ?? target_percentage;
    return { monitor, intervals, maintenance: timeOf(monitor.id).spans, target };
  });
  const rules = found.policy ?? RULES_DEFAULT;
  return { page, range, policy: found.policy ?? null, rules, target_percentage, histories };
}

async function periodOfPolicy(ctx: RequestScope, pageId: string, query: SlaQuery) {
  if (query.from !== undefined) return null;
  const policy = await findAssignedPolicy(ctx.db, pageId);
  return policy ? REPORT_PERIODS[policy.period] : "30d";
}

/** The future is not measured. */
function explicitRange({ from = 0, to }: SlaQuery, now: number): Span {
  const to_at = Math.min(to ?? now, now);
  if (from >= to_at) throw invalid("from must be before to, and before now");
  if (to_at - from > SLA_DAYS_MAX * DAY_MS) throw invalid(`from and to must be at most ${SLA_DAYS_MAX} days apart`);
  return { from_at: from, to_at };
}

export async function getTargets(ctx: RequestScope, pageId: string): Promise<SlaTargetRecord[]> {
  await requirePage(ctx, pageId);
  return listSlaTargets(ctx.db, pageId);
}

export async function setTargets(
  ctx: RequestScope,
  pageId: string,
  { targets }: SlaTargets,
): Promise<SlaTargetRecord[]> {
  const page = await requirePage(ctx, pageId);
  const ids = targets.map(({ monitor_id }) => monitor_id);
  if (new Set(ids).size < ids.length) throw invalid("targets must not name a monitor, or the page, twice");
  const { monitors } = await readSla(ctx.db, pageId, { from_at: ctx.now, to_at: ctx.now });
  const known = new Set(monitors.map(({ id }) => id));
  const foreign = ids.findIndex((id) => id !== null && !known.has(id));
  if (foreign >= 0) throw invalid(`targets[${foreign}].monitor_id must name a monitor of the status page`);
  const records = targets.map(({ monitor_id, target_percentage }) => ({
    id: newId(ctx.now),
    status_page_id: pageId,
    monitor_id,
    target_percentage,
    created_at: ctx.now,
    updated_at: ctx.now,
  }));
  await commit(ctx, replaceSlaTargets(ctx.db, pageId, records), {
    audit: pageAudit(page, `set ${targets.length} SLA targets`, { targets }),
  });
  return listSlaTargets(ctx.db, pageId);
}

export async function getAssignedPolicy(ctx: RequestScope, pageId: string): Promise<SlaPolicyRecord | null> {
  await requirePage(ctx, pageId);
  return (await findAssignedPolicy(ctx.db, pageId)) ?? null;
}

export async function assignPolicy(
  ctx: RequestScope,
  pageId: string,
  policyId: string | null,
): Promise<SlaPolicyRecord | null> {
  const page = await requirePage(ctx, pageId);
  const policy = policyId === null ? null : await requireSlaPolicy(ctx, policyId);
  if (policy) await requireChoosable(ctx, page, policy);
  const summary = policy ? `assigned SLA policy "${policy.name}"` : "removed the SLA policy";
  await commit(ctx, [assignSlaPolicy(ctx.db, pageId, policyId, ctx.now)], {
    audit: pageAudit(page, summary, { policy_id: policyId }),
  });
  return policy;
}

/**
 * Choice: a page is measured by a policy of its owner, which outlives every membership, or of the user who chooses it; what
 * it is measured by already stays whosever it is.
 */
async function requireChoosable(ctx: RequestScope, page: StatusPageRecord, policy: SlaPolicyRecord): Promise<void> {
  if ([page.owner_id, requireUser(ctx).user_id].includes(policy.owner_id)) return;
  if ((await findAssignedPolicy(ctx.db, page.id))?.id === policy.id) return;
  throw invalid("policy_id must name a policy of the status page's owner, or one of your own");
}

export function getPolicy(ctx: RequestScope, policyId: string): Promise<SlaPolicyRecord> {
  return requireSlaPolicy(ctx, policyId);
}

function pageAudit(page: StatusPageRecord, summary: string, data: Record<string, unknown>) {
  return {
    owner_id: page.owner_id,
    status_page_id: page.id,
    target_type: "status_page",
    target_id: page.id,
    summary: `${summary} of status page "${page.name}"`,
    data,
  };
}
