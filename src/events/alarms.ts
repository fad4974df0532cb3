import type { Scope } from "../access/scope.ts";
import type { AlarmName } from "../contract/alarm.ts";
import type { EventOf } from "../contract/events.ts";
import { type AlarmRecord, isNotRaised, isStillRaised, listAlarms, listOperators } from "../data/alarms/read.ts";
import { clearAlarm, raiseAlarm } from "../data/alarms/write.ts";
import { runBatch, type Statement } from "../data/db.ts";
import { insertEventIf } from "../data/events/write.ts";
import { insertMailIf } from "../data/mail/write.ts";
import { insertNotificationIf } from "../data/notifications/write.ts";
import { readServiceHealth } from "../data/queue-health/read.ts";
import { ALARM_WINDOW_MS, findAlarms } from "../domain/alarms.ts";
import { sealMail } from "../outbox/mail.ts";
import { toIso, toIsoOrNull } from "../platform/clock.ts";
import { readFreeBudget } from "../platform/free-budget.ts";
import { idFrom } from "../platform/ids.ts";
import { readUsage, reportUsage } from "../platform/usage.ts";
import { wakeEvents } from "./emit.ts";

/**
 * Alarms about the installation itself, for its operators: an in-app notification, a mail, and an event for their
 * account's webhooks, once when an alarm is raised and once when it is over.
 */
export async function sweepAlarms(scope: Scope): Promise<void> {
  const { db, env, now, settings } = scope;
  await reportUsage(env);
  const [health, raised, { units }, budget] = await Promise.all([
    readServiceHealth(db),
    listAlarms(db),
    readUsage(env, now - ALARM_WINDOW_MS),
    readFreeBudget(scope),
  ]);
  const found = findAlarms(
    { ...health, units, budget: budget ?? [] },
    { late_after_ms: settings.CHECKS_LATE_AFTER_MS, plan: settings.PLAN, now },
  );
  const known = new Map(raised.map((alarm): [AlarmName, AlarmRecord] => [alarm.name, alarm]));
  for (const [name, message] of found) {
    const alarm = known.get(name);
    if (!alarm) await raise(scope, { name, message, raised_at: now });
    else if (alarm.message !== message) await runBatch(db, [raiseAlarm(db, { ...alarm, message })]);
  }
  for (const alarm of raised) if (!found.has(alarm.name)) await clear(scope, alarm);
}

async function raise(scope: Scope, alarm: AlarmRecord): Promise<void> {
  scope.log.error("alarm", alarm.message, { alarm: alarm.name });
  await notifyOperators(scope, { alarm, cleared_at: null, change: raiseAlarm(scope.db, alarm) });
}

async function clear(scope: Scope, alarm: AlarmRecord): Promise<void> {
  scope.log.warn("alarm cleared", { alarm: alarm.name });
  await notifyOperators(scope, { alarm, cleared_at: scope.now, change: clearAlarm(scope.db, alarm) });
}

interface AlarmChange {
  alarm: AlarmRecord;
  /** Null when the alarm is raised. */
  cleared_at: number | null;
  change: Statement;
}

/** Everything in the batch of the change, on condition that no other invocation made it first. */
async function notifyOperators(scope: Scope, { alarm, cleared_at, change }: AlarmChange): Promise<void> {
  const { db, now, settings } = scope;
  const when = cleared_at === null ? isNotRaised(alarm) : isStillRaised(alarm);
  const title = `${cleared_at === null ? "Alarm" : "Alarm cleared"}: ${alarm.name}`;
  const help = `What to do: docs/operate.md, section "${alarm.name}".`;
  const place = settings.PUBLIC_URL === "" ? "" : `\n${settings.PUBLIC_URL}/app/installation`;
  const events: EventOf<"service.alarm_raised" | "service.alarm_cleared">[] = [];
  const statements: Statement[] = [];
  for (const { id: user_id, email } of await listOperators(db)) {
    const idOf = (kind: string) => idFrom(kind, alarm.name, String(alarm.raised_at), String(cleared_at), user_id);
    const notification = {
      id: idOf("alarm notification"),
      user_id,
      type: "service.alarm" as const,
      title,
      message: alarm.message,
      status_page_id: null,
      target_id: null,
      read_at: null,
      created_at: now,
      updated_at: now,
    };
    const text = `${alarm.message}.\n\n${help}${place}\n`;
    const mail = await sealMail({ settings, now }, { to: email, subject: title, text }, idOf("alarm mail"));
    const event = alarmEvent({ alarm, cleared_at, user_id, id: idOf("alarm event"), now });
    events.push(event);
    statements.push(
      insertNotificationIf(db, notification, when),
      insertMailIf(db, mail, when),
      insertEventIf(db, { ...event, processed_at: null }, when),
    );
  }
  await runBatch(db, [...statements, change]);
  await wakeEvents(scope, events);
}

interface AlarmEventInput extends Pick<AlarmChange, "alarm" | "cleared_at"> {
  id: string;
  user_id: string;
  now: number;
}

function alarmEvent({ alarm, cleared_at, id, user_id, now }: AlarmEventInput) {
  const name = cleared_at === null ? ("service.alarm_raised" as const) : ("service.alarm_cleared" as const);
  return {
    id,
    owner_id: user_id,
    status_page_id: null,
    monitor_id: null,
    name,
    classification: "team_only" as const,
    data: {
      alarm: alarm.name,
      message: alarm.message,
      raised_at: toIso(alarm.raised_at),
      cleared_at: toIsoOrNull(cleared_at),
    },
    created_at: now,
  };
}
