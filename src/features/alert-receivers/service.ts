import { requireUser } from "../../access/principal.ts";
import { requireMonitor } from "../../access/resources.ts";
import type { RequestScope } from "../../access/scope.ts";
import { type AlertReceivers, ASKED_EVENTS, type AskedEvent } from "../../contract/alert-receivers.ts";
import { EVENT_EXAMPLES } from "../../contract/event-examples.ts";
import { EVENTS, type KnownEvent } from "../../contract/events.ts";
import { namesUser } from "../../contract/on-call.ts";
import { TEAM_TOPICS, type TeamTopics } from "../../contract/team-notification.ts";
import { listRecipients } from "../../data/escalations/read.ts";
import type { MonitorRecord } from "../../data/monitors/read.ts";
import { listBrowsers } from "../../data/notify-contacts/read.ts";
import { findPage, listAlertRouting, type StatusPageRecord } from "../../data/status-pages/read.ts";
import { findCoveringWindow } from "../../data/suppressed-outages/read.ts";
import { findTeam, type Team, type TeamMember } from "../../data/team/read.ts";
import { type ActiveWebhook, listInactiveWebhooks } from "../../data/webhooks/read.ts";
import { previewReceivers } from "../../delivery/fan-out.ts";
import { findPolicyFor } from "../../delivery/targeted.ts";
import { findSuppressionEnd, maySuppress } from "../../domain/alert-routing.ts";
import { opensIncident, publishesIncident } from "../../domain/automatic-incidents.ts";
import { findOnCall } from "../../domain/on-call.ts";
import { fillPreferences, fillTopics, topicFor } from "../../domain/team-notifications.ts";
import { toIsoOrNull } from "../../platform/clock.ts";
import { listOpenPolicies } from "../on-call/policies.ts";
import { listSchedules, SCHEDULES_MAX } from "../on-call/schedules.ts";

/** Whom an event of a monitor would reach at an instant, and why it reaches no others: decided by what decides it then. */
export async function listAlertReceivers(
  ctx: RequestScope,
  monitorId: string,
  { event = "monitor.down", at = ctx.now }: { event?: AskedEvent; at?: number | undefined } = {},
): Promise<AlertReceivers> {
  const [receivers] = await receiversOfEach(ctx, monitorId, { asked: [event], at });
  if (!receivers) throw new Error("each event has its receivers");
  return receivers;
}

/** The same of every event that may be asked about, in the order of `ASKED_EVENTS`. */
export function compareAlertReceivers(ctx: RequestScope, monitorId: string, at: number): Promise<AlertReceivers[]> {
  return receiversOfEach(ctx, monitorId, { asked: ASKED_EVENTS, at });
}

/** What does not depend on the event is read once. */
async function receiversOfEach(
  ctx: RequestScope,
  monitorId: string,
  { asked, at }: { asked: readonly AskedEvent[]; at: number },
): Promise<AlertReceivers[]> {
  const monitor = await requireMonitor(ctx, monitorId);
  const { status_page_id } = monitor;
  const page = status_page_id === null ? undefined : await findPage(ctx.db, status_page_id);
  const eventsOfEach = asked.map((event) => eventsOf(monitor, page, event));
  const [reached, inactive, team, routing, window] = await Promise.all([
    previewReceivers(ctx.db, eventsOfEach.flat()),
    listInactiveWebhooks(ctx.db, monitor.owner_id),
    findTeam(ctx.db, monitor),
    listAlertRouting(ctx.db, status_page_id === null ? [] : [status_page_id]),
    findCoveringWindow(ctx.db, monitor.id, at),
  ]);
  const memberIds = team.members.map(({ id }) => id);
  const [names, browsers] = await Promise.all([namesOf(ctx, memberIds), listBrowsers(ctx.db, memberIds)]);
  const facts: Facts = {
    monitor,
    page,
    inactive,
    team,
    names,
    withBrowser: new Set(browsers.map(({ user_id }) => user_id)),
    suppressions: routing[0]?.alert_suppressions,
    in_maintenance: window !== null,
    at,
  };
  return Promise.all(
    asked.map((event, n) => {
      const ids = new Set(eventsOfEach[n]?.map(({ id }) => id));
      return judgeEvent(ctx, facts, { asked: event, reached: reached.filter((each) => ids.has(each.event.id)) });
    }),
  );
}

