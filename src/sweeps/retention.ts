import type { Scope } from "../access/scope.ts";
import type { Plan } from "../contract/plan.ts";
import { runBatch, type Statement } from "../data/db.ts";
import { listMonitorPlans, listUserPlans } from "../data/retention/read.ts";
import {
  deleteExpiredAccountHistory,
  deleteExpiredMonitorHistory,
  deleteUnsubscribedBefore,
  type RetentionScope,
} from "../data/retention/write.ts";
import { DAY_MS, HOUR_MS } from "../lib/durations.ts";
import { sweepPastBudgets } from "./past-budgets.ts";
import { advanceSweep } from "./resumable-sweep.ts";
import { retentionCutoff } from "./retention-cutoff.ts";

/**
 * Forgets what is older than the owner's plan keeps history, oldest accounts and monitors first. A minute deletes so many
 * rows of a table at most; where there is more, the cursor stays and the sweep continues there with the next tick.
 */
const EVERY_MS = 6 * HOUR_MS;
const VISITED_MAX = 200;
const DELETED_MAX = 500;
const UNSUBSCRIBED_KEPT_MS = 30 * DAY_MS;

export async function sweepRetention(scope: Scope): Promise<void> {
  const { db } = scope;
  await advanceSweep(scope, {
    name: "past of monitors",
    every_ms: EVERY_MS,
    visit: async (after) =>
      visit(scope, after, await listMonitorPlans(db, after, VISITED_MAX), (kept) =>
        deleteExpiredMonitorHistory(db, kept, DELETED_MAX),
      ),
  });
  await advanceSweep(scope, {
    name: "events of accounts",
    every_ms: EVERY_MS,
    visit: async (after) =>
      visit(scope, after, await listUserPlans(db, after, VISITED_MAX), (kept) => [
        ...deleteExpiredAccountHistory(db, kept, DELETED_MAX),
        deleteUnsubscribedBefore(db, scope.now - UNSUBSCRIBED_KEPT_MS, DELETED_MAX),
      ]),
  });
  await sweepPastBudgets(scope);
}

async function visit(
  scope: Scope,
  after: string,
  visited: readonly { id: string; plan: Plan | null }[],
  deletionsOf: (kept: RetentionScope[]) => Statement[],
): Promise<string | null> {
  if (visited.length === 0) return null;
  const deleted = await runBatch(
    scope.db,
    deletionsOf(visited.map(({ id, plan }) => ({ id, edge: retentionCutoff(scope, plan) }))),
  );
  if (deleted.some((rows) => Array.isArray(rows) && rows.length >= DELETED_MAX)) return after;
  return visited.length < VISITED_MAX ? null : (visited.at(-1)?.id ?? null);
}
