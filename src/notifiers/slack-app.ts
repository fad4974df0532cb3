import { isKnownEvent } from "../contract/events.ts";
import { configText, secretField, textField, urlField } from "./fields.ts";
import {
  type AnswerReading,
  CHAT_ATTEMPTS_MAX,
  isHttpUrl,
  jsonRequest,
  NOT_AN_ADDRESS,
  type Notifier,
  type NotifierInput,
  type NotifierRequest,
  type WebhookTarget,
} from "./port.ts";
import { plain, slackMessage } from "./slack-message.ts";

/**
 * An app in the workspace, by https://docs.slack.dev/reference/methods/chat.postMessage and chat.update: an outage or incident
 * is one message, which what follows changes, and a thread below it that keeps each step.
 */
const API = "https://slack.com/api";
/** Public and private channels; what begins otherwise is a person, to whom an alert could be addressed as a stranger. */
const CHANNEL = /^[CG][A-Z0-9]{6,20}$/;
/** Of a message: its channel, in which the thread stays, and its time there. Ids of before name no channel. */
const MESSAGE_ID = /^(?:([CG][A-Z0-9]{6,20})\/)?(\d{1,12}\.\d{1,9})$/;

export const slackApp: Notifier = {
  provider: "slack_app",
  label: "Slack app",
  family: "chat",
  fields: [
    textField("channel_id", "Channel ID", "At the end of the channel's details in Slack, for example C012AB3CD.", {
      form: { pattern: CHANNEL, words: "the ID of a channel, such as C012AB3CD" },
    }),
    secretField("token", "Bot token", "xoxb-…, under OAuth & Permissions of the app.", {
      form: { pattern: /^xox[a-z]-\S+$/, words: "a token that begins with xoxb-" },
    }),
    urlField("Of the API of Slack.", { default: API }),
  ],
  steps: [
    "Open [your Slack apps](https://api.slack.com/apps), create one from scratch, and give it the bot token scope `chat:write`.",
    "Install it to the workspace and copy the bot token.",
    "In the channel write `/invite` with the name of the app, and copy the channel ID from the end of the channel's details.",
  ],
  channel: "another channel ID",
  notes: [
    "An outage or incident is one message. What follows changes it in place and is a reply in its thread, so that the channel shows how things stand and the thread how they came about; reminders of what is still down are shown in the channel, too. Once the message was deleted in Slack, a new one takes its place.",
    "Messages of what goes on have the buttons Acknowledge, Post update, Mute for 1 hour and Resolve, and `/vigil status`, `/vigil oncall` and `/vigil ack` answer the person who writes them alone, of the first five of their pages. They act for the account that the person linked, with its rights: who is linked to none gets a link, as in [linked channels](../channels.md#linked-channels). For this the operator sets `SLACK_SIGNING_SECRET` to the signing secret of the app (Basic Information), and in the app switches on Interactivity with the request URL `https://<address>/integrations/slack/interactions` and adds the command `/vigil` with `https://<address>/integrations/slack/commands`, which gives it the scope `commands`. The token of the channel has to be one of that app.",
    "The app writes only into channels to which people of the workspace invited it. Rate limits of Slack are waited for, and the reason of each refusal, such as a token that was revoked, stands beside the delivery.",
  ],
  attemptsMax: CHAT_ATTEMPTS_MAX,
  isBundled: true,
  keepsAlerts: true,
  validate: ({ url }) => (isHttpUrl(url) ? null : NOT_AN_ADDRESS),
  build: (input, target) => request("chat.postMessage", input, target, { buttons: buttonsOf(input) }),
  editing: {
    isOfThread: true,
    parseMessageId,
    edit(input, target, messageId) {
      const { channel, ts } = placeOf(messageId, target);
      return request("chat.update", input, { ...target, channel }, { buttons: buttonsOf(input), thread: { ts } });
    },
  },
  follow(input, target, edited_id) {
    if (edited_id === null) return null;
    const { channel, ts } = placeOf(edited_id, target);
    const thread = { thread_ts: ts, reply_broadcast: input.message.tone === "down" };
    return request("chat.postMessage", input, { ...target, channel }, { thread });
  },
  readAnswer,
};

function parseMessageId(body: string): string | null {
  const channel = /"channel"\s*:\s*"([CG][A-Z0-9]{6,20})"/.exec(body)?.[1];
  const ts = /"ts"\s*:\s*"(\d{1,12}\.\d{1,9})"/.exec(body)?.[1];
  if (ts === undefined) return null;
  return channel === undefined ? ts : `${channel}/${ts}`;
}

