import type { Scope } from "../access/scope.ts";
import type { MeasuredCheck } from "../contract/check.ts";
import { runBatch } from "../data/db.ts";
import {
  type EventRuleRecord,
  findMonitorWithRules,
  findPageWithRules,
  listPagesWithRules,
  type PageWithRules,
} from "../data/event-rules/read.ts";
import type { MonitorRecord } from "../data/monitors/read.ts";
import { mapConcurrently } from "../lib/map-concurrently.ts";
import { NOTHING } from "../outbox/publication.ts";
import { newId } from "../platform/ids.ts";
import { fireRules, type RuleTrigger, retryStale } from "./rules.ts";

/**
 * Live evaluation of the rules that listen to metrics: pushes, reports of hosts and results of checks. A failure is logged,
 * because the next metrics are evaluated again.
 */

const PAGES_AT_ONCE = 6;

/** On a push. The monitor's object knows that rules listen to it. */
export async function evaluateMetricRules(
  scope: Scope,
  { monitor_id, at }: { monitor_id: string; at: number },
): Promise<void> {
  try {
    const id = `${monitor_id} ${newId()}`;
    await fireOnMetrics(scope, async () => {
      const found = await findMonitorWithRules(scope.db, monitor_id);
      return found && { ...found, id, agent_id: null, at, in_maintenance: null };
    });
  } catch (error) {
    scope.log.error("event rules not evaluated", error, { monitor_id });
  }
}

/** On metrics of an agent's host. */
export async function evaluateHostRules(
  scope: Scope,
  { agent_id, page_id, at }: { agent_id: string; page_id: string; at: number },
): Promise<void> {
  try {
    const id = `${agent_id} ${newId()}`;
    await fireOnMetrics(scope, async () => {
      const found = await findPageWithRules(scope.db, page_id);
      return found && { ...found, id, monitor: null, agent_id, at, in_maintenance: false };
    });
  } catch (error) {
    scope.log.error("event rules not evaluated", error, { agent_id });
  }
}

/** What a check from one region, or by an agent, measured. */
export interface MonitorResult extends MeasuredCheck {
  monitor: MonitorRecord;
  region: string;
}

/**
 * On results of checks, after they are stored. Costs no query where no rule listens to these monitors, as their rows say,
 * and one indexed read for all of them where some do, until one fires.
 */
export async function evaluateResultRules(scope: Scope, results: readonly MonitorResult[]): Promise<void> {
  const heard = results.filter(({ monitor, outcome }) => monitor.has_metric_rules && outcome !== "error");
  const byPage = Map.groupBy(heard, ({ monitor }) => monitor.status_page_id);
  byPage.delete(null);
  if (byPage.size === 0) return;
  try {
    const pages = await listPagesWithRules(
      scope.db,
      [...byPage.keys()].filter((id) => id !== null),
    );
    await mapConcurrently(pages, PAGES_AT_ONCE, (page) => firePage(scope, page, byPage.get(page.page.id) ?? []));
  } catch (error) {
    scope.log.error("event rules not evaluated", error, { count: heard.length });
  }
}

/** One result after the other, oldest first, because the firing of a rule decides whether it fires again. */
async function firePage(scope: Scope, read: PageWithRules, results: readonly MonitorResult[]): Promise<void> {
  let [known, used]: (PageWithRules | undefined)[] = [read];
  for (const { monitor, ...check } of results.toSorted((a, b) => a.at - b.at)) {
    const id = `${monitor.id} ${check.region} ${check.at}`;
    const trigger = { id, monitor, agent_id: null, at: check.at, in_maintenance: null, latest: check };
    const hasFired = await fireOnMetrics(scope, async () => {
      used = known ?? (await findPageWithRules(scope.db, read.page.id));
      // A repeat reads again what another evaluation changed.
      known = undefined;
      return used && { ...used, ...trigger };
    });
    if (!hasFired) known = used;
  }
}

type MetricTrigger = Omit<RuleTrigger, "kind" | "name" | "event"> & { rules: readonly EventRuleRecord[] };

async function fireOnMetrics(scope: Scope, read: () => Promise<MetricTrigger | undefined>): Promise<boolean> {
  const publication = await retryStale(async () => {
    const found = await read();
    if (!found) return NOTHING;
    const { rules, ...trigger } = found;
    const outcome = await fireRules(scope, [{ ...trigger, kind: "metrics", name: null, event: null }], rules);
    await runBatch(scope.db, outcome.publication.statements);
    return outcome.publication;
  });
  await publication.wake();
  return publication.statements.length > 0;
}
