import type { NewEvent } from "../contract/events.ts";
import type { Db } from "../data/db.ts";
import { listTargetedMonitors } from "../data/monitors/targets.ts";
import type { ActiveWebhook } from "../data/webhooks/read.ts";
import { concernOf, isTargeted } from "../domain/alert-targets.ts";

/**
 * Whether an event concerns what the targets of a webhook name; one without targets hears of everything. What concerns no
 * monitor reaches one with targets where it lists the event.
 */
export async function findTargeted(
  db: Db,
  events: readonly NewEvent[],
  webhooks: readonly ActiveWebhook[],
): Promise<(event: NewEvent, webhook: ActiveWebhook) => boolean> {
  const named = webhooks.flatMap(({ targets }) => targets ?? []);
  if (named.length === 0) return () => true;
  const concerns = new Map(events.map((event) => [event.id, concernOf(event)]));
  const concerned = [...concerns.values()].filter((concern) => concern !== null);
  const rows = await listTargetedMonitors(db, {
    monitor_ids: concerned.flatMap(({ monitor_ids }) => monitor_ids),
    group_ids: concerned.flatMap(({ group_ids }) => group_ids),
    targets: {
      monitor_ids: named.flatMap(({ monitor_ids }) => monitor_ids),
      group_ids: named.flatMap(({ group_ids }) => group_ids),
      tags: named.flatMap(({ tags }) => tags),
    },
  });
  const monitors = new Map(rows.map((monitor) => [monitor.id, monitor]));
  return ({ id }, { targets, events: listed }) => {
    if (targets === null) return true;
    const concern = concerns.get(id) ?? null;
    return concern === null ? listed.length > 0 : isTargeted(targets, concern, monitors);
  };
}
