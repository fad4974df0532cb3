import type { RequestScope } from "../../access/scope.ts";
import { findIncidentSubject } from "../../data/events/subject.ts";
import type { IncidentRecord } from "../../data/incidents/read.ts";
import { publishStatusPosts } from "../../delivery/status-posts.ts";
import { publishToSubscribers } from "../../delivery/subscriber-messages.ts";
import { describeSubject } from "../../domain/event-subject.ts";
import { incidentEvent } from "../../events/emit.ts";
import { joinPublications, type Publication } from "../../outbox/publication.ts";
import { newId } from "../../platform/ids.ts";

/** For the team and chats; subscribers read it in their language. */
const SENTENCE = "This incident was withdrawn.";

/** Those who read of an open incident that is deleted would wait for its end, and alerts stay open. */
export async function deletionEvent(ctx: RequestScope, incident: IncidentRecord) {
  const withdrawn: IncidentRecord = { ...incident, status: "resolved", resolved_at: ctx.now };
  const subject = await findIncidentSubject(ctx.db, incident.id);
  return incidentEvent(withdrawn, {
    id: newId(),
    name: "incident.resolved",
    message: SENTENCE,
    is_withdrawn: true,
    notify_subscribers: true,
    now: ctx.now,
    // What it affects is known until it is deleted; then no address leads to it.
    subject: subject && { ...describeSubject(subject, ctx.settings.PUBLIC_URL), url: null },
  });
}

/**
 * The end of an open incident that is unpublished, for its readers alone: to the team it goes on. `incident` is as they have
 * read it.
 */
export async function publishWithdrawal(ctx: RequestScope, incident: IncidentRecord): Promise<Publication> {
  const { now } = ctx;
  const news = incidentEvent(incident, {
    id: newId(),
    name: "incident.updated",
    message: SENTENCE,
    is_withdrawn: true,
    notify_subscribers: true,
    now,
  });
  const { id, data } = news;
  const notice = {
    id,
    name: "incident.withdrawn",
    status_page_id: incident.status_page_id,
    data,
    created_at: now,
  } as const;
  return joinPublications([
    await publishToSubscribers(ctx, [notice], now),
    await publishStatusPosts(ctx, [{ ...news, name: "incident.updated" }], { now }),
  ]);
}
