import { WebhookConfig } from "../contract/webhook.ts";
import type { WebhookRecord } from "../data/webhooks/read.ts";
import { DAY_MS } from "../lib/durations.ts";
import { seal, unseal } from "../platform/seal.ts";
import type { Settings } from "../platform/settings.ts";

/** How long both secrets sign after a rotation. */
const PREVIOUS_SECRET_MS = DAY_MS;

export function sealConfig(settings: Settings, webhookId: string, config: WebhookConfig): Promise<string> {
  return seal(settings.ROOT_SECRET, webhookId, config);
}

/** Throws when the operator's root secret is not the one that it was sealed under. */
export async function openConfig(
  settings: Settings,
  webhook: Pick<WebhookRecord, "id" | "sealed">,
): Promise<WebhookConfig> {
  return WebhookConfig.parse(await unseal(settings.ROOT_SECRET, webhook.id, webhook.sealed));
}

/** A new secret replaces the present one, which also signs for 24 hours; without a secret nothing is signed. */
export function changeSecret(config: WebhookConfig, secret: string | null, now: number): WebhookConfig {
  if (secret === config.secret) return config;
  const former = secret === null ? null : config.secret;
  const previous = former === null ? null : { secret: former, until: now + PREVIOUS_SECRET_MS };
  return { ...config, secret, previous };
}

/** Chat addresses are credentials: only their origin is shown. */
export function maskUrl(url: string): string {
  return URL.canParse(url) && new URL(url).host !== "" ? `${new URL(url).origin}/***` : "***";
}
