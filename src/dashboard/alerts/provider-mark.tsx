import type { WebhookProvider } from "../../contract/webhook.ts";
import type { ProviderFamily } from "../../notifiers/port.ts";
import { notifierOf } from "../../notifiers/registry.ts";
import type { BrandName, LineIconName } from "../../ui/design/icon-names.ts";
import { BrandMark, LineIcon } from "../../ui/design/line-icon.tsx";

const BRANDS: Partial<Record<WebhookProvider, BrandName>> = {
  discord: "discord",
  telegram: "telegram",
  telegram_bot: "telegram",
  mattermost: "mattermost",
  google_chat: "googlechat",
  matrix: "matrix",
  rocket_chat: "rocketdotchat",
  zulip: "zulip",
  webex: "webex",
  line: "line",
  whatsapp: "whatsapp",
  pagerduty: "pagerduty",
  jira_service_management: "jira",
  grafana_irm: "grafana",
  ntfy: "ntfy",
  pushbullet: "pushbullet",
  home_assistant: "homeassistant",
  github_issues: "github",
  gitlab_alerts: "gitlab",
};

/** Of those whose mark nobody may draw, or cannot be read at this size. */
const ICONS: Record<ProviderFamily, LineIconName> = {
  chat: "message-square",
  on_call: "siren",
  phone: "smartphone",
  development: "code",
  own: "webhook",
};

/** Stands beside the provider's name. */
export function ProviderMark({ of: provider }: { of: WebhookProvider }) {
  const brand = BRANDS[provider];
  if (brand !== undefined) return <BrandMark of={brand} />;
  return <LineIcon of={provider === "email" ? "mail" : ICONS[notifierOf(provider).family]} />;
}
