import type { WebhookProvider } from "../contract/webhook.ts";
import { generic } from "./generic.ts";
import type { Notifier } from "./port.ts";

/** A provider without an entry is known by name but cannot be used yet. */
const NOTIFIERS: Partial<Record<WebhookProvider, Notifier>> = { generic };

export function findNotifier(provider: WebhookProvider): Notifier | undefined {
  return NOTIFIERS[provider];
}
