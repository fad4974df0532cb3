import { EVENT_NAMES } from "../../contract/events.ts";
import {
  MESSAGE_TEXT_MAX,
  MESSAGE_TITLE_MAX,
  REMIND_MINUTES_MAX,
  WEBHOOK_PROVIDERS,
  type WebhookProvider,
} from "../../contract/webhook.ts";
import { TEMPLATE_FIELDS } from "../../domain/message-template.ts";
import {
  PROVIDER_FAMILIES,
  type ProviderDescription,
  type ProviderFamily,
  type ProviderField,
} from "../../notifiers/port.ts";
import { notifierOf } from "../../notifiers/registry.ts";
import { type TargetOptions, targetFields } from "../alert-targets.ts";
import type { FormField, Option } from "../form-fields.ts";
import { words } from "../words.ts";

const FIRST_PROVIDER: WebhookProvider = "slack";

export function providerIn(name: string | null | undefined): WebhookProvider {
  return WEBHOOK_PROVIDERS.find((provider) => provider === name) ?? FIRST_PROVIDER;
}

/** As the provider declares it, in the language of the request. */
export function descriptionOf(provider: WebhookProvider): ProviderDescription {
  const described = notifierOf(provider);
  const { label, steps, fields } = words("dashboard-registries").providers[provider];
  const texts: Partial<Record<string, { label: string; help: string }>> = fields;
  return {
    ...described,
    label,
    steps: [steps.step_1, steps.step_2, steps.step_3],
    fields: described.fields.map((field) => ({ ...field, ...texts[field.name] })),
  };
}

/** The providers under the headings by which people look for them. */
export function providersByFamily(): { heading: string; providers: WebhookProvider[] }[] {
  const { families } = words("dashboard-registries");
  return Object.keys(PROVIDER_FAMILIES).map((family) => ({
    heading: families[family as ProviderFamily],
    providers: WEBHOOK_PROVIDERS.filter((provider) => notifierOf(provider).family === family),
  }));
}

function providerOptions(): Option[] {
  const texts = words("dashboard-registries").providers;
  return providersByFamily().flatMap(({ providers }) =>
    providers.map((value) => ({ value, label: texts[value].label })),
  );
}

/** What stands before the fields of the provider. */
export function nameFields(): FormField[] {
  const text = words("dashboard-alerts");
  return [
    { kind: "text", name: "name", label: text.channel_form.name, required: true, maxlength: 200 },
    { kind: "select", name: "provider", label: text.channels.head.provider, options: providerOptions() },
  ];
}

/** Those of a provider, as it declares them; members of `config` are named with it. `isStored`: there is something to keep. */
export function providerFields(provider: WebhookProvider, isStored: boolean): FormField[] {
  return descriptionOf(provider).fields.map((field) => toFormField(field, isStored));
}

function toFormField(field: ProviderField, isStored: boolean): FormField {
  const { name, label, help, is_secret, kind, options = [] } = field;
  const isOwn = name === "url" || name === "secret";
  const base = {
    name: isOwn ? name : `config.${name}`,
    label,
    hint: is_secret && isStored ? words("dashboard-alerts").channel_form.stored({ hint: help }) : help,
  };
  if (kind === "select") return { ...base, kind, options: options.map((value) => ({ value, label: value })) };
  if (kind === "headers") return { ...base, kind: "json" };
  if (kind === "textarea") return { ...base, kind };
  return { ...base, kind: "text", ...(field.default !== undefined && { placeholder: field.default }) };
}

/** What stands behind them. */
export function scopeFields(pages: readonly Option[], targets: TargetOptions): FormField[] {
  const text = words("dashboard-alerts").channel_form;
  return [
    {
      kind: "select",
      name: "status_page_id",
      label: text.page.label,
      options: pages,
      empty: text.page.empty,
    },
    ...targetFields(targets),
    {
      kind: "several",
      name: "events",
      label: text.events.label,
      hint: text.events.hint,
      advanced: true,
      options: EVENT_NAMES.map((value) => ({ value, label: value })),
    },
    {
      kind: "number",
      name: "remind_every_minutes",
      label: text.remind.label,
      advanced: true,
      min: 1,
      max: REMIND_MINUTES_MAX,
      hint: text.remind.hint,
    },
    {
      kind: "checkbox",
      name: "is_team_only",
      label: text.team_only.label,
      advanced: true,
      hint: text.team_only.hint,
    },
    {
      kind: "text",
      name: "message_title",
      label: text.message_title.label,
      advanced: true,
      maxlength: MESSAGE_TITLE_MAX,
      placeholder: "[{{monitor.tags}}] {{title}}",
      hint: text.message_title.hint,
    },
    {
      kind: "textarea",
      name: "message_text",
      label: text.message_text.label,
      advanced: true,
      maxlength: MESSAGE_TEXT_MAX,
      hint: text.message_text.hint({
        fields: TEMPLATE_FIELDS.join(", "),
        condition: "{{#if duration}}…{{else}}…{{/if}}",
      }),
    },
  ];
}

/** The body of the API: what the form names `config.x` is the member `x` of `config`. */
export function nestConfig(body: Record<string, unknown>): Record<string, unknown> {
  const entries = Object.entries(body);
  const own = entries.filter(([name]) => !name.startsWith(CONFIG));
  const nested = entries
    .filter(([name]) => name.startsWith(CONFIG))
    .map(([name, value]) => [name.slice(CONFIG.length), value]);
  return { ...Object.fromEntries(own), ...(nested.length > 0 && { config: Object.fromEntries(nested) }) };
}

const CONFIG = "config.";
