import { findMembership } from "../../access/pages.ts";
import type { RequestScope } from "../../access/scope.ts";
import { invalid } from "../../contract/errors.ts";
import type { Notice } from "../../contract/notices.ts";
import {
  type ConfigInput,
  type ProviderConfig,
  SECRET_PLACEHOLDER,
  type WebhookConfig,
  type WebhookProvider,
  type WebhookUpdate,
  type Wording,
} from "../../contract/webhook.ts";
import type { WebhookRecord } from "../../data/webhooks/read.ts";
import { chatServicesOf } from "../../delivery/prepare.ts";
import { changeSecret } from "../../delivery/webhook-config.ts";
import { hasPermission } from "../../domain/roles.ts";
import { replaced } from "../../lib/merge-field.ts";
import { defaultAddressOf, findTargetFlaw, mergeConfig, withoutSecretFields } from "../../notifiers/fields.ts";
import type { Notifier } from "../../notifiers/port.ts";
import { notifierOf } from "../../notifiers/registry.ts";
import { findWordingFlaw } from "../../notifiers/wording.ts";
import { newWebhookSecret } from "../../platform/credentials.ts";
import { checkGiven } from "../../platform/egress/guard.ts";

/**
 * Where a webhook sends and with what credentials, from the request that makes or changes it. Secrets that are stored
 * stay where they are not sent again, and go where their receiver changes under somebody who may not read them.
 */
export interface GivenTarget {
  provider: WebhookProvider;
  config: WebhookConfig;
  /** Made by the request that is answered. */
  generated_secret: string | null;
  /** What was ignored, and what a change took away. */
  notices: Notice[];
}

export type TargetInput = Pick<
  WebhookUpdate,
  "provider" | "url" | "secret" | "config" | "alert_channels" | "generate_secret" | "message_title" | "message_text"
>;

export function targetOfNew(ctx: RequestScope, input: TargetInput): GivenTarget {
  const provider = input.provider ?? "generic";
  const notifier = notifierOf(provider);
  const named = input.secret ?? memberOfConfig(input.config, "secret");
  const given = named === SECRET_PLACEHOLDER ? null : (named ?? null);
  const generated_secret = generateSecret(input, { provider, secret: given });
  const merged = readConfig(notifier, input.config, {});
  const config: WebhookConfig = {
    url: chooseAddress(input, "") || defaultAddressOf(notifier),
    secret: generated_secret ?? given,
    previous: null,
    alert_channels: restoreChannels(input.alert_channels ?? {}, {}),
    config: merged.config,
    wording: readWording(input, NO_WORDING),
  };
  requireUsable(ctx, provider, config);
  return { provider, config, generated_secret, notices: ignoredNotices(merged, { provider, input }) };
}

export async function targetOfChanged(
  ctx: RequestScope,
  { webhook, stored }: { webhook: WebhookRecord; stored: WebhookConfig },
  input: TargetInput,
): Promise<GivenTarget> {
  const named = input.secret === undefined ? memberOfConfig(input.config, "secret") : input.secret;
  const bringsSecret = named !== undefined && named !== SECRET_PLACEHOLDER;
  const provider = replaced(input.provider, webhook.provider, "generic");
  const notifier = notifierOf(provider);
  const isOther = provider !== webhook.provider;
  const preset = defaultAddressOf(notifier);
  // The address of another service is none of a provider that has its own.
  const url = chooseAddress(input, isOther && preset !== "" ? preset : stored.url) || preset;
  const isNewReceiver = isOther || originOf(url) !== originOf(stored.url);
  const isStripped = isNewReceiver && !(await maySecretMove(ctx, webhook));
  const kept = isStripped ? { ...stored, secret: null, previous: null } : stored;
  const former = isOther ? {} : stored.config;
  const bare = withoutSecretFields(notifier, former);
  const merged = readConfig(notifier, input.config, isStripped ? bare.config : former);
  const secret = bringsSecret ? (named ?? null) : kept.secret;
  const generated_secret = generateSecret(input, { provider, secret });
  const config = {
    ...changeSecret(kept, generated_secret ?? secret, ctx.now),
    url,
    config: merged.config,
    wording: readWording(input, stored.wording),
    ...(input.alert_channels === undefined
      ? {}
      : { alert_channels: restoreChannels(input.alert_channels ?? {}, stored.alert_channels) }),
  };
  requireUsable(ctx, provider, config);
  const isSecretLost = stored.secret !== null && config.secret === null && !bringsSecret;
  const lostFields = isStripped ? bare.removed.filter((name) => !Object.hasOwn(config.config, name)) : [];
  const lost = [...(isSecretLost ? ["secret"] : []), ...lostFields.map((name) => `config.${name}`)];
  const notices = [
    ...lost.map((path) => ({ path, message: SECRET_LOST })),
    ...ignoredNotices(merged, { provider, input }),
  ];
  return { provider, config, generated_secret, notices };
}

