import { requireUser } from "../../access/principal.ts";
import type { RequestScope } from "../../access/scope.ts";
import type { Statement } from "../../data/db.ts";
import type { IncidentRecord } from "../../data/incidents/read.ts";
import { insertMail } from "../../data/mail/write.ts";
import { insertNotification } from "../../data/notifications/write.ts";
import type { StatusPageRecord } from "../../data/status-pages/read.ts";
import { findUser } from "../../data/users/read.ts";
import { sendAfterResponse } from "../../delivery/mail.ts";
import { oneLine } from "../../lib/one-line.ts";
import { sealMail } from "../../outbox/mail.ts";
import { newId } from "../../platform/ids.ts";

interface Assignment {
  incident: IncidentRecord;
  /** Who was responsible before. */
  former: string | null;
}

interface AssigneeNotice {
  /** They belong in the batch that assigns the incident. */
  statements: Statement[];
  /** Once that is committed. */
  send(): void;
}

const NO_NOTICE: AssigneeNotice = { statements: [], send: () => {} };

/** Notifies a new assignee, in the dashboard and by mail; a person gets no message about an action of their own. */
export async function notifyAssignee(
  ctx: RequestScope,
  page: StatusPageRecord,
  { incident, former }: Assignment,
): Promise<AssigneeNotice> {
  const caller = requireUser(ctx);
  const assigneeId = incident.assigned_to_id;
  if (assigneeId === null || assigneeId === former || assigneeId === caller.user_id) return NO_NOTICE;
  const assignee = await findUser(ctx.db, assigneeId);
  if (!assignee) return NO_NOTICE;
  const text = `${caller.email} assigned the incident "${oneLine(incident.title)}" of the status page "${oneLine(page.name)}" to you.`;
  const notification = insertNotification(ctx.db, {
    id: newId(ctx.now),
    user_id: assignee.id,
    type: "incident.assigned",
    title: "An incident was assigned to you",
    message: text,
    status_page_id: page.id,
    target_id: incident.id,
    read_at: null,
    created_at: ctx.now,
    updated_at: ctx.now,
  });
  // An address that nobody has proven may belong to somebody who never heard of this service.
  if (assignee.email_verified_at === null) return { ...NO_NOTICE, statements: [notification] };
  const lines = ["Hello,", "", text, "", `${ctx.publicUrl}/app/incidents/${incident.id}`];
  const mail = await sealMail(ctx, {
    to: assignee.email,
    subject: "An incident was assigned to you",
    text: lines.join("\n"),
    action: "Open the incident",
  });
  return {
    statements: [notification, insertMail(ctx.db, mail)],
    send: () => sendAfterResponse(ctx, mail),
  };
}
