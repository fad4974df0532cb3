import { findMembership } from "../../access/pages.ts";
import { requireVisibleWebhook } from "../../access/resources.ts";
import type { RequestScope } from "../../access/scope.ts";
import { forbidden } from "../../contract/errors.ts";
import type { EventName } from "../../contract/events.ts";
import { SECRET_PLACEHOLDER, type WebhookConfig, type WebhookProvider } from "../../contract/webhook.ts";
import { openConfig } from "../../delivery/webhook-config.ts";
import { hasPermission } from "../../domain/roles.ts";
import { exampleInputOf } from "../../notifiers/example-input.ts";
import { secretsOf } from "../../notifiers/fields.ts";
import { notifierOf } from "../../notifiers/registry.ts";
import { type GivenTarget, type TargetInput, targetOfChanged, targetOfNew } from "./target.ts";

/** What would be sent about an example of an event, without secrets; `body` is null where the provider sends nothing. */
export interface PreviewedMessage {
  event: EventName;
  /** `PUT https://…`, or where a mail goes. */
  to: string;
  headers: [name: string, value: string][];
  body: string | null;
}

const PREVIEWED: readonly EventName[] = ["monitor.down", "monitor.up", "incident.created"];

/** Of a webhook that is being made, or as the change of one would leave it. Nothing is sent or stored. */
export async function previewWebhook(
  ctx: RequestScope,
  webhookId: string | null,
  input: TargetInput,
): Promise<PreviewedMessage[]> {
  const { provider, config } =
    webhookId === null ? targetOfNew(ctx, input) : await changedTarget(ctx, webhookId, input);
  return PREVIEWED.map((event) => previewMessage(event, provider, config));
}

async function changedTarget(ctx: RequestScope, webhookId: string, input: TargetInput): Promise<GivenTarget> {
  const webhook = await requireVisibleWebhook(ctx, webhookId);
  const membership = await findMembership(ctx, webhook);
  if (!membership || !hasPermission(membership, "alerting.write")) throw forbidden("your role may not change alerts");
  return targetOfChanged(ctx, { webhook, stored: await openConfig(ctx.settings, webhook) }, input);
}

function previewMessage(event: EventName, provider: WebhookProvider, config: WebhookConfig): PreviewedMessage {
  const notifier = notifierOf(provider);
  const { url, secret } = config;
  const target = { url, secret, previous_secret: null, channel: null, config: config.config };
  const request = notifier.build(exampleInputOf(event), target);
  if (request === null) return { event, to: "", headers: [], body: null };
  if (request.kind === "mail") {
    return { event, to: request.to, headers: [["subject", request.subject]], body: request.text };
  }
  const secrets = [...secretsOf(notifier, target), ...(request.secrets ?? [])];
  const mask = (text: string) => secrets.reduce((masked, each) => masked.replaceAll(each, SECRET_PLACEHOLDER), text);
  const headers = Object.entries(request.headers).map(([name, value]): [string, string] => [
    name,
    name === "authorization" ? SECRET_PLACEHOLDER : mask(value),
  ]);
  return { event, to: `${request.method} ${mask(request.url)}`, headers, body: indented(mask(request.body)) };
}

/** JSON as people read it. */
function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