interface Facts {
  monitor: MonitorRecord;
  page: StatusPageRecord | undefined;
  inactive: readonly ActiveWebhook[];
  team: Team;
  /** Of its members. */
  names: ReadonlyMap<string, string>;
  withBrowser: ReadonlySet<string>;
  suppressions: Parameters<typeof findSuppressionEnd>[1];
  in_maintenance: boolean;
  at: number;
}

async function judgeEvent(
  ctx: RequestScope,
  { monitor, page, inactive, team, names, withBrowser, suppressions, in_maintenance, at }: Facts,
  { asked, reached }: { asked: AskedEvent; reached: Reached },
): Promise<AlertReceivers> {
  const { status_page_id } = monitor;
  const escalating = reached.find(({ event, is_critical }) => is_critical || event.name === "incident.created");
  const topics = fillTopics(team.page?.notify_team ?? {});
  const muted_until = monitor.muted_until !== null && monitor.muted_until > at ? monitor.muted_until : null;
  const suppressed_until = maySuppress({ name: asked }) ? findSuppressionEnd(monitor.id, suppressions, at) : null;
  // When a mute or a rule began is not kept: of the past they say nothing.
  const withheld_until = at < ctx.now ? 0 : Math.max(muted_until ?? 0, suppressed_until ?? 0);
  const isOwner = requireUser(ctx).user_id === monitor.owner_id;
  const webhooks = reached[0]?.webhooks ?? [];
  const events = reached.map(({ event }) => event);
  const people = team.members.map((member) => judgeMember(member, { events, topics, withBrowser }));
  return {
    channels: webhooks.flatMap(({ id, name, provider, failing_since }) => {
      const own = reached.filter(({ webhook_ids }) => webhook_ids.has(id)).map(({ event }) => event.name);
      const channel = { webhook_id: id, name, provider, events: own, failing_since: toIsoOrNull(failing_since) };
      return own.length === 0 ? [] : [channel];
    }),
    silent_channels: [...webhooks, ...inactive].flatMap((webhook) => {
      // Channels of the account that hear nothing of this page are its owner's alone.
      const isShown = webhook.status_page_id === null ? isOwner : webhook.status_page_id === status_page_id;
      const reason = webhook.is_active ? findSilence(reached, webhook) : "off";
      const { id, name, provider } = webhook;
      return isShown && reason !== null ? [{ webhook_id: id, name, provider, reason }] : [];
    }),
    team: people.flatMap(({ id, reach }) =>
      typeof reach === "string" ? [] : [{ user_id: id, name: names.get(id) ?? "", ...reach }],
    ),
    silent_team: people.flatMap(({ id, reach }) =>
      typeof reach === "string" ? [{ user_id: id, name: names.get(id) ?? "", reason: reach }] : [],
    ),
    on_call: escalating && page ? await findOnCallFor(ctx, { event: escalating.event, page, at }) : null,
    in_maintenance,
    withheld_until: toIsoOrNull(withheld_until || null),
  };
}

type Reached = Awaited<ReturnType<typeof previewReceivers<Asked>>>;
type Silence = AlertReceivers["silent_channels"][number]["reason"];

/** Of a channel that hears none of the events: what keeps the first one from it. */
function findSilence(reached: Reached, webhook: ActiveWebhook): Silence | null {
  if (reached.some(({ webhook_ids }) => webhook_ids.has(webhook.id))) return null;
  const reasons = reached.map(({ findReason }) => findReason(webhook));
  return reasons.find((reason): reason is Silence => reason !== null && reason !== "said" && reason !== "page") ?? null;
}

type Ways = Omit<AlertReceivers["team"][number], "user_id" | "name">;

