import type { Scope } from "../access/scope.ts";
import { isKnownEvent, type KnownEvent, type NewEvent } from "../contract/events.ts";
import type { TeamTopics } from "../contract/team-notification.ts";
import type { Statement } from "../data/db.ts";
import type { MailRecord } from "../data/mail/read.ts";
import { insertMails } from "../data/mail/write.ts";
import type { NotificationRecord } from "../data/notifications/read.ts";
import { insertNotifications } from "../data/notifications/write.ts";
import { type ContactMessageRecord, listBrowsers } from "../data/notify-contacts/read.ts";
import { insertContactMessages } from "../data/notify-contacts/write.ts";
import type { Team, TeamMember } from "../data/team/read.ts";
import type { Outage } from "../domain/alert-bundling.ts";
import { type AlertMessage, type AlertReader, composeAlert } from "../domain/alert-messages.ts";
import { composeBundle, type StillDown } from "../domain/bundle-messages.ts";
import { hasPermission } from "../domain/roles.ts";
import { fillPreferences, fillTopics, type TeamChannel, topicFor, wasNotified } from "../domain/team-notifications.ts";
import { plainText } from "../notifiers/chat-text.ts";
import { idFrom } from "../platform/ids.ts";
import { preferenceToken } from "../platform/preference-tokens.ts";
import { withAcknowledgeLink } from "./acknowledge-link.ts";
import { sealAlertMail } from "./alert-mail.ts";
import { sealContactMessage } from "./contact-messages.ts";
import type { NotifiedOnCall } from "./notified-on-call.ts";

/**
 * The owner and the members of a page are notified by mail, in the dashboard and on their phones, as far as the page and
 * they themselves want it. All are rows of the batch that releases the alert.
 */
export interface TeamAlert {
  kind: Outage | null;
  events: readonly NewEvent[];
  /** The one that lists their incidents. */
  incident_id?: string;
  still_down?: StillDown;
  /** By the id of an event that ends something, the alarms that it ends, as far as they are known. */
  alarms?: ReadonlyMap<string, readonly Alarm[]>;
}

export interface Alarm {
  event: KnownEvent;
  /** Epoch ms at which people were notified of it. */
  announced_at: number;
  /** The people and addresses that an escalation notified of it. */
  on_call: ReadonlySet<string>;
}

interface TeamRows {
  statements: Statement[];
  mails: MailRecord[];
  pushes: ContactMessageRecord[];
}

/** As many rows go into one statement, because a parameter may have 2 MB. */
const ROWS_PER_STATEMENT = 100;

/**
 * A person that an escalation notified gets no second message as a member of the team, and one that was not notified of an
 * alarm gets no message about its end.
 */
export async function notifyTeam(
  scope: Scope,
  { team, onCall }: { team: Team; onCall: NotifiedOnCall },
  alert: TeamAlert,
): Promise<TeamRows> {
  const notifications: NotificationRecord[] = [];
  const mails: MailRecord[] = [];
  const pushes: ContactMessageRecord[] = [];
  const browsers = await listBrowsers(
    scope.db,
    team.members.map(({ id }) => id),
  );
  const browsersOf = Map.groupBy(browsers, ({ user_id }) => user_id);
  const page = fillTopics(team.page?.notify_team ?? {});
  const reader = readerOf(scope, team);
  for (const member of team.members) {
    const preferences = fillPreferences(member.preferences);
    const events = alert.events
      .filter(isKnownEvent)
      .filter((event) => topicFor(event, page, preferences) !== null && !isNotified(onCall, event, member));
    const by = (channel: TeamChannel): Personal | undefined => {
      if (!preferences[channel]) return undefined;
      const news = events.filter((event) => isNews(alert, event, { page, member }, channel));
      const message = messageOf({ ...alert, events: news }, reader);
      const [event] = news;
      return message && event && { event, member, message };
    };
    const mayAcknowledge = alert.kind === null && hasPermission(member.membership, "incidents.write");
    const answerable = (personal: Personal): Personal => {
      const { event, message } = personal;
      return mayAcknowledge
        ? { ...personal, message: withAcknowledgeLink(scope, { event, message, user_id: member.id }) }
        : personal;
    };
    const [shown, mailed, pushed] = [by("in_app"), by("mail"), by("push")];
    if (shown) notifications.push(notificationOf(scope, shown));
    if (mailed && member.is_verified) mails.push(await mailOf(scope, team, answerable(mailed)));
    if (!pushed) continue;
    const { event, message } = answerable(pushed);
    for (const contact of browsersOf.get(member.id) ?? []) {
      pushes.push(await sealContactMessage(scope, { event_id: event.id, contact, message }));
    }
  }
  const statements: Statement[] = [];
  for (let from = 0; from < notifications.length; from += ROWS_PER_STATEMENT) {
    statements.push(insertNotifications(scope.db, notifications.slice(from, from + ROWS_PER_STATEMENT)));
  }
  for (let from = 0; from < mails.length; from += ROWS_PER_STATEMENT) {
    statements.push(insertMails(scope.db, mails.slice(from, from + ROWS_PER_STATEMENT)));
  }
  for (let from = 0; from < pushes.length; from += ROWS_PER_STATEMENT) {
    statements.push(insertContactMessages(scope.db, pushes.slice(from, from + ROWS_PER_STATEMENT)));
  }
  return { statements, mails, pushes };
}