/** `url` and `secret` may stand in `config`, too, as the provider lists them among its fields. */
function memberOfConfig(config: ConfigInput | null | undefined, name: "url" | "secret"): string | undefined {
  const value = config && Object.hasOwn(config, name) ? config[name] : undefined;
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** The address that a request names; an answer that is sent back has it twice, changed in one place. */
function chooseAddress(input: Pick<WebhookUpdate, "url" | "config">, stored: string): string {
  const named = [input.url, memberOfConfig(input.config, "url")].flatMap((url) => (url ? [url.trim()] : []));
  const changed = [...new Set(named)].filter((url) => url !== stored);
  if (changed.length > 1) throw invalid("config.url must be the same as url, or left out");
  return changed[0] ?? (input.url === null ? "" : stored);
}

interface MergedConfig {
  config: ProviderConfig;
  ignored: string[];
}

function readConfig(notifier: Notifier, given: WebhookUpdate["config"], stored: ProviderConfig): MergedConfig {
  const reading = mergeConfig(notifier, given, stored);
  if (reading.kind === "read") return reading;
  const { path, message } = reading;
  throw invalid(`${path} ${message}`, [{ path, message }]);
}

/** More of them are no slip of the pen. */
const IGNORED_MAX = 20;

function ignoredNotices(
  { ignored }: MergedConfig,
  { provider, input }: { provider: WebhookProvider; input: TargetInput },
): Notice[] {
  const message = `is not a field of ${provider} and was ignored`;
  const fields = ignored.slice(0, IGNORED_MAX).map((name) => ({ path: `config.${name}`, message }));
  const unread = notifierOf(provider).hasOwnText ? WORDS.filter((name) => input[name]) : [];
  return [...fields, ...unread.map((path) => ({ path, message: `is not read by ${provider}` }))];
}

const WORDS = ["message_title", "message_text"] as const;
const NO_WORDING: Wording = { title: null, text: null };

/** Those that are left out or masked keep theirs. */
function readWording({ message_title, message_text }: TargetInput, stored: Wording): Wording {
  const read = (given: string | null | undefined, kept: string | null) =>
    given === undefined || given === SECRET_PLACEHOLDER ? kept : given || null;
  return { title: read(message_title, stored.title), text: read(message_text, stored.text) };
}

/** Null where the request asks for none, or the webhook has one. */
function generateSecret(
  { generate_secret }: WebhookUpdate,
  { provider, secret }: { provider: WebhookProvider; secret: string | null },
): string | null {
  if (!generate_secret) return null;
  if (provider !== "generic")
    throw invalid("generate_secret needs the provider generic: only its deliveries are signed");
  return secret === null ? newWebhookSecret() : null;
}

const SECRET_LOST = "was removed, because it belongs to the former receiver; give the one of the new receiver";

/** A secret is shown to nobody; who may not read secrets cannot have it sent to a receiver of their own either. */
async function maySecretMove(ctx: RequestScope, webhook: WebhookRecord): Promise<boolean> {
  const membership = await findMembership(ctx, webhook);
  return membership !== undefined && hasPermission(membership, "secrets.read");
}

/** Addresses of bots and of mail have no origin: each is a receiver of its own. */
function originOf(url: string): string {
  return HTTP_ADDRESS.test(url) && URL.canParse(url) ? new URL(url).origin : url;
}

/** The address is checked as written here, and as resolved at each delivery. */
function requireUsable(ctx: RequestScope, provider: WebhookProvider, config: WebhookConfig): void {
  const problem = findTargetFlaw(notifierOf(provider), config, chatServicesOf(ctx.settings));
  const flaw = problem ?? findWordingFlaw(config.wording);
  if (flaw !== null) throw invalid(flaw);
  // Addresses of bots and of mail are no network addresses.
  if (provider === "generic" || HTTP_ADDRESS.test(config.url)) requireReachable(ctx, config.url, "url");
  for (const [name, channel] of Object.entries(config.alert_channels)) {
    if (HTTP_ADDRESS.test(channel) && URL.canParse(channel)) requireReachable(ctx, channel, `alert_channels.${name}`);
  }
}

const HTTP_ADDRESS = /^https?:/i;

function requireReachable(ctx: RequestScope, address: string, path: string): void {
  const verdict = checkGiven(ctx, new URL(address), "delivery");
  if (!verdict.ok) throw invalid(`${path} cannot be used: ${verdict.reason}`, [{ path, message: verdict.reason }]);
}

/** The channels with stored values in the place of `***`. */
function restoreChannels(given: Record<string, string>, stored: Record<string, string>): Record<string, string> {
  const channels = Object.entries(given).map(([name, channel]) => {
    const known = Object.hasOwn(stored, name) ? stored[name] : undefined;
    const kept = channel === SECRET_PLACEHOLDER ? known : channel;
    if (kept !== undefined) return [name, kept];
    const message = `has no stored channel for ${name}`;
    throw invalid(`alert_channels ${message}`, [{ path: "alert_channels", message }]);
  });
  return Object.fromEntries(channels);
}
