import type { WebhookProvider } from "../contract/webhook.ts";
import { apprise } from "./apprise.ts";
import { awsSns } from "./aws-sns.ts";
import { bark } from "./bark.ts";
import { dingtalk } from "./dingtalk.ts";
import { discord } from "./discord.ts";
import { email } from "./email.ts";
import { generic } from "./generic.ts";
import { githubIssues } from "./github-issues.ts";
import { gitlabAlerts } from "./gitlab-alerts.ts";
import { googleChat } from "./google-chat.ts";
import { gotify } from "./gotify.ts";
import { grafanaIrm } from "./grafana-irm.ts";
import { homeAssistant } from "./home-assistant.ts";
import { incidentIo } from "./incident-io.ts";
import { jiraServiceManagement } from "./jira-service-management.ts";
import { lark } from "./lark.ts";
import { line } from "./line.ts";
import { matrix } from "./matrix.ts";
import { mattermost } from "./mattermost.ts";
import { ntfy } from "./ntfy.ts";
import { pagerduty } from "./pagerduty.ts";
import type { Notifier } from "./port.ts";
import { pushbullet } from "./pushbullet.ts";
import { pushover } from "./pushover.ts";
import { rocketChat } from "./rocket-chat.ts";
import { signal } from "./signal.ts";
import { slack } from "./slack.ts";
import { slackApp } from "./slack-app.ts";
import { splunkOnCall } from "./splunk-on-call.ts";
import { teams } from "./teams.ts";
import { telegram, telegramBot } from "./telegram.ts";
import { template } from "./template.ts";
import { twilioSms, twilioVoice } from "./twilio.ts";
import { webex } from "./webex.ts";
import { wecom } from "./wecom.ts";
import { whatsapp } from "./whatsapp.ts";
import { zulip } from "./zulip.ts";

export const NOTIFIERS = {
  generic,
  discord,
  slack,
  slack_app: slackApp,
  telegram,
  telegram_bot: telegramBot,
  teams,
  pagerduty,
  mattermost,
  google_chat: googleChat,
  ntfy,
  email,
  template,
  apprise,
  pushover,
  gotify,
  matrix,
  jira_service_management: jiraServiceManagement,
  splunk_on_call: splunkOnCall,
  incident_io: incidentIo,
  grafana_irm: grafanaIrm,
  twilio_sms: twilioSms,
  twilio_voice: twilioVoice,
  aws_sns: awsSns,
  rocket_chat: rocketChat,
  zulip,
  webex,
  lark,
  dingtalk,
  wecom,
  line,
  signal,
  whatsapp,
  home_assistant: homeAssistant,
  bark,
  pushbullet,
  github_issues: githubIssues,
  gitlab_alerts: gitlabAlerts,
} satisfies Record<WebhookProvider, Notifier>;

export function notifierOf(provider: WebhookProvider): Notifier {
  return NOTIFIERS[provider];
}
