import { commit } from "../../access/commit.ts";
import type { RequestScope } from "../../access/scope.ts";
import type { AlertAnswered, JiraWebhook, PagerDutyWebhook } from "../../contract/alert-answer.ts";
import { unauthenticated } from "../../contract/errors.ts";
import { findEscalationOfIncident, findOpenThread } from "../../data/escalations/read.ts";
import { findIncidentOfThread, type IncidentRecord } from "../../data/incidents/read.ts";
import { insertIncidentUpdate, updateIncident } from "../../data/incidents/write.ts";
import { findWebhook, type WebhookRecord } from "../../data/webhooks/read.ts";
import { openConfig } from "../../delivery/webhook-config.ts";
import { oneLine } from "../../lib/one-line.ts";
import { shorten } from "../../lib/plain-text.ts";
import { isSameSecret, isSignedByPagerDuty } from "../../platform/chat-signatures.ts";
import { sha256Hex } from "../../platform/credentials.ts";
import { newId } from "../../platform/ids.ts";
import { once } from "../chat-services/commands.ts";
import { acknowledgeAlone, acknowledgeFrom } from "../escalations/service.ts";
import { moveGuards } from "../incidents/write.ts";

/** Acknowledgements that people give in the service that keeps the alert of an outage. */
const NAME_LENGTH_MAX = 80;

interface Answer {
  /** For example "PagerDuty". */
  service: string;
  /** Of the outage or incident: the key under which its alert was sent there. */
  thread_id: string;
  verb: "acknowledge" | "resolve";
  person: string;
}

export async function requirePagerDuty(
  ctx: RequestScope,
  webhookId: string,
  request: { signatures: string; body: Uint8Array },
): Promise<WebhookRecord> {
  const { webhook, secret } = await open(ctx, webhookId, { provider: "pagerduty", field: "webhook_secret" });
  if (!isSignedByPagerDuty(secret, request)) throw unauthenticated();
  return webhook;
}

export async function requireJira(ctx: RequestScope, webhookId: string, token: string): Promise<WebhookRecord> {
  const named = { provider: "jira_service_management", field: "webhook_token" } as const;
  const { webhook, secret } = await open(ctx, webhookId, named);
  if (!isSameSecret(secret, token)) throw unauthenticated();
  return webhook;
}

/** A channel that does not exist, is switched off or has no secret is refused like a wrong secret. */
async function open(
  ctx: RequestScope,
  webhookId: string,
  { provider, field }: { provider: "pagerduty" | "jira_service_management"; field: string },
): Promise<{ webhook: WebhookRecord; secret: string }> {
  const webhook = await findWebhook(ctx.db, webhookId);
  if (webhook?.provider !== provider || !webhook.is_active) throw unauthenticated();
  const { config } = await openConfig(ctx.settings, webhook);
  const secret = Object.hasOwn(config, field) ? config[field] : undefined;
  return { webhook, secret: typeof secret === "string" ? secret : "" };
}

const PAGERDUTY_VERBS: Record<string, Answer["verb"]> = {
  "incident.acknowledged": "acknowledge",
  "incident.resolved": "resolve",
};

export async function readPagerDuty(
  ctx: RequestScope,
  webhook: WebhookRecord,
  { event: { id, event_type, agent, data } }: PagerDutyWebhook,
): Promise<AlertAnswered> {
  const verb = PAGERDUTY_VERBS[event_type];
  // What an integration did, such as the one by which this service resolves, is no answer of a person.
  if (verb === undefined || agent?.type !== "user_reference") return { result: "ignored" };
  const answer = { service: "PagerDuty", thread_id: data.incident_key ?? "", verb, person: agent.summary ?? "" };
  return (await once(ctx, `pagerduty ${webhook.id} ${id}`, () => take(ctx, webhook, answer))) ?? { result: "ignored" };
}

const JIRA_VERBS: Record<string, Answer["verb"]> = { acknowledge: "acknowledge", close: "resolve" };

export async function readJira(
  ctx: RequestScope,
  webhook: WebhookRecord,
  { body, bytes }: { body: JiraWebhook; bytes: Uint8Array },
): Promise<AlertAnswered> {
  const verb = JIRA_VERBS[body.action.toLowerCase()];
  if (verb === undefined || body.source?.type?.toLowerCase() === "api") return { result: "ignored" };
  const { alias, username } = body.alert;
  const answer = { service: "Jira Service Management", thread_id: alias ?? "", verb, person: username ?? "" };
  const run = () => take(ctx, webhook, answer);
  return (await once(ctx, `jira ${webhook.id} ${sha256Hex(bytes)}`, run)) ?? { result: "ignored" };
}

async function take(ctx: RequestScope, webhook: WebhookRecord, answer: Answer): Promise<AlertAnswered> {
  const { owner_id } = webhook;
  const named = { owner_id, thread_id: answer.thread_id };
  const isOfChannel = (found: { status_page_id: string }) =>
    webhook.status_page_id === null || webhook.status_page_id === found.status_page_id;
  const incident = await findIncidentOfThread(ctx.db, named);
  if (incident) return isOfChannel(incident) ? takeForIncident(ctx, incident, answer) : { result: "ignored" };
  const escalation = await findOpenThread(ctx.db, named);
  if (!escalation || !isOfChannel(escalation) || answer.verb !== "acknowledge") return { result: "ignored" };
  const count = await acknowledgeFrom(ctx, escalation, { by: null, how: ` ${byOf(answer)}` });
  return { result: count === 0 ? "ignored" : "acknowledged" };
}

async function takeForIncident(ctx: RequestScope, incident: IncidentRecord, answer: Answer): Promise<AlertAnswered> {
  if (incident.status === "resolved") return { result: "ignored" };
  if (answer.verb === "resolve") return noteResolved(ctx, incident, answer);
  if (incident.acknowledged_at !== null) return { result: "ignored" };
  const how = { by: null, how: ` ${byOf(answer)}` };
  const escalation = await findEscalationOfIncident(ctx.db, incident.id);
  if (!escalation) await acknowledgeAlone(ctx, incident, how);
  else if ((await acknowledgeFrom(ctx, escalation, how)) === 0) return { result: "ignored" };
  return { result: "acknowledged" };
}

/**
 * Whether an outage is over is what its checks say, so that a resolution elsewhere is only noted: for the team in the
 * timeline, and of a published incident, whose timeline visitors read, in the audit log alone.
 */
async function noteResolved(ctx: RequestScope, incident: IncidentRecord, answer: Answer): Promise<AlertAnswered> {
  const { id, owner_id, status_page_id, title, status, is_public } = incident;
  const update = {
    id: newId(),
    incident_id: id,
    status,
    message: `Resolved ${byOf(answer)}. Here it stays open until it is over.`,
    created_by: null,
    created_at: ctx.now,
    updated_at: ctx.now,
  };
  const noted = [updateIncident(ctx.db, id, { updated_at: ctx.now }), insertIncidentUpdate(ctx.db, update)];
  await commit(ctx, is_public ? [] : noted, {
    guards: is_public ? [] : await moveGuards(ctx, { current: incident, moved: incident }),
    audit: {
      owner_id,
      status_page_id,
      monitor_id: incident.origin_monitor_id,
      target_type: "incident",
      target_id: id,
      summary: `noted that "${title}" was resolved ${byOf(answer)}`,
    },
  });
  return { result: "noted" };
}

function byOf({ person, service }: Answer): string {
  const name = shorten(oneLine(person).trim(), NAME_LENGTH_MAX);
  return name === "" ? `in ${service}` : `by ${name} in ${service}`;
}
