import { findIdempotentResult } from "../../access/idempotency.ts";
import { requireUser } from "../../access/principal.ts";
import { requireIncident, requireMonitor } from "../../access/resources.ts";
import type { RequestScope } from "../../access/scope.ts";
import { ApiError, conflict } from "../../contract/errors.ts";
import { IncidentUpdateCreate } from "../../contract/incident.ts";
import type { SlackCommand, SlackPayload, SlackPress, SlackSubmission } from "../../contract/slack.ts";
import { loadPageStatus } from "../../data/chat-links/read.ts";
import { findEscalationOfIncident, findOpenThread } from "../../data/escalations/read.ts";
import { findIncidentOfThread, type IncidentRecord } from "../../data/incidents/read.ts";
import { listNamesOnTeams } from "../../data/members/read.ts";
import { findPage, type StatusPageRecord } from "../../data/status-pages/read.ts";
import { findWebhook, type WebhookRecord } from "../../data/webhooks/read.ts";
import { send } from "../../delivery/sender.ts";
import { openConfig } from "../../delivery/webhook-config.ts";
import { findOnCall } from "../../domain/on-call.ts";
import type { Permission } from "../../domain/roles.ts";
import { formatStatusText } from "../../domain/status-posts.ts";
import { formatInstant } from "../../lib/date-format.ts";
import { HOUR_MS } from "../../lib/durations.ts";
import { shorten } from "../../lib/plain-text.ts";
import { angleLink, escapeSlack } from "../../notifiers/chat-text.ts";
import { configText } from "../../notifiers/fields.ts";
import { USER_AGENT } from "../../notifiers/port.ts";
import { SLACK_ACTIONS, slackApp } from "../../notifiers/slack-app.ts";
import { updateModal } from "../../notifiers/slack-modal.ts";
import type { ChatIdentity } from "../../platform/chat-account-codes.ts";
import { bodyHashes } from "../../platform/root-keys.ts";
import { actAs, linkAddress, mayOn, NOT_ALLOWED } from "../chat-accounts/acting.ts";
import { acknowledgeAlone, acknowledgeFrom } from "../escalations/service.ts";
import { changeIncident } from "../incidents/service.ts";
import { changeMonitor } from "../monitors/update.ts";
import { listSchedules } from "../on-call/schedules.ts";
import { listMyPages } from "../status-pages/service.ts";
import { INCIDENT_TIMELINE } from "../timeline/incidents.ts";
import { acknowledgeOn } from "./commands.ts";

/** What people do in Slack, each with the rights of the account that they linked. Slack's signature is the credential. */
const TEXT_MAX = 3000;
const MUTED_MS = HOUR_MS;
/** Of a command, which has to be answered within three seconds. */
const PAGES_MAX = 5;
const HOW = " on Slack";
const OVER = "It is over.";
const NO_LONGER = "This button is no longer valid.";
const NO_INCIDENT = "This outage has no incident, so that there is nothing to do this to.";
const HELP = "Commands: status, oncall, ack.";

type Reply = Record<string, unknown>;

/** What is pressed is carried out after the answer, for which Slack waits three seconds; the person alone reads what came of it. */
export async function answerPayload(ctx: RequestScope, payload: SlackPayload): Promise<Reply> {
  if (isSubmission(payload)) return submitUpdate(ctx, payload);
  if (!isPress(payload)) return {};
  const [action] = payload.actions;
  const verb = SLACK_ACTIONS.find((each) => each === action?.action_id);
  // Slack also reports that somebody followed a link.
  if (!action || verb === undefined) return {};
  ctx.defer(press(ctx, payload, { verb, value: action.value ?? "" }));
  return {};
}

const isPress = (payload: SlackPayload): payload is SlackPress =>
  payload.type === "block_actions" && "actions" in payload;
const isSubmission = (payload: SlackPayload): payload is SlackSubmission =>
  payload.type === "view_submission" && "view" in payload;

function personOf({ team, user }: Pick<SlackPress, "team" | "user">): ChatIdentity {
  const name = user.username ?? user.name ?? user.id;
  return { service: "slack", workspace_id: user.team_id ?? team?.id ?? "", chat_user_id: user.id, name };
}

type Verb = (typeof SLACK_ACTIONS)[number];

async function press(ctx: RequestScope, payload: SlackPress, action: { verb: Verb; value: string }): Promise<void> {
  const person = personOf(payload);
  const text = await inWords(ctx, async () => {
    const acting = await actAs(ctx, person);
    return acting === null ? howToLink(ctx, person) : carryOut(acting, payload, action);
  });
  const { response_url } = payload;
  if (text === null || !response_url) return;
  const body = { ...ephemeral(text), replace_original: false };
  await post(ctx, response_url, body);
}

/** A refusal as the person reads it. */
async function inWords(ctx: RequestScope, run: () => Promise<string | null>): Promise<string | null> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof ApiError)) {
      ctx.log.error("request of Slack failed", error);
      return "That could not be done. Try again, or do it in the dashboard.";
    }
    return refusalOf(error);
  }
}

