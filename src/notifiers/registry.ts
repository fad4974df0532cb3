import type { WebhookProvider } from "../contract/webhook.ts";
import { discord } from "./discord.ts";
import { email } from "./email.ts";
import { generic } from "./generic.ts";
import { googleChat } from "./google-chat.ts";
import { mattermost } from "./mattermost.ts";
import { ntfy } from "./ntfy.ts";
import { pagerduty } from "./pagerduty.ts";
import type { Notifier } from "./port.ts";
import { slack } from "./slack.ts";
import { teams } from "./teams.ts";
import { telegram, telegramBot } from "./telegram.ts";
import { template } from "./template.ts";

export const NOTIFIERS = {
  generic,
  discord,
  slack,
  telegram,
  telegram_bot: telegramBot,
  teams,
  pagerduty,
  mattermost,
  google_chat: googleChat,
  ntfy,
  email,
  template,
} satisfies Record<WebhookProvider, Notifier>;

export function notifierOf(provider: WebhookProvider): Notifier {
  return NOTIFIERS[provider];
}
