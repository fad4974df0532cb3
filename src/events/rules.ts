import type { Scope } from "../access/scope.ts";
import type { MeasuredCheck } from "../contract/check.ts";
import type { ConditionResult, EventRuleContent } from "../contract/event-rule.ts";
import {
  type CustomEvent,
  type EventClassification,
  isCustomEventName,
  isKnownEvent,
  type KnownEvent,
  type NewEvent,
} from "../contract/events.ts";
import { countLocations } from "../contract/location.ts";
import type { EventMessage } from "../contract/messages.ts";
import type { Statement } from "../data/db.ts";
import { HEARD_EVERY_MS, listOpenRuleIncidents, setMeasured } from "../data/event-rules/incidents.ts";
import { type EventRuleRecord, isRuleStale, listRulesOnEvents, listStoredEntries } from "../data/event-rules/read.ts";
import { insertLogEntry, recordFiring } from "../data/event-rules/write.ts";
import { keepRulesWaiting } from "../data/events/write.ts";
import type { HeldRouting } from "../data/flapping/table.ts";
import type { MonitorRecord } from "../data/monitors/read.ts";
import type { StatusPageRecord } from "../data/status-pages/read.ts";
import { suppressAlerts } from "../data/status-pages/write.ts";
import { findCoveringWindow } from "../data/suppressed-outages/read.ts";
import { failBatchWhen } from "../data/write-guards/write.ts";
import { callWebhooks, type Routing } from "../delivery/fan-out.ts";
import { describeLocations } from "../domain/alert-messages.ts";
import { decide, listEffects, listensTo, namesOf, type RuleEvent } from "../domain/event-rules.ts";
import { endOf, silenceOf } from "../domain/rule-end.ts";
import { buildMetrics, withTrigger } from "../domain/rule-metrics.ts";
import { SECOND_MS } from "../lib/durations.ts";
import { joinPublications, NOTHING, type Publication, wake } from "../outbox/publication.ts";
import { violates } from "../platform/d1-errors.ts";
import { idFrom } from "../platform/ids.ts";
import { publishRouted } from "./emit.ts";
import type { IncidentEffects } from "./incidents.ts";
import { nameLocations } from "./location-names.ts";
import { planRuleIncident } from "./rule-incident.ts";
import { readMetricSources } from "./rule-metrics.ts";

/**
 * Live evaluation of event rules. The state of firing is written under a guard in the batch that writes the effects: of
 * evaluations at the same time one commits, the others read the rules again and decide anew. What a firing publishes is
 * routed in that batch and not evaluated, so that no rule starts a loop.
 */

/** What rules are evaluated on. */
export interface RuleTrigger extends Pick<RuleEvent, "kind" | "name" | "agent_id" | "at" | "is_release"> {
  /** Null: read when a rule would fire. */
  in_maintenance: boolean | null;
  /** The event, if one is stored; its name and the identity of firings. */
  event: NewEvent | null;
  /** Identifies the trigger, so that a repeat fires nothing twice. */
  id: string;
  page: StatusPageRecord | null;
  monitor: MonitorRecord | null;
  /** A result that may not be in the history yet. */
  latest?: MeasuredCheck;
  /** The consumer commits the event: rules for which its turn has no room fire in later ones. */
  turn?: "first" | "later";
}

export interface RuleOutcome {
  /** Belongs in the batch of the trigger; `wake` is called once that is committed. */
  publication: Publication;
  /** How rules change the routing of the triggering events, by their ids, and of what they open. */
  routings: ReadonlyMap<string, Routing>;
  /** What a rule opened for the triggering outage, in place of its plain automatic incident; the caller publishes it. */
  incident: IncidentEffects | null;
}

export const NO_RULES: RuleOutcome = { publication: NOTHING, routings: new Map(), incident: null };
const ATTEMPTS_MAX = 100;
/** As many statements end a turn: with what the firings read, a third of the queries that D1 allows an invocation. */
const STATEMENTS_PER_TURN = 150;

/** Repeats a batch that lost against another evaluation of the same rule. */
export async function retryStale<Result>(run: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      if (attempt >= ATTEMPTS_MAX || !violates(error, "guard_stale")) throw error;
    }
  }
}

/**
 * Evaluates the rules of one page on events that one batch stores. Costs no query on a page without enabled rules and one
 * where rules exist, until one of them listens.
 */
export async function evaluateRules(scope: Scope, triggers: readonly RuleTrigger[]): Promise<RuleOutcome> {
  const page = triggers[0]?.page ?? null;
  if (page === null || page.enabled_rules === 0) return NO_RULES;
  const names = triggers.flatMap(({ name }) => (name === null ? [] : namesOf(name)));
  return fireRules(scope, triggers, await listRulesOnEvents(scope.db, page.id, names));
}

