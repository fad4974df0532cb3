import type { z } from "zod";
import { commit } from "../../access/commit.ts";
import { findIdempotentResult } from "../../access/idempotency.ts";
import { requirePage } from "../../access/pages.ts";
import { requireVisibleMonitor } from "../../access/resources.ts";
import type { RequestScope } from "../../access/scope.ts";
import { invalid, notFound } from "../../contract/errors.ts";
import type { EventEmit, EventLogQuery } from "../../contract/event-rule.ts";
import { type CustomEvent, isCustomEventName } from "../../contract/events.ts";
import type { Pagination } from "../../contract/pagination.ts";
import { type EventLogRecord, findEventRule, findLogEntry, listEventLog } from "../../data/event-rules/read.ts";
import { insertLogEntry } from "../../data/event-rules/write.ts";
import type { MonitorRecord } from "../../data/monitors/read.ts";
import type { StatusPageRecord } from "../../data/status-pages/read.ts";
import { publish } from "../../events/emit.ts";
import { evaluateRules, type RuleTrigger, retryStale } from "../../events/rules.ts";
import { joinPublications, type Publication } from "../../outbox/publication.ts";
import { newId } from "../../platform/ids.ts";

interface LogRequest {
  filter: EventLogQuery;
  pagination: Pagination;
}

export async function listCustomEvents(ctx: RequestScope, pageId: string, { filter, pagination }: LogRequest) {
  const page = await requirePage(ctx, pageId);
  if (filter.rule_id !== undefined) {
    const rule = await findEventRule(ctx.db, filter.rule_id);
    if (rule?.status_page_id !== page.id) throw notOnPage("rule_id", "an event rule");
  }
  return listEventLog(ctx.db, page.id, filter, pagination);
}

export async function emitCustomEvent(
  ctx: RequestScope,
  pageId: string,
  input: z.infer<typeof EventEmit>,
): Promise<EventLogRecord> {
  const page = await requirePage(ctx, pageId);
  const earlier = await findIdempotentResult(ctx);
  if (earlier) return getEntry(ctx, page, earlier);
  const monitor = input.monitor_id ? await requireMonitorOn(ctx, page, input.monitor_id) : null;
  const entry = newEntry(ctx, page, input);
  const event = toEvent(entry, { monitor, payload: input.payload });
  const publication = await retryStale(() => store(ctx, { page, monitor, entry, event }));
  await publication.wake();
  return entry;
}

interface Emission {
  page: StatusPageRecord;
  monitor: MonitorRecord | null;
  entry: EventLogRecord;
  event: CustomEvent;
}

/** Rules are evaluated before the batch, so that what they do is committed together with the event. */
async function store(ctx: RequestScope, { page, monitor, entry, event }: Emission): Promise<Publication> {
  const publications = [publish(ctx, [event])];
  if (entry.evaluates_rules) {
    const trigger: RuleTrigger = {
      kind: "event",
      id: event.id,
      name: event.name,
      event,
      page,
      monitor,
      agent_id: null,
      at: ctx.now,
      in_maintenance: null,
    };
    publications.push((await evaluateRules(ctx, [trigger])).publication);
  }
  const publication = joinPublications(publications);
  await commit(ctx, [insertLogEntry(ctx.db, entry), ...publication.statements], {
    audit: {
      owner_id: page.owner_id,
      status_page_id: page.id,
      monitor_id: entry.monitor_id,
      target_type: "custom_event",
      target_id: entry.id,
      summary: `emitted event ${entry.event_name}`,
      data: { classification: entry.classification, title: entry.title },
    },
  });
  return publication;
}

function newEntry(ctx: RequestScope, page: StatusPageRecord, input: z.infer<typeof EventEmit>): EventLogRecord {
  return {
    id: newId(),
    owner_id: page.owner_id,
    status_page_id: page.id,
    event_name: input.event_name,
    classification: input.classification ?? "public",
    title: input.title ?? input.event_name,
    description: input.description || null,
    monitor_id: input.monitor_id ?? null,
    agent_id: null,
    payload: input.payload === undefined ? null : JSON.stringify(input.payload),
    rule_id: null,
    evaluates_rules: input.evaluate_rules ?? false,
    created_at: ctx.now,
    updated_at: ctx.now,
  };
}

/** What webhooks receive; the event and its entry in the log have one id. */
function toEvent(entry: EventLogRecord, { monitor, payload }: { monitor: MonitorRecord | null; payload: unknown }) {
  const { id, owner_id, status_page_id, monitor_id, event_name: name, classification, created_at } = entry;
  if (!isCustomEventName(name)) throw new Error(`${name} is an event of the service`);
  const event: CustomEvent = {
    id,
    owner_id,
    status_page_id,
    monitor_id,
    name,
    classification,
    created_at,
    data: {
      title: entry.title,
      message: entry.description ?? entry.title,
      description: entry.description,
      monitor_id,
      monitor_name: monitor?.name ?? null,
      payload: payload ?? null,
    },
  };
  return event;
}

async function requireMonitorOn(ctx: RequestScope, page: StatusPageRecord, monitorId: string): Promise<MonitorRecord> {
  const monitor = await requireVisibleMonitor(ctx, monitorId);
  if (monitor.status_page_id !== page.id) throw notOnPage("monitor_id", "a monitor");
  return monitor;
}

function notOnPage(path: string, what: string) {
  const message = `must name ${what} of the status page`;
  return invalid(`${path} ${message}`, [{ path, message }]);
}

async function getEntry(ctx: RequestScope, page: StatusPageRecord, entryId: string): Promise<EventLogRecord> {
  const entry = await findLogEntry(ctx.db, entryId);
  if (entry?.status_page_id !== page.id) throw notFound("event");
  return entry;
}
