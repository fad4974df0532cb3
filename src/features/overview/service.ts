import { viewerOf } from "../../access/pages.ts";
import { requireUser } from "../../access/principal.ts";
import type { RequestScope } from "../../access/scope.ts";
import { listAlarms } from "../../data/alarms/read.ts";
import { listWorst, readFleet, readOverview } from "../../data/overview/read.ts";
import { readServiceHealth } from "../../data/queue-health/read.ts";
import { countOutdated } from "../../data/sealed-values/read.ts";
import { computeFleetUptime } from "../../domain/fleet.ts";
import { markerLateAfterMs } from "../../domain/free-plan.ts";
import { computeDatabaseUse, listLateQueues } from "../../domain/service-health.ts";
import { DAY_MS, MINUTE_MS } from "../../lib/durations.ts";
import type { Env } from "../../platform/env.ts";
import { currentHashPrefix } from "../../platform/password.ts";
import { rootKeysOf } from "../../platform/root-keys.ts";
import { currentSealPrefix } from "../../platform/seal.ts";
import type { Settings } from "../../platform/settings.ts";

const FLEET_MS = 30 * DAY_MS;

export type Fleet = Awaited<ReturnType<typeof getFleet>>;
export type OverviewFound = Awaited<ReturnType<typeof getOverview>>;

export async function getOverview(ctx: RequestScope) {
  const late = { now: ctx.now, after_ms: ctx.settings.CHECKS_LATE_AFTER_MS };
  const viewer = await viewerOf(ctx);
  const found = await readOverview(ctx.db, viewer, late);
  return { ...found, service: requireUser(ctx).is_operator ? await getServiceState(ctx) : null };
}

/** As many monitors as a wall display names, the worst first. */
export async function listWorstMonitors(ctx: RequestScope, limit: number) {
  return listWorst(ctx.db, await viewerOf(ctx), limit);
}

/** Of the last 30 days until this minute began, so that the figures of an open overview rest between minutes. */
export async function getFleet(ctx: RequestScope) {
  const until = Math.floor(ctx.now / MINUTE_MS) * MINUTE_MS;
  const since = until - FLEET_MS;
  const fleet = await readFleet(ctx.db, await viewerOf(ctx), { until, since });
  // Null: of the whole span.
  const uptime_since = fleet.first_at !== null && fleet.first_at > since ? fleet.first_at : null;
  return { ...fleet, uptime: computeFleetUptime(fleet, { since, until }), uptime_since };
}

async function getServiceState({ db, env, settings }: RequestScope) {
  const [known, alarms] = await Promise.all([readServiceHealth(db), listAlarms(db)]);
  const lastDeadLetters = known.queues.flatMap(({ dead_letter_at }) => dead_letter_at ?? []);
  return {
    late_queues: listLateQueues(known, markerLateAfterMs(settings.PLAN, settings.CHECKS_LATE_AFTER_MS)),
    dead_letters: known.queues.reduce((sum, { dead_letters }) => sum + dead_letters, 0),
    last_dead_letter_at: lastDeadLetters.length === 0 ? null : Math.max(...lastDeadLetters),
    database_bytes: known.database_bytes,
    alarms,
    settings: {
      public_url: settings.PUBLIC_URL,
      sends_mail: sendsMail(env, settings),
      canaries: settings.CANARY_TARGETS.length,
      sends_heartbeat: settings.HEARTBEAT_URL !== "",
    },
    ...computeDatabaseUse(known.database_bytes, settings.PLAN),
    root_keys: await findOutdated({ db, settings }),
  };
}

async function findOutdated({ db, settings }: Pick<RequestScope, "db" | "settings">) {
  const { current, all } = rootKeysOf(settings.ROOT_SECRET);
  if (all.length === 1) return null;
  const seal_prefix = currentSealPrefix(settings.ROOT_SECRET);
  const hash_prefix = currentHashPrefix(settings);
  const counts = await countOutdated(db, { id: current.id, seal_prefix, hash_prefix });
  return { current: current.id, earlier: all.slice(1).map(({ id }) => id), ...counts };
}

/** Whether a way to send mail is set; otherwise it stays in the outbox. */
function sendsMail(env: Env, { MAIL_FROM, SMTP_URL, MAIL_HTTP_URL }: Settings): boolean {
  return MAIL_FROM !== "" && (SMTP_URL !== null || env.MAIL !== undefined || MAIL_HTTP_URL !== "");
}
