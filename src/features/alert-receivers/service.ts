import { requireMonitor } from "../../access/resources.ts";
import type { RequestScope } from "../../access/scope.ts";
import type { AlertReceivers } from "../../contract/alert-receivers.ts";
import { EVENT_EXAMPLES } from "../../contract/event-examples.ts";
import { type EventOf, isKnownEvent } from "../../contract/events.ts";
import { namesUser } from "../../contract/on-call.ts";
import { listRecipients } from "../../data/escalations/read.ts";
import type { MonitorRecord } from "../../data/monitors/read.ts";
import { listBrowsers } from "../../data/notify-contacts/read.ts";
import { findPage, listAlertRouting, type StatusPageRecord } from "../../data/status-pages/read.ts";
import { findCoveringWindow } from "../../data/suppressed-outages/read.ts";
import { findTeam } from "../../data/team/read.ts";
import { listActiveWebhooks } from "../../data/webhooks/read.ts";
import { previewReceivers } from "../../delivery/fan-out.ts";
import { findPolicyFor } from "../../delivery/targeted.ts";
import { findSuppressionEnd } from "../../domain/alert-routing.ts";
import { opensIncident, publishesIncident } from "../../domain/automatic-incidents.ts";
import { findOnCall } from "../../domain/on-call.ts";
import { fillPreferences, fillTopics, topicFor } from "../../domain/team-notifications.ts";
import { toIsoOrNull } from "../../platform/clock.ts";
import { listOpenPolicies } from "../on-call/policies.ts";
import { listSchedules, SCHEDULES_MAX } from "../on-call/schedules.ts";

/** Whom an outage of a monitor would reach if it began now: decided by what decides it then. */
export async function listAlertReceivers(ctx: RequestScope, monitorId: string): Promise<AlertReceivers> {
  const monitor = await requireMonitor(ctx, monitorId);
  const { status_page_id } = monitor;
  const page = status_page_id === null ? undefined : await findPage(ctx.db, status_page_id);
  const events = eventsOf(monitor, page);
  const [reached, webhooks, team, routing, window] = await Promise.all([
    previewReceivers(ctx.db, events),
    listActiveWebhooks(ctx.db, [monitor.owner_id]),
    findTeam(ctx.db, monitor),
    listAlertRouting(ctx.db, status_page_id === null ? [] : [status_page_id]),
    findCoveringWindow(ctx.db, monitor.id, ctx.now),
  ]);
  const memberIds = team.members.map(({ id }) => id);
  const [names, browsers] = await Promise.all([namesOf(ctx, memberIds), listBrowsers(ctx.db, memberIds)]);
  const withBrowser = new Set(browsers.map(({ user_id }) => user_id));
  const escalating = reached.find(({ event, is_critical }) => is_critical || event.name === "incident.created");
  const topics = fillTopics(team.page?.notify_team ?? {});
  const muted_until = monitor.muted_until !== null && monitor.muted_until > ctx.now ? monitor.muted_until : null;
  const suppressed_until = findSuppressionEnd(monitor.id, routing[0]?.alert_suppressions, ctx.now);
  return {
    channels: webhooks.flatMap(({ id, name, provider }) => {
      const own = reached.filter(({ webhook_ids }) => webhook_ids.has(id)).map(({ event }) => event.name);
      return own.length === 0 ? [] : [{ webhook_id: id, name, provider, events: own }];
    }),
    team: team.members.flatMap(({ id, is_verified, preferences }) => {
      const own = fillPreferences(preferences);
      if (!events.filter(isKnownEvent).some((event) => topicFor(event, topics, own) !== null)) return [];
      const reach = { mail: own.mail && is_verified, in_app: own.in_app, push: own.push && withBrowser.has(id) };
      return reach.mail || reach.in_app || reach.push ? [{ user_id: id, name: names.get(id) ?? "", ...reach }] : [];
    }),
    on_call: escalating && page ? await findOnCallFor(ctx, escalating.event, page) : null,
    in_maintenance: window !== null,
    withheld_until: toIsoOrNull(Math.max(muted_until ?? 0, suppressed_until ?? 0) || null),
  };
}

type Beginning = EventOf<"monitor.down"> | EventOf<"incident.created">;

function eventsOf(monitor: MonitorRecord, page: StatusPageRecord | undefined): Beginning[] {
  const { id: monitor_id, owner_id, status_page_id } = monitor;
  const shared = { id: monitor_id, owner_id, status_page_id, monitor_id, created_at: 0 };
  const opens = page !== undefined && opensIncident(monitor, page);
  const down: Beginning = {
    ...shared,
    id: `${monitor_id}/down`,
    name: "monitor.down",
    classification: monitor.parent_monitor_id === null ? "public" : "team_only",
    data: { ...EVENT_EXAMPLES["monitor.down"], monitor_id, incident_id: opens ? monitor_id : null },
  };
  if (!opens) return [down];
  const is_public = publishesIncident(monitor, page);
  const created: Beginning = {
    ...shared,
    id: `${monitor_id}/incident`,
    name: "incident.created",
    classification: is_public ? "public" : "team_only",
    data: {
      ...EVENT_EXAMPLES["incident.created"],
      monitor_id,
      monitor_ids: [monitor_id],
      group_ids: [],
      is_public,
      is_automatic: true,
    },
  };
  return [down, created];
}

async function findOnCallFor(
  ctx: RequestScope,
  event: Beginning,
  page: StatusPageRecord,
): Promise<AlertReceivers["on_call"]> {
  const policyId = await findPolicyFor(ctx.db, event, page.id);
  if (policyId === undefined) return null;
  const [policies, { rows: schedules }] = await Promise.all([
    listOpenPolicies(ctx, [page.id]),
    listSchedules(ctx, [page.id], { limit: SCHEDULES_MAX, offset: 0 }),
  ]);
  const chosen = policies.find(({ policy }) => policy.id === policyId);
  if (!chosen) return null;
  const onCallOf = (scheduleId: string) => {
    const schedule = schedules.find(({ id }) => id === scheduleId);
    return schedule ? (findOnCall(schedule, ctx.now)?.user_id ?? null) : null;
  };
  const userOf = (type: string, value: string) =>
    namesUser(type) ? value : type === "schedule" ? onCallOf(value) : null;
  const contacts = chosen.steps.flatMap((step) => step.contacts);
  const names = await namesOf(
    ctx,
    contacts.flatMap(({ type, value }) => userOf(type, value) ?? []),
  );
  let after_minutes = 0;
  const steps = chosen.steps.map(({ level, wait_minutes, contacts }, n) => {
    after_minutes += n === 0 ? 0 : wait_minutes;
    return {
      level,
      after_minutes,
      contacts: contacts.map(({ type, value, label }) => {
        const user_id = userOf(type, value);
        return {
          type,
          label: label ?? schedules.find(({ id }) => id === value)?.name ?? null,
          user_id,
          name: names.get(user_id ?? "") ?? null,
        };
      }),
    };
  });
  return { policy_id: chosen.policy.id, name: chosen.policy.name, steps };
}

async function namesOf({ db }: RequestScope, userIds: readonly string[]): Promise<Map<string, string>> {
  return new Map((await listRecipients(db, userIds)).map(({ id, name }) => [id, name]));
}
