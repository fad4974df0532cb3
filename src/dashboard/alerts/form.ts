import { EVENT_NAMES } from "../../contract/events.ts";
import { REMIND_MINUTES_MAX, WEBHOOK_PROVIDERS, type WebhookProvider } from "../../contract/webhook.ts";
import type { FormField, Option } from "../form-fields.ts";

export const PROVIDER_NAMES: Record<WebhookProvider, string> = {
  generic: "Webhook",
  discord: "Discord",
  slack: "Slack",
  telegram: "Telegram",
  telegram_bot: "Telegram (the operator's bot)",
  teams: "Microsoft Teams",
  pagerduty: "PagerDuty",
  mattermost: "Mattermost",
  google_chat: "Google Chat",
  ntfy: "ntfy",
  email: "E-mail",
};

/** What URL and secret mean for each provider. */
export const PROVIDER_HINTS: Record<WebhookProvider, string> = {
  generic: "URL: your endpoint. Secret: signs every request.",
  discord: "URL: channel settings, Integrations, Webhooks, Copy URL. No secret.",
  slack: "URL: an incoming webhook of your Slack app. No secret.",
  telegram: "URL: https://api.telegram.org/bot<token>/sendMessage. Secret: the chat id.",
  telegram_bot: "URL: telegram:chat:<id>, after the chat was linked. No secret.",
  teams: "URL: of the workflow 'When a Teams webhook request is received'. No secret.",
  pagerduty: "URL: https://events.pagerduty.com/v2/enqueue. Secret: the routing key of an Events API v2 integration.",
  mattermost: "URL: an incoming webhook. No secret.",
  google_chat: "URL: Apps and integrations of the space, Webhooks. No secret.",
  ntfy: "URL: of the topic, such as https://ntfy.sh/your-topic. Secret: an access token, where the topic needs one.",
  email: "URL: mailto:team@your.example. No secret.",
};

export function channelFields(pages: readonly Option[]): FormField[] {
  return [
    { kind: "text", name: "name", label: "Name", required: true, maxlength: 200 },
    {
      kind: "select",
      name: "provider",
      label: "Provider",
      options: WEBHOOK_PROVIDERS.map((value) => ({ value, label: PROVIDER_NAMES[value] })),
    },
    { kind: "text", name: "url", label: "URL", required: true },
    { kind: "text", name: "secret", label: "Secret", hint: "*** keeps the stored one" },
    {
      kind: "select",
      name: "status_page_id",
      label: "Status page",
      options: pages,
      empty: "All of mine, and monitors without one",
    },
    {
      kind: "several",
      name: "events",
      label: "Events",
      hint: "none: all of them",
      advanced: true,
      options: EVENT_NAMES.map((value) => ({ value, label: value })),
    },
    {
      kind: "number",
      name: "remind_every_minutes",
      label: "Remind every so many minutes",
      advanced: true,
      min: 1,
      max: REMIND_MINUTES_MAX,
      hint: "while a monitor stays down; empty: never",
    },
    {
      kind: "checkbox",
      name: "is_team_only",
      label: "For the team",
      advanced: true,
      hint: "also receives what readers of the page do not see",
    },
  ];
}
