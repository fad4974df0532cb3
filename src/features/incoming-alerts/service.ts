import type { Guard } from "../../access/audited-write.ts";
import { requirePage } from "../../access/pages.ts";
import type { RequestScope } from "../../access/scope.ts";
import { raced } from "../../contract/errors.ts";
import type { ReceivedAlert } from "../../contract/incoming-alert.ts";
import { findOpenWithTag, hasOpenWithTag } from "../../data/incidents/read.ts";
import type { IncomingAlert } from "../../domain/incoming-alerts.ts";
import { idFrom } from "../../platform/ids.ts";
import { changeIncident, createIncident } from "../incidents/service.ts";

/**
 * Opens an incident of the page for what is wrong, unless it has one that is open, and resolves it with its end. A tag
 * remembers which alert an incident is about. It is not published: that is for people to decide.
 */
export async function receiveAlert(ctx: RequestScope, pageId: string, alert: IncomingAlert): Promise<ReceivedAlert> {
  const page = await requirePage(ctx, pageId);
  const tag = tagOf(page.id, alert.key);
  const open = await findOpenWithTag(ctx.db, page.id, tag);
  if (open && alert.is_firing) return { incident_id: open.id, is_open: true };
  if (open) {
    await changeIncident(ctx, open.id, { status: "resolved", message: alert.message ?? "The alert is over." });
    return { incident_id: open.id, is_open: false };
  }
  if (!alert.is_firing) return { incident_id: null, is_open: false };
  const { title, severity, message, monitor_id } = alert;
  const incident = { status_page_id: page.id, title, severity, message, monitor_id, tags: [tag], is_public: false };
  const { id, status } = await createIncident(ctx, incident, [alreadyOpen(page.id, tag)]);
  return { incident_id: id, is_open: status !== "resolved" };
}

/** Of the incident about what a program calls so. */
export const tagOf = (pageId: string, key: string) => `alert:${idFrom("incoming alert", pageId, key)}`;

/** Two reports at once open one incident: the second one finds that of the first. */
function alreadyOpen(pageId: string, tag: string): Guard {
  return { name: "stale", when: hasOpenWithTag(pageId, tag), error: raced("the alert has an incident by now") };
}