/** An event of the service as what rules are evaluated on. */
export function triggerOf(
  event: KnownEvent,
  { page, monitor }: Pick<RuleTrigger, "page" | "monitor">,
): Omit<RuleTrigger, "in_maintenance"> {
  const agent_id = "agent_id" in event.data ? event.data.agent_id : (monitor?.agent_id ?? null);
  return { kind: "event", id: event.id, name: event.name, event, page, monitor, agent_id, at: event.created_at };
}

/** Decides which of these rules fire on each trigger, and what that stores and sends. */
export async function fireRules(
  scope: Scope,
  triggers: readonly RuleTrigger[],
  rules: readonly EventRuleRecord[],
): Promise<RuleOutcome> {
  const publications: Publication[] = [];
  const routings = new Map<string, Routing>();
  let incident: IncidentEffects | null = null;
  let stored = 0;
  for (const trigger of triggers) {
    const judged = await judge(scope, trigger, await withoutFired(scope, trigger, rules));
    const statements = await noteValues(scope, trigger, judged);
    if (statements.length > 0) publications.push({ ...NOTHING, statements });
    const firing = judged.filter(({ fires }) => fires);
    for (const { rule, state, ...found } of firing) {
      if (trigger.turn && stored >= STATEMENTS_PER_TURN) {
        publications.push(continueLater(scope, trigger));
        break;
      }
      const { publication, opened } = await carryOut(scope, { ...found, rule, trigger, opened: incident });
      if (opened && incident === null) {
        incident = opened;
        for (const { id } of opened.events) routings.set(id, { rule_id: rule.id });
      }
      const statements = [failBatchWhen(scope.db, "stale", isRuleStale(rule)), recordFiring(scope.db, rule.id, state)];
      publications.push({ ...NOTHING, statements }, publication);
      stored += statements.length + publication.statements.length;
    }
    const routing = joinRouting(firing.map((each) => routingOf(each, scope.now)));
    if (routing && trigger.event) routings.set(trigger.event.id, routing);
  }
  return { publication: joinPublications(publications), routings, incident };
}

/** The event's row says that rules wait, so none is forgotten; the message comes once that is committed. */
function continueLater(scope: Scope, { id, latest }: RuleTrigger): Publication {
  const statements = [keepRulesWaiting(scope.db, { event_id: id, check: latest, now: scope.now })];
  return { statements, wake: () => wakeRules(scope, [id]) };
}

/** Sends a message for each event on which rules wait. */
export function wakeRules(scope: Pick<Scope, "env" | "log">, eventIds: readonly string[]): Promise<void> {
  const messages = eventIds.map((rules_on): EventMessage => ({ kind: "rules", rules_on }));
  return wake(scope, { queue: scope.env.EVENTS, messages, what: "rules" });
}

async function withoutFired({ db }: Scope, trigger: RuleTrigger, rules: readonly EventRuleRecord[]) {
  if (trigger.turn !== "later") return rules;
  const fired = await listStoredEntries(
    db,
    rules.map((rule) => firingId(rule, trigger)),
  );
  return rules.filter((rule) => !fired.includes(firingId(rule, trigger)));
}

const firingId = (rule: Pick<EventRuleRecord, "id">, trigger: RuleTrigger) => idFrom("event", rule.id, trigger.id);

/** Of the incident that a rule opened about values: that they arrive, and since when they have been good. */
async function noteValues({ db }: Scope, trigger: RuleTrigger, judged: readonly Judged[]): Promise<Statement[]> {
  const watched = judged.filter(({ rule, conditions }) => {
    const hasFired = rule.incident_template_id !== null && rule.last_fired_at !== null;
    return hasFired && conditions.length > 0 && isCustomEventName(rule.event_name);
  });
  if (watched.length === 0) return [];
  const ids = watched.map(({ rule }) => rule.id);
  const open = await listOpenRuleIncidents(db, ids, trigger.monitor?.id ?? trigger.agent_id);
  return open.flatMap(({ incident_id, rule_id, good_since, heard_at }) => {
    const judgement = watched.find(({ rule }) => rule.id === rule_id);
    if (!judgement?.conditions.every(({ actual }) => actual !== null)) return [];
    const now_good_since = judgement.conditions.every(({ passed }) => passed) ? null : (good_since ?? trigger.at);
    const isHeard = heard_at !== null && trigger.at - heard_at < HEARD_EVERY_MS;
    if (isHeard && now_good_since === good_since) return [];
    const silence_ms = silenceOf(judgement.rule, trigger.monitor?.interval ?? 0);
    const measured = { good_since: now_good_since, heard_at: Math.max(heard_at ?? 0, trigger.at), silence_ms };
    return [setMeasured(db, incident_id, measured)];
  });
}

