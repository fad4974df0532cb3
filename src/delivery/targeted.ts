import type { AlertTargets } from "../contract/alert-targets.ts";
import type { NewEvent } from "../contract/events.ts";
import type { Db } from "../data/db.ts";
import { listTargetedMonitors } from "../data/monitors/targets.ts";
import { listAlertingPolicies } from "../data/on-call/read.ts";
import type { ActiveWebhook } from "../data/webhooks/read.ts";
import { type Concern, choosePolicy, concernOf, isTargeted, type TargetedMonitor } from "../domain/alert-targets.ts";

/**
 * Whether an event concerns what the targets of a webhook name; one without targets hears of everything. What concerns no
 * monitor reaches one with targets where it lists the event.
 */
export async function findTargeted(
  db: Db,
  events: readonly NewEvent[],
  webhooks: readonly ActiveWebhook[],
): Promise<(event: NewEvent, webhook: ActiveWebhook) => boolean> {
  const concerns = new Map(events.map((event) => [event.id, concernOf(event)]));
  const monitors = await loadTargeted(db, [...concerns.values()], webhooks);
  return ({ id }, { targets, events: listed }) => {
    if (targets === null) return true;
    const concern = concerns.get(id) ?? null;
    return concern === null ? listed.length > 0 : isTargeted(targets, concern, monitors);
  };
}

/** The policy of its page by which an event escalates. */
export async function findPolicyFor(
  db: Db,
  event: Pick<NewEvent, "name" | "monitor_id" | "data">,
  pageId: string,
): Promise<string | undefined> {
  const policies = await listAlertingPolicies(db, pageId);
  const concern = concernOf(event);
  return choosePolicy(policies, concern, await loadTargeted(db, [concern], policies))?.id;
}

/** The monitors that these concern and that are among the targets of any of these; no query where nothing has targets. */
async function loadTargeted(
  db: Db,
  concerns: readonly (Concern | null)[],
  limited: readonly { targets: AlertTargets | null }[],
): Promise<Map<string, TargetedMonitor>> {
  const named = limited.flatMap(({ targets }) => targets ?? []);
  if (named.length === 0) return new Map();
  const concerned = concerns.filter((concern) => concern !== null);
  const rows = await listTargetedMonitors(db, {
    monitor_ids: concerned.flatMap(({ monitor_ids }) => monitor_ids),
    group_ids: concerned.flatMap(({ group_ids }) => group_ids),
    targets: {
      monitor_ids: named.flatMap(({ monitor_ids }) => monitor_ids),
      group_ids: named.flatMap(({ group_ids }) => group_ids),
      tags: named.flatMap(({ tags }) => tags),
    },
  });
  return new Map(rows.map((monitor) => [monitor.id, monitor]));
}