function refusalOf(error: ApiError): string {
  if (error.status === 404) return "There is no such thing for your account.";
  if (error.code === "idempotency_mismatch") return "This form was posted before, with other words.";
  return escapeSlack(`${error.message.charAt(0).toUpperCase()}${error.message.slice(1)}.`);
}

function howToLink(ctx: RequestScope, person: ChatIdentity): string {
  const link = angleLink("Link your account", linkAddress(ctx, person));
  return `You are linked to no account yet. ${link} within 15 minutes, signed in, and press again.`;
}

/** With another permission than the acknowledgement of an incident needs, or under another name in the audit log. */
function as(ctx: RequestScope, auditEvent: string, permission: Permission = "incidents.write"): RequestScope {
  return { ...ctx, auditEvent, permission, loaded: new Map() };
}

async function carryOut(
  ctx: RequestScope,
  { trigger_id }: SlackPress,
  { verb, value }: { verb: Verb; value: string },
): Promise<string | null> {
  const [webhookId = "", threadId = "", monitorId = ""] = value.split(" ");
  const webhook = await findWebhook(ctx.db, webhookId);
  if (webhook?.provider !== "slack_app") return NO_LONGER;
  if (verb === "mute") return mute(ctx, webhook, monitorId);
  const thread = { owner_id: webhook.owner_id, thread_id: threadId };
  const incident = await findIncidentOfThread(ctx.db, thread);
  if (verb === "acknowledge") return incident ? acknowledge(ctx, incident) : acknowledgeThread(ctx, thread);
  if (!incident) return NO_INCIDENT;
  await requireIncident(ctx, incident.id);
  if (incident.status === "resolved") return OVER;
  if (verb === "update") return openModal(ctx, webhook, { incident, trigger_id: trigger_id ?? "" });
  await changeIncident(as(ctx, "incident.updated"), incident.id, { status: "resolved" });
  return "Resolved.";
}

async function acknowledge(ctx: RequestScope, { id }: IncidentRecord): Promise<string> {
  const acting = as(ctx, "incident.acknowledged");
  const incident = await requireIncident(acting, id);
  if (incident.status === "resolved") return OVER;
  if (incident.acknowledged_at !== null) return "It was acknowledged before.";
  const how = { by: requireUser(acting).user_id, how: HOW };
  const escalation = await findEscalationOfIncident(ctx.db, id);
  if (escalation) await acknowledgeFrom(acting, escalation, how);
  else await acknowledgeAlone(acting, incident, how);
  return "Acknowledged. Nobody else is notified.";
}

/** Of what notifies people on call without an incident. */
async function acknowledgeThread(ctx: RequestScope, thread: { owner_id: string; thread_id: string }): Promise<string> {
  const escalation = await findOpenThread(ctx.db, thread);
  if (!escalation) return "Nobody is notified of it, so that there is nothing to acknowledge.";
  const { user_id: by } = requireUser(ctx);
  if (!(await mayOn(ctx, { page_id: escalation.status_page_id, user_id: by }))) return NOT_ALLOWED;
  const count = await acknowledgeFrom(as(ctx, "incident.acknowledged"), escalation, { by, how: HOW });
  return count === 0 ? "It was acknowledged before, or is over." : "Acknowledged. Nobody else is notified.";
}

async function mute(ctx: RequestScope, { owner_id }: WebhookRecord, monitorId: string): Promise<string> {
  const muted_until = ctx.now + MUTED_MS;
  const acting = as(ctx, "monitor.updated", "monitors.write");
  const monitor = await requireMonitor(acting, monitorId);
  if (monitor.owner_id !== owner_id) return NO_LONGER;
  const name = escapeSlack(monitor.name);
  if (monitor.muted_until !== null && monitor.muted_until > muted_until) {
    const page = monitor.status_page_id === null ? undefined : await findPage(ctx.db, monitor.status_page_id);
    return `${name} is muted already, until ${formatInstant(monitor.muted_until, page?.timezone ?? "UTC")}.`;
  }
  await changeMonitor(acting, monitor.id, { muted_until });
  return `${name} is muted for an hour.`;
}

/** https://docs.slack.dev/reference/methods/views.open; within three seconds of the press. */
async function openModal(
  ctx: RequestScope,
  webhook: WebhookRecord,
  { incident, trigger_id }: { incident: IncidentRecord; trigger_id: string },
): Promise<string | null> {
  const target = await openConfig(ctx.settings, webhook);
  const view = updateModal({ incident_id: incident.id, title: incident.title });
  const headers = { authorization: `Bearer ${configText(slackApp, target, "token")}` };
  const reply = await post(ctx, `${target.url.replace(/\/+$/, "")}/views.open`, { trigger_id, view }, headers);
  const isOpen = reply.kind === "answered" && reply.status === 200 && /"ok"\s*:\s*true/.test(reply.excerpt);
  return isOpen ? null : "Slack did not open the form. Press again, or post the update in the dashboard.";
}