interface Judged {
  rule: EventRuleRecord;
  content: EventRuleContent;
  page: StatusPageRecord;
  fires: boolean;
  state: ReturnType<typeof decide>["state"];
  conditions: readonly ConditionResult[];
}

/** What the rules that listen to a trigger decide. Its maintenance is read where it decides whether one fires. */
async function judge(scope: Scope, trigger: RuleTrigger, rules: readonly EventRuleRecord[]): Promise<Judged[]> {
  const { agent_id, at, kind, name, monitor, page, is_release } = trigger;
  const subject = { kind, name, agent_id, monitor_id: monitor?.id ?? null };
  const contents = rules.map((rule) => ({ rule, content: { ...rule, alert_channels: {} } satisfies EventRuleContent }));
  const listening = contents.filter(({ content }) => listensTo(content, subject));
  if (page === null || listening.length === 0) return [];
  const metrics = await measure(
    scope,
    trigger,
    listening.map(({ rule }) => rule),
  );
  const decideIn = (in_maintenance: boolean) =>
    listening.map(({ rule, content }) => {
      const event: RuleEvent = { ...subject, at, in_maintenance, is_release, caused_by_rule: false, metrics };
      const { fires, state, conditions } = decide(rule, content, event, at);
      return { rule, content, fires, state, conditions, page };
    });
  const judged = decideIn(trigger.in_maintenance ?? false);
  const isOpen =
    trigger.in_maintenance === null && judged.some(({ fires, content }) => fires && !content.notify_in_maintenance);
  if (!isOpen || monitor === null) return judged;
  return (await findCoveringWindow(scope.db, monitor.id, at)) === null ? judged : decideIn(true);
}

async function measure(scope: Scope, trigger: RuleTrigger, rules: readonly EventRuleRecord[]) {
  const conditions = rules.flatMap((rule) => rule.conditions);
  const sources = await readMetricSources(scope, trigger, conditions, { from: trigger.at, to: trigger.at });
  const { latest, event, at } = trigger;
  if (conditions.length === 0) return buildMetrics(sources, at);
  const locations_down = event && "locations_down" in event.data ? event.data.locations_down : undefined;
  const told = {
    ...(latest && { checks: withTrigger(sources.checks ?? [], latest) }),
    // The monitor's row may not say so yet.
    ...(Array.isArray(locations_down) && { locations_down: { at, value: locations_down.length } }),
  };
  return buildMetrics({ ...sources, ...told }, at);
}

interface Firing {
  rule: EventRuleRecord;
  content: EventRuleContent;
  page: StatusPageRecord;
  trigger: RuleTrigger;
  conditions: readonly ConditionResult[];
  /** By a rule before it, for the same outage: that has one incident. */
  opened: IncidentEffects | null;
}

interface Carried {
  publication: Publication;
  /** The incident of the outage that the rule fired on. */
  opened: IncidentEffects | null;
}

async function carryOut(scope: Scope, firing: Firing): Promise<Carried> {
  const { rule, content, page, trigger } = firing;
  const { db, now } = scope;
  const id = firingId(rule, trigger);
  const statements: Statement[] = [logEntry(scope, firing, id)];
  const events: NewEvent[] = [];
  const webhookIds: string[] = [];
  const outage = outageOf(trigger);
  let { opened } = firing;
  for (const effect of listEffects(content, { monitor_id: trigger.monitor?.id ?? null }, now)) {
    if (effect.kind === "notify") {
      if (effect.emits) events.push(await emittedEvent(scope, firing, id));
    } else if (effect.kind === "suppress_alerts") {
      const { monitor_id, until } = effect;
      statements.push(suppressAlerts(db, page.id, { monitor_id, until, now }));
    } else if (effect.kind === "trigger_runbook") {
      webhookIds.push(effect.webhook_id);
    } else if (outage.outage_id === null || opened === null) {
      const { incident_template_id: template_id } = effect;
      const end = endOf(content, toldOf(trigger));
      const opening = { rule, template_id, firing_id: id, page, monitor: trigger.monitor, end, ...outage };
      const incident = await planRuleIncident(scope, opening);
      if (outage.outage_id !== null) {
        opened = incident.incident_id === null ? null : incident;
      } else {
        statements.push(...incident.statements);
        events.push(...incident.events);
      }
    }
  }
  const matched = events.find(({ id: eventId }) => eventId === id) ?? trigger.event;
  const publication = joinPublications([
    { ...NOTHING, statements },
    await publishRouted(scope, events, now, new Map([[id, { rule_id: rule.id }]])),
    matched
      ? await callWebhooks(scope, matched, { owner_id: page.owner_id, webhook_ids: webhookIds, rule_id: rule.id })
      : NOTHING,
  ]);
  return { publication, opened };
}