interface TeamSettings {
  events: readonly Asked[];
  topics: TeamTopics;
  /** People with a browser that takes alerts. */
  withBrowser: ReadonlySet<string>;
}

/** By which ways the events reach a member, or why they do not. */
function judgeMember(
  { id, is_verified, preferences }: TeamMember,
  { events, topics, withBrowser }: TeamSettings,
): { id: string; reach: Ways | AlertReceivers["silent_team"][number]["reason"] } {
  const own = fillPreferences(preferences);
  const isHeard = (page: TeamTopics) => events.some((event) => topicFor(event, page, own) !== null);
  if (!isHeard(topics)) return { id, reach: isHeard(EVERY_TOPIC) ? "page" : "person" };
  const reach = { mail: own.mail && is_verified, in_app: own.in_app, push: own.push && withBrowser.has(id) };
  return { id, reach: reach.mail || reach.in_app || reach.push ? reach : "ways" };
}

const EVERY_TOPIC = fillTopics(Object.fromEntries(TEAM_TOPICS.map((topic) => [topic, true])));

type Asked = Extract<KnownEvent, { name: AskedEvent | "incident.created" }>;

/** An outage is said by its monitor and by the incident that it opens. */
function eventsOf(monitor: MonitorRecord, page: StatusPageRecord | undefined, asked: AskedEvent): Asked[] {
  if (asked === "monitor.down") return beginningOf(monitor, page);
  const { id: monitor_id, owner_id, status_page_id, parent_monitor_id } = monitor;
  const classification = parent_monitor_id === null ? EVENTS[asked].classification : "team_only";
  const shared = { id: `${monitor_id}/${asked}`, owner_id, status_page_id, monitor_id, created_at: 0, classification };
  const data = { ...EVENT_EXAMPLES[asked], monitor_id };
  return [{ ...shared, name: asked, data } as Asked];
}

function beginningOf(monitor: MonitorRecord, page: StatusPageRecord | undefined): Asked[] {
  const { id: monitor_id, owner_id, status_page_id } = monitor;
  const shared = { id: monitor_id, owner_id, status_page_id, monitor_id, created_at: 0 };
  const opens = page !== undefined && opensIncident(monitor, page);
  const down: Asked = {
    ...shared,
    id: `${monitor_id}/down`,
    name: "monitor.down",
    classification: monitor.parent_monitor_id === null ? "public" : "team_only",
    data: { ...EVENT_EXAMPLES["monitor.down"], monitor_id, incident_id: opens ? monitor_id : null },
  };
  if (!opens) return [down];
  const is_public = publishesIncident(monitor, page);
  const created: Asked = {
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
  { event, page, at }: { event: Asked; page: StatusPageRecord; at: number },
): Promise<AlertReceivers["on_call"]> {
  const policyId = await findPolicyFor(ctx.db, event, page.id);
  if (policyId === undefined) return null;
  const [policies, { rows: schedules }] = await Promise.all([
    listOpenPolicies(ctx, [page.id]),
    listSchedules(ctx, [page.id], { limit: SCHEDULES_MAX, offset: 0 }),
  ]);
  const chosen = policies.find(({ policy }) => policy.id === policyId);
  if (!chosen) return null;
  const onCallOf = (type: string, value: string) => {
    const schedule = type === "schedule" ? schedules.find(({ id }) => id === value) : undefined;
    return schedule ? findOnCall(schedule, at) : null;
  };
  const userOf = (type: string, value: string) => (namesUser(type) ? value : (onCallOf(type, value)?.user_id ?? null));
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
          until: toIsoOrNull(onCallOf(type, value)?.until ?? null),
        };
      }),
    };
  });
  return { policy_id: chosen.policy.id, name: chosen.policy.name, steps };
}

async function namesOf({ db }: RequestScope, userIds: readonly string[]): Promise<Map<string, string>> {
  return new Map((await listRecipients(db, userIds)).map(({ id, name }) => [id, name]));
}