function post(ctx: RequestScope, url: string, body: unknown, headers: Record<string, string> = {}) {
  return send(ctx.settings, {
    method: "POST",
    url,
    headers: { "content-type": "application/json; charset=utf-8", "user-agent": USER_AGENT, ...headers },
    body: JSON.stringify(body),
  });
}

/** What the form holds is judged like a request to the API; what is wrong with it stands at its field. */
async function submitUpdate(ctx: RequestScope, payload: SlackSubmission): Promise<Reply> {
  const { id, private_metadata, state } = payload.view;
  const field = (name: string) => state.values[name]?.[name];
  const input = { message: field("message")?.value ?? "", status: field("status")?.selected_option?.value ?? null };
  const person = personOf(payload);
  const problem = await inWords(ctx, async () => {
    const acting = await actAs(ctx, person);
    if (acting === null) return "You are linked to no account any more.";
    const posting = postingOnce(acting, { id, text: JSON.stringify(input) });
    const parsed = IncidentUpdateCreate.safeParse(input);
    if (!parsed.success) return "This is too long, or says nothing.";
    const incident = await requireIncident(posting, private_metadata);
    const isPosted = (await findIdempotentResult(posting)) !== undefined;
    if (incident.status === "resolved" && !isPosted) throw conflict("the incident is resolved");
    await INCIDENT_TIMELINE.add(as(posting, "incident.updated"), incident.id, parsed.data);
    return null;
  });
  return problem === null ? { response_action: "clear" } : { response_action: "errors", errors: { message: problem } };
}

/** A form whose answer got lost is posted again, and is the same form by its id. */
function postingOnce(ctx: RequestScope, { id, text }: { id: string; text: string }): RequestScope {
  const { user_id } = requireUser(ctx);
  const body_hashes = bodyHashes(ctx.settings.ROOT_SECRET, text);
  const idempotency = { user_id, route: "slack form", key: id, body_hashes, status: 201, resource_id: null };
  return { ...ctx, idempotency, bodyBytes: new TextEncoder().encode(text).byteLength };
}

export async function answerCommand(ctx: RequestScope, command: SlackCommand): Promise<Reply> {
  const { team_id: workspace_id, user_id: chat_user_id, user_name } = command;
  const person: ChatIdentity = { service: "slack", workspace_id, chat_user_id, name: user_name || chat_user_id };
  const text = await inWords(ctx, async () => {
    const acting = await actAs(ctx, person);
    return acting === null ? howToLink(ctx, person) : runCommand(acting, command.text.trim().toLowerCase());
  });
  return ephemeral(text ?? "");
}

async function runCommand(ctx: RequestScope, name: string): Promise<string> {
  if (!["status", "oncall", "ack"].includes(name)) return HELP;
  const { views, total } = await listMyPages(ctx, { limit: PAGES_MAX, offset: 0 });
  const pages = views.map(({ page }) => page);
  if (pages.length === 0) return "Your account has no status page.";
  const rest = total > pages.length ? `\n${total - pages.length} more pages are in the dashboard.` : "";
  if (name === "ack") return `${await acknowledgeOn(ctx, pages, HOW)}${rest}`;
  const texts = name === "status" ? await describeStatus(ctx, pages) : await describeOnCall(ctx, pages);
  return `${texts.map(escapeSlack).join("\n\n")}${rest}`;
}

function describeStatus({ db }: RequestScope, pages: readonly StatusPageRecord[]): Promise<string[]> {
  return Promise.all(pages.map(async ({ id, name }) => formatStatusText(name, await loadPageStatus(db, id))));
}

/** Who is on call now by each schedule. */
async function describeOnCall(ctx: RequestScope, pages: readonly StatusPageRecord[]): Promise<string[]> {
  const ids = pages.map(({ id }) => id);
  const { rows } = await listSchedules(ctx, ids, { limit: 100, offset: 0 });
  const now = rows.map((schedule) => ({ schedule, current: findOnCall(schedule, ctx.now) }));
  const people = now.flatMap(({ current }) => current?.user_id ?? []);
  const names = new Map(
    (await listNamesOnTeams(ctx.db, { page_ids: ids, user_ids: people })).map(({ id, name }) => [id, name]),
  );
  return pages.map((page) => {
    const lines = now.flatMap(({ schedule, current }) => {
      if (schedule.status_page_id !== page.id) return [];
      const name = current ? (names.get(current.user_id) ?? "somebody") : "nobody";
      const until = current?.until ? ` until ${formatInstant(current.until, page.timezone)}` : "";
      return [`${schedule.name}: ${name}${until}`];
    });
    return [page.name, ...(lines.length === 0 ? ["No on-call schedule"] : lines)].join("\n");
  });
}

const ephemeral = (text: string) => ({ response_type: "ephemeral", text: shorten(text, TEXT_MAX) });
