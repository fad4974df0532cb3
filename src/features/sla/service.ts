import { commit } from "../../access/commit.ts";
import { requirePage } from "../../access/pages.ts";
import { requireUser } from "../../access/principal.ts";
import { requireSlaPolicy } from "../../access/resources.ts";
import type { RequestScope } from "../../access/scope.ts";
import { invalid } from "../../contract/errors.ts";
import {
  FormerNames,
  FormerPolicy,
  FormerTargets,
  SLA_DAYS_MAX,
  type SlaFormerKind,
  type SlaQuery,
  type SlaTargets,
  TARGET_DEFAULT,
} from "../../contract/sla.ts";
import { composeMaintenanceTime, indexCoverage } from "../../data/maintenance/time.ts";
import {
  findAssignedPolicy,
  listSlaTargets,
  readSla,
  type SlaPolicyRecord,
  type SlaTargetRecord,
} from "../../data/sla/read.ts";
import { assignSlaPolicy, insertFormerValue, replaceSlaTargets } from "../../data/sla/write.ts";
import type { StatusPageRecord } from "../../data/status-pages/read.ts";
import {
  clipIntervals,
  endOfPeriod,
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
import type { StatusInterval } from "../../domain/uptime.ts";
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
 * Measures a page. The whole is the sum of its monitors' time; of members of a composite nothing is listed, because their
 * composite stands for them. Choice: without a period that of the policy, else 30 days.
 */
export async function measureSla(ctx: RequestScope, pageId: string, query: SlaQuery): Promise<MeasuredPage> {
  const { page, range, policy, rules, target_percentage, histories } = await loadHistories(ctx, pageId, query);
  const measured = histories.map((history) => {
    return {
      ...history,
      tally: tallySla(history.intervals, { maintenance: history.maintenance, range, now: ctx.now, rules }),
    };
  });
  const whole = measured.flatMap(({ whole_ms }) => whole_ms ?? []).reduce((sum, each) => sum + each, 0);
  const isGoingOn = measured.some(({ whole_ms }) => whole_ms !== undefined);
  const overall = sumSlaTallies(measured.map(({ tally }) => tally));
  return {
    page,
    range,
    policy,
    target_percentage,
    overall: evaluateSla(overall, target_percentage, rules, isGoingOn ? whole : undefined),
    monitors: measured.map(({ id, name, tally, target, whole_ms }) => ({
      id,
      name,
      target_percentage: target,
      result: evaluateSla(tally, target, rules, whole_ms),
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
  const tallies = histories.map(({ intervals, maintenance }) =>
    tallySteps(intervals, { maintenance, steps, now: ctx.now, rules }),
  );
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

/** A monitor's time on the page, as far as the range goes. */
interface History {
  id: string;
  name: string;
  intervals: StatusInterval[];
  maintenance: readonly Span[];
  target: number;
  /** Of its stay in the whole calendar period, while that goes on. */
  whole_ms: number | undefined;
}

/**
 * What both are computed from. A monitor's time counts for the page that it was on, and of a range that is over all is as
 * it was at its end: names, targets and the policy, regardless of what was renamed, moved, given another target or
 * deleted since.
 */
async function loadHistories(ctx: RequestScope, pageId: string, query: SlaQuery) {
  const { now } = ctx;
  const page = await requirePage(ctx, pageId);
  const period = query.period ?? (await periodOfPolicy(ctx, pageId, query));
  const range = period === null ? explicitRange(query, now) : spanOfPeriod(period, page.timezone, now);
  const ends_at = period === null ? null : endOfPeriod(period, page.timezone, now);
  const stored = await readSla(ctx.db, pageId, { ...range, now });
  if (stored.isTooLong) {
    throw invalid("the period holds more changes of status than one report takes; choose a shorter one");
  }
  const standing = restoreSettings(stored);
  const target_percentage = standing.targetOf.get(null) ?? standing.policy?.target_percentage ?? TARGET_DEFAULT;
  const covered = indexCoverage(stored.coverage);
  const known = { coverage: stored.coverage, counting: [] };
  const timeOf = await composeMaintenanceTime(ctx.db, stored.monitors, known, { since: range.from_at, now });
  const present = stored.monitors.map((monitor) => ({
    ...monitor,
    is_member: monitor.parent_monitor_id !== null,
    stay: { from_at: monitor.page_since ?? Number.NEGATIVE_INFINITY, to_at: Number.POSITIVE_INFINITY },
    begins_at: monitor.page_since ?? monitor.created_at,
    maintenance: timeOf(monitor.id).spans,
    own_target: undefined,
  }));
  const left = stored.stays.map(({ from_at, to_at, target_percentage: own_target, ...stay }) => ({
    ...stay,
    id: stay.monitor_id,
    stay: { from_at, to_at },
    begins_at: from_at,
    maintenance: covered({ id: stay.monitor_id, status_page_id: pageId, page_since: from_at }),
    own_target: own_target ?? undefined,
  }));
  const shown = [...left, ...present]
    .map((each) => ({ ...each, intervals: clipIntervals(each.intervals, each.stay) }))
    .filter((each) => !each.is_member && (each.begins_at < range.to_at || each.intervals.length > 0));
  const histories = [...Map.groupBy(shown, ({ id }) => id)].map(([id, stays]) => {
    const newest = stays.at(-1);
    const whole = stays.map(({ begins_at, stay }) => {
      return Math.min(stay.to_at, ends_at ?? now) - Math.max(begins_at, range.from_at);
    });
    return {
      id,
      position: newest?.position ?? 0,
      name: standing.nameOf.get(id) ?? newest?.name ?? "",
      intervals: stays.flatMap(({ intervals }) => intervals),
      maintenance: stays.flatMap(({ maintenance }) => maintenance),
      target: standing.targetOf.get(id) ?? newest?.own_target ?? target_percentage,
      whole_ms: ends_at === null ? undefined : whole.reduce((sum, each) => sum + Math.max(0, each), 0),
    };
  });
  histories.sort((a, b) => a.position - b.position || (a.id < b.id ? -1 : 1));
  const rules = standing.policy ?? RULES_DEFAULT;
  return { page, range, policy: standing.policy, rules, target_percentage, histories: histories satisfies History[] };
}

/**
 * Names, targets and the policy as they were at the end of the range: before the first change that came after it. Choice:
 * the first targets and the first policy of a page hold for its past, too, and terms may be corrected for a day after.
 */
function restoreSettings({ former, targets, policy }: Awaited<ReturnType<typeof readSla>>) {
  const names = former.filter(({ kind }) => kind === "name").map(({ monitor_id, value }) => [monitor_id, value]);
  const first = (kind: SlaFormerKind) => former.find((each) => each.kind === kind);
  const formerTargets = first("targets");
  const formerPolicy = first("policy");
  const pairs = formerTargets
    ? FormerTargets.parse(formerTargets.value)
    : targets.map(({ monitor_id, target_percentage }): [string | null, number] => [monitor_id, target_percentage]);
  return {
    // Of several later names the first one is the one that it had.
    nameOf: new Map(FormerNames.parse(names.reverse())),
    targetOf: new Map(pairs),
    policy: formerPolicy ? FormerPolicy.parse(formerPolicy.value) : (policy ?? null),
  };
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
  const { monitors, targets: former } = await readSla(ctx.db, pageId, {
    from_at: ctx.now,
    to_at: ctx.now,
    now: ctx.now,
  });
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
  const value = former.map(({ monitor_id, target_percentage }) => [monitor_id, target_percentage]);
  const keep = { status_page_id: pageId, kind: "targets" as const, value, now: ctx.now };
  const kept = former.length > 0 ? [insertFormerValue(ctx.db, keep)] : [];
  await commit(ctx, [...kept, ...replaceSlaTargets(ctx.db, pageId, records)], {
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
  const former = await findAssignedPolicy(ctx.db, pageId);
  const keep = { status_page_id: pageId, kind: "policy" as const, value: former, now: ctx.now };
  const kept = former ? [insertFormerValue(ctx.db, keep)] : [];
  await commit(ctx, [...kept, assignSlaPolicy(ctx.db, pageId, policyId, ctx.now)], {
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
