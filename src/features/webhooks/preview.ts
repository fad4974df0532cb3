import { findMembership } from "../../access/pages.ts";
import { requireVisibleWebhook } from "../../access/resources.ts";
import type { RequestScope } from "../../access/scope.ts";
import { forbidden } from "../../contract/errors.ts";
import { EVENT_NAMES, type EventName, TEST_EVENT } from "../../contract/events.ts";
import { SECRET_PLACEHOLDER } from "../../contract/webhook.ts";
import { listAttempts } from "../../data/deliveries/read.ts";
import { findMonitor } from "../../data/monitors/read.ts";
import { findPage } from "../../data/status-pages/read.ts";
import { chatServicesOf } from "../../delivery/prepare.ts";
import { openConfig } from "../../delivery/webhook-config.ts";
import { composeAlert } from "../../domain/alert-messages.ts";
import { hasPermission } from "../../domain/roles.ts";
import { exampleInputOf } from "../../notifiers/example-input.ts";
import { secretsOf } from "../../notifiers/fields.ts";
import type { NotifierInput } from "../../notifiers/port.ts";
import { notifierOf } from "../../notifiers/registry.ts";
import { inOwnWords } from "../../notifiers/wording.ts";
import { type GivenTarget, type TargetInput, targetOfChanged, targetOfNew } from "./target.ts";

/** What would be sent about an event, without secrets; `body` is null where the provider sends nothing. */
export interface PreviewedMessage {
  event: string;
  /** What the channel was sent last, instead of an example. */
  is_sent: boolean;
  /** `PUT https://…`, or where a mail goes. */
  to: string;
  headers: [name: string, value: string][];
  body: string | null;
}

const PREVIEWED: readonly EventName[] = ["monitor.down", "monitor.up", "incident.created"];

/**
 * Of a webhook that is being made, or as the change of one would leave it: about examples, and about the event that it was
 * sent last. Nothing is sent or stored.
 */
export async function previewWebhook(
  ctx: RequestScope,
  webhookId: string | null,
  input: TargetInput,
): Promise<PreviewedMessage[]> {
  const target = webhookId === null ? targetOfNew(ctx, input) : await changedTarget(ctx, webhookId, input);
  const last = webhookId === null ? null : await findLastInput(ctx, webhookId);
  return [
    ...(last === null ? [] : [previewMessage(last, target, true)]),
    ...PREVIEWED.map((event) => previewMessage(exampleInputOf(event), target, false)),
  ];
}

const SENT_EVENTS = EVENT_NAMES.filter((name) => name !== TEST_EVENT);

/** What its deliveries show to the same people; those about several at once have a text that no channel words. */
async function findLastInput(ctx: RequestScope, webhookId: string): Promise<NotifierInput | null> {
  const newest = { limit: 1, offset: 0 };
  const [attempt] = (await listAttempts(ctx.db, webhookId, newest, { event: SENT_EVENTS })).rows;
  if (!attempt?.event) return null;
  const { event, event_name } = attempt;
  const [page, monitor] = await Promise.all([
    event.status_page_id === null ? undefined : findPage(ctx.db, event.status_page_id),
    event.monitor_id === null ? undefined : findMonitor(ctx.db, event.monitor_id),
  ]);
  const timezone = page?.timezone ?? "UTC";
  return {
    delivery_id: attempt.delivery_id,
    event,
    event_name,
    sent_at: ctx.now,
    message: composeAlert(event, { public_url: ctx.settings.PUBLIC_URL, timezone, page_name: page?.name }),
    monitor: monitor?.owner_id === event.owner_id ? monitor : null,
    timezone,
    services: chatServicesOf(ctx.settings),
  };
}

async function changedTarget(ctx: RequestScope, webhookId: string, input: TargetInput): Promise<GivenTarget> {
  const webhook = await requireVisibleWebhook(ctx, webhookId);
  const membership = await findMembership(ctx, webhook);
  if (!membership || !hasPermission(membership, "alerting.write")) throw forbidden("your role may not change alerts");
  return targetOfChanged(ctx, { webhook, stored: await openConfig(ctx.settings, webhook) }, input);
}

function previewMessage(
  input: NotifierInput,
  { provider, config }: Pick<GivenTarget, "provider" | "config">,
  is_sent: boolean,
): PreviewedMessage {
  const notifier = notifierOf(provider);
  const { url, secret, wording } = config;
  const target = { url, secret, previous_secret: null, channel: null, config: config.config };
  const request = notifier.build({ ...input, message: inOwnWords(input, notifier, wording) }, target);
  const about = { event: input.event_name, is_sent };
  if (request === null) return { ...about, to: "", headers: [], body: null };
  if (request.kind === "mail") {
    return { ...about, to: request.to, headers: [["subject", request.subject]], body: request.text };
  }
  const secrets = [...secretsOf(notifier, target), ...(request.secrets ?? [])];
  const mask = (text: string) => secrets.reduce((masked, each) => masked.replaceAll(each, SECRET_PLACEHOLDER), text);
  const headers = Object.entries(request.headers).map(([name, value]): [string, string] => [
    name,
    name === "authorization" ? SECRET_PLACEHOLDER : mask(value),
  ]);
  return { ...about, to: `${request.method} ${mask(request.url)}`, headers, body: indented(mask(request.body)) };
}

/** JSON as people read it. */
function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