function toldOf({ name, monitor, agent_id, event }: RuleTrigger): Parameters<typeof endOf>[1] {
  const isStart = event !== null && isKnownEvent(event) && event.name === "maintenance.started";
  const maintenance_id = isStart ? event.data.maintenance_id : null;
  return { name, monitor_id: monitor?.id ?? null, agent_id, maintenance_id };
}

/** The outage that a trigger is about, and when what an incident would be about began. */
function outageOf({ event, monitor, at }: RuleTrigger): { outage_id: string | null; started_at: number } {
  const isOutage = event !== null && monitor !== null && isKnownEvent(event) && event.name === "monitor.down";
  const { outage_id = null, outage_started_at } = isOutage ? event.data : {};
  return outage_id && outage_started_at
    ? { outage_id, started_at: Date.parse(outage_started_at) }
    : { outage_id: null, started_at: at };
}

/** With the incident of its outage, where nothing else published that. */
export async function publishRules(
  scope: Scope,
  { publication, incident, routings }: RuleOutcome,
): Promise<Publication> {
  if (incident === null) return publication;
  const { statements, events } = incident;
  const opened = await publishRouted(scope, events, scope.now, routings);
  return joinPublications([publication, { ...NOTHING, statements }, opened]);
}

/** How a rule on an event of the service changes where that goes; one with a custom name emits its own. */
function routingOf({ rule }: { rule: EventRuleRecord }, now: number): Routing | null {
  if (isCustomEventName(rule.event_name)) return null;
  const suppressed_until = latestOf(
    rule.actions.map((action) =>
      action.type === "suppress_alerts_for" ? now + action.duration_seconds * SECOND_MS : undefined,
    ),
  );
  return { rule_id: rule.id, classification: rule.classification, suppressed_until };
}

/** What is stored of the routing of an alert that is sent later. */
export function toHeldRouting({ rule_id, classification }: Routing): HeldRouting {
  return { rule_id, classification };
}

function latestOf(instants: readonly (number | undefined)[]): number | undefined {
  const named = instants.filter((instant) => instant !== undefined);
  return named.length === 0 ? undefined : Math.max(...named);
}

/** The event that firing a rule with a custom name emits. */
async function emittedEvent(scope: Scope, firing: Firing, id: string): Promise<CustomEvent> {
  const { rule, page, trigger, conditions } = firing;
  const { event_name: name } = rule;
  if (!isCustomEventName(name)) throw new Error(`${name} is an event of the service`);
  const subject = trigger.monitor ? `${rule.display_name}: ${trigger.monitor.name}` : rule.display_name;
  const failing = await failingOf(scope, firing);
  return {
    id,
    owner_id: page.owner_id,
    status_page_id: page.id,
    monitor_id: trigger.monitor?.id ?? null,
    name,
    classification: rule.classification,
    data: {
      title: rule.display_name,
      message: failing ? `${subject}, ${describeLocations(failing)}` : subject,
      monitor_id: trigger.monitor?.id ?? null,
      monitor_name: trigger.monitor?.name ?? null,
      agent_id: trigger.agent_id,
      rule_id: rule.id,
      conditions,
      ...failing,
    },
    created_at: trigger.at,
  };
}

/** From where the monitor fails, of a rule that counts such locations. */
async function failingOf({ db }: Scope, { trigger: { monitor }, conditions }: Firing) {
  const counts = conditions.some(({ metric }) => metric === "locations_down");
  if (!counts || monitor === null || monitor.locations_down.length === 0) return undefined;
  const { locations_down } = monitor;
  const location_names = await nameLocations(db, locations_down);
  return { locations_down, locations_total: countLocations(monitor), location_names };
}

function logEntry({ db }: Scope, { rule, page, trigger, conditions }: Firing, id: string): Statement {
  return insertLogEntry(db, {
    id,
    owner_id: page.owner_id,
    status_page_id: page.id,
    rule_id: rule.id,
    event_name: rule.event_name,
    classification: rule.classification,
    title: rule.display_name,
    description: null,
    monitor_id: trigger.monitor?.id ?? null,
    agent_id: trigger.agent_id,
    payload: JSON.stringify({ event_id: trigger.event?.id ?? null, conditions }),
    evaluates_rules: false,
    // The instant by which cooldowns are counted, and which a backtest names.
    created_at: trigger.at,
    updated_at: trigger.at,
  });
}

/** Of several audiences the narrower one wins; `public` is the default and changes nothing. */
const NARROWEST: readonly EventClassification[] = ["team_only", "critical", "public"];

function joinRouting(routings: readonly (Routing | null)[]): Routing | null {
  const known = routings.filter((routing) => routing !== null);
  const [first] = known;
  if (!first) return null;
  const classification = NARROWEST.find((each) => known.some((routing) => routing.classification === each));
  return {
    ...first,
    classification,
    suppressed_until: latestOf(known.map(({ suppressed_until }) => suppressed_until)),
  };
}