/** Throws for what is no id of ours. */
function placeOf(messageId: string, target: WebhookTarget): { channel: string | null; ts: string } {
  const [, channel = target.channel, ts] = MESSAGE_ID.exec(messageId) ?? [];
  if (ts === undefined) throw new Error("no message of Slack has this id");
  return { channel, ts };
}

function request(
  method: string,
  { message }: NotifierInput,
  target: WebhookTarget,
  { buttons = [], thread = {} }: { buttons?: object[]; thread?: Readonly<Record<string, string | boolean>> } = {},
): NotifierRequest {
  const channel = target.channel ?? configText(slackApp, target, "channel_id");
  if (!CHANNEL.test(channel)) throw new Error("alert_channels names no channel of Slack");
  const isPost = method === "chat.postMessage";
  // Previews of the service's own addresses would repeat what the message says.
  const body = {
    channel,
    ...slackMessage(message, buttons),
    ...thread,
    ...(isPost && { unfurl_links: false, unfurl_media: false }),
  };
  const headers = { authorization: `Bearer ${configText(slackApp, target, "token")}` };
  return jsonRequest(`${target.url.replace(/\/+$/, "")}/${method}`, body, { headers });
}

/** What can be done there, each with the rights of the person who presses. */
export const SLACK_ACTIONS = ["acknowledge", "update", "mute", "resolve"] as const;
const LABELS: Record<(typeof SLACK_ACTIONS)[number], string> = {
  acknowledge: "Acknowledge",
  update: "Post update",
  mute: "Mute for 1 hour",
  resolve: "Resolve",
};
const BEGUN = ["monitor.down", "monitor.reminder", "incident.created", "incident.updated", "incident.acknowledged"];

/** None where nothing would come back, and of what is over. */
function buttonsOf({ webhook_id, event, message, services }: NotifierInput): object[] {
  if (!services.slack_answers || webhook_id === undefined || !isKnownEvent(event) || !BEGUN.includes(event.name))
    return [];
  const data: Readonly<Record<string, unknown>> = event.data;
  if (message.is_resolved || data.status === "resolved") return [];
  const isAcknowledged = event.name === "incident.acknowledged" || Boolean(data.acknowledged_at);
  const value = `${webhook_id} ${message.thread.id} ${event.monitor_id ?? ""}`;
  return SLACK_ACTIONS.flatMap((action) => {
    const isOffered = action === "acknowledge" ? !isAcknowledged : action !== "mute" || event.monitor_id !== null;
    return isOffered ? [buttonOf(action, value)] : [];
  });
}

/** https://docs.slack.dev/reference/block-kit/block-elements/button-element */
function buttonOf(action_id: (typeof SLACK_ACTIONS)[number], value: string): object {
  return {
    type: "button",
    text: plain(LABELS[action_id]),
    action_id,
    value,
    ...(action_id === "acknowledge" && { style: "primary" }),
    ...(action_id === "resolve" && { confirm: CONFIRMATION }),
  };
}

/** https://docs.slack.dev/reference/block-kit/composition-objects/confirmation-dialog-object */
const CONFIRMATION = {
  title: plain("Resolve the incident?"),
  text: plain("Readers of a published incident are told that it is over."),
  confirm: plain("Resolve"),
  deny: plain("Cancel"),
};

const REASONS: Readonly<Record<string, string>> = {
  invalid_auth: "the token is not valid",
  not_authed: "the token is not valid",
  token_revoked: "the token was revoked, or the app removed from the workspace",
  token_expired: "the token has expired",
  account_inactive: "the app was removed from the workspace",
  missing_scope: "the app lacks the scope chat:write",
  channel_not_found: "the channel does not exist, or the app was not invited to it",
  not_in_channel: "the app was not invited to the channel",
  is_archived: "the channel is archived",
  restricted_action: "the workspace lets the app not write there",
};
const TRANSIENT = [
  "ratelimited",
  "rate_limited",
  "internal_error",
  "fatal_error",
  "service_unavailable",
  "request_timeout",
];

/** https://docs.slack.dev/apis/web-api: it answers 200, and `ok` says whether it did anything; too many requests are 429. */
function readAnswer({ status, excerpt }: { status: number; excerpt: string }): AnswerReading | null {
  if (status !== 200 || !/"ok"\s*:\s*false/.test(excerpt)) return null;
  const code = /"error"\s*:\s*"([a-z_]{1,60})"/.exec(excerpt)?.[1] ?? "an error";
  const error = `Slack answered ${code}${Object.hasOwn(REASONS, code) ? `: ${REASONS[code]}` : ""}`;
  return TRANSIENT.includes(code) ? { kind: "later", error, wait_seconds: null } : { kind: "refused", error };
}