function isNotified(onCall: NotifiedOnCall, event: KnownEvent, member: TeamMember): boolean {
  return isRecipient(onCall.get(event.id) ?? NOBODY, member);
}

const NOBODY: ReadonlySet<string> = new Set();

function isRecipient(recipients: ReadonlySet<string>, { id, email }: TeamMember): boolean {
  return recipients.has(`user:${id}`) || recipients.has(`email:${email}`);
}

/** Of an end whose alarm is not known, for example after a restore, everybody is notified. */
function isNews(
  { alarms }: TeamAlert,
  event: KnownEvent,
  { page, member }: { page: TeamTopics; member: TeamMember },
  channel: TeamChannel,
): boolean {
  const ended = alarms?.get(event.id) ?? [];
  return (
    ended.length === 0 ||
    ended.some((alarm) => isRecipient(alarm.on_call, member) || wasNotified(alarm, { page, ...member }, channel))
  );
}

function readerOf({ settings }: Scope, { page }: Team): AlertReader {
  return { public_url: settings.PUBLIC_URL, timezone: page?.timezone ?? "UTC", page_name: page?.name };
}

function messageOf(
  { kind, events, incident_id, still_down }: TeamAlert & { events: readonly KnownEvent[] },
  reader: AlertReader,
): AlertMessage | undefined {
  const size = new Set(events.map((event) => event.monitor_id)).size;
  const [event] = events;
  if (kind !== null && size > 1) return composeBundle({ kind, events, size, incident_id, still_down }, reader);
  return event && composeAlert(event, reader);
}

interface Personal {
  /** The first that the message is about; the ids of its rows derive from it. */
  event: KnownEvent;
  member: TeamMember;
  message: AlertMessage;
}

function notificationOf({ now }: Scope, { event, member, message }: Personal): NotificationRecord {
  const { data } = event;
  const incident = "incident_id" in data ? data.incident_id : null;
  const other = "agent_id" in data ? data.agent_id : "maintenance_id" in data ? data.maintenance_id : incident;
  const isIncident = event.name.startsWith("incident.");
  return {
    id: idFrom("team notification", event.id, member.id),
    user_id: member.id,
    type: "team.alert",
    title: message.title,
    message: plainText(message),
    status_page_id: event.status_page_id,
    target_id: (isIncident ? incident : null) ?? event.monitor_id ?? other,
    read_at: null,
    created_at: now,
    updated_at: now,
  };
}

/** One-click unsubscription: RFC 2369 and RFC 8058. */
function mailOf(scope: Scope, team: Team, { event, member, message }: Personal): Promise<MailRecord> {
  const { PUBLIC_URL, ROOT_SECRET } = scope.settings;
  const url = `${PUBLIC_URL}/preferences/${preferenceToken(ROOT_SECRET, member.id)}`;
  const hasLink = PUBLIC_URL !== "";
  return sealAlertMail(scope, {
    id: idFrom("team mail", event.id, member.id),
    to: member.email,
    message,
    reason:
      team.page === null
        ? "You receive this message because it is about a monitor of yours."
        : `You receive this message because you are in the team of ${team.page.name}.`,
    footer: hasLink ? [{ label: "Choose what you receive", url }] : [],
    headers: hasLink ? { "List-Unsubscribe": `<${url}>`, "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" } : {},
  });
}
