import type { DomainRecord } from "../../data/custom-domains/read.ts";
import type { NotificationRecord } from "../../data/notifications/read.ts";
import { LOST_AFTER_MS } from "../../domain/custom-domain.ts";
import { toIso } from "../../platform/clock.ts";
import { idFrom } from "../../platform/ids.ts";

/** Notifications to the owner of a page about changes of its domain. */
export function buildDomainNotifications({
  before,
  after,
}: {
  before: DomainRecord;
  after: DomainRecord;
}): NotificationRecord[] {
  const { hostname } = after;
  const say = (type: NotificationRecord["type"], title: string, message: string): NotificationRecord[] => [
    {
      // Two sweeps over the same claim notify once.
      id: idFrom("notification", type, hostname, after.proof, String(before.updated_at)),
      user_id: after.owner_id,
      type,
      title,
      message,
      status_page_id: after.status_page_id,
      target_id: after.status_page_id,
      read_at: null,
      created_at: after.updated_at,
      updated_at: after.updated_at,
    },
  ];
  if (after.status === "active" && before.status !== "active") {
    const hint = after.error === null ? "" : ` Still to be done: ${after.error}.`;
    return say("domain.active", `${hostname} is active`, `The status page is served at https://${hostname}.${hint}`);
  }
  if (after.status === "error" && before.status !== "error") {
    const title = `${hostname} is not active${before.status === "active" ? " any more" : ""}`;
    return say("domain.inactive", title, `The status page is not served there: ${after.error}.`);
  }
  const lostSince = earliest(after);
  if (after.status !== "active" || lostSince === null || earliest(before) !== null) return [];
  const message = `${after.error}. If it is not restored, the page stops being served there at ${toIso(lostSince + LOST_AFTER_MS)}.`;
  return say(
    "domain.failing",
    `DNS of ${hostname} is not as it was`,
    message.charAt(0).toUpperCase() + message.slice(1),
  );
}

function earliest({ lost_since, astray_since }: DomainRecord): number | null {
  const losses = [lost_since, astray_since].filter((at) => at !== null);
  return losses.length === 0 ? null : Math.min(...losses);
}
