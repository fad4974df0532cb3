import type { ChatService } from "../contract/chat-link.ts";
import type { NewEvent } from "../contract/events.ts";
import type { ProviderConfig, WebhookProvider } from "../contract/webhook.ts";
import type { AlertMessage } from "../domain/alert-messages.ts";

/** Where a notification goes and with what credentials. */
export interface WebhookTarget {
  url: string;
  secret: string | null;
  /** The secret before the present one, while both sign. */
  previous_secret: string | null;
  /** What alert_channels names for this event. */
  channel: string | null;
  /** The fields that the provider declares besides `url` and `secret`. */
  config: ProviderConfig;
}

/** The members of a target that are checked when a webhook is saved. */
export type CheckedTarget = Pick<WebhookTarget, "url" | "secret" | "config">;

/**
 * A field that a provider asks for. `url` and `secret` are members of the webhook itself, every other one of its `config`.
 * Validation, masking, the form of the dashboard and the pages of docs/channels derive from it.
 */
export interface ProviderField {
  name: string;
  /** As the provider calls it. */
  label: string;
  kind: "text" | "textarea" | "select" | "headers";
  /** Stored and sent, never shown again. */
  is_secret: boolean;
  is_required: boolean;
  /** What it is and where to find it, as sentences. */
  help: string;
  /** Of a select; the first one is its default. */
  options?: readonly string[];
  /** Holds while the webhook has none. */
  default?: string;
  length_max: number;
  /** What its text has to look like, and those words after "must be". */
  form?: { pattern: RegExp; words: string };
}

export const PROVIDER_FAMILIES = {
  chat: "Chat",
  on_call: "On-call and incidents",
  phone: "Phone and push",
  development: "Code and automation",
  own: "Your own",
} as const;
export type ProviderFamily = keyof typeof PROVIDER_FAMILIES;

/** What people read about a provider where they set it up. */
export interface ProviderDescription {
  label: string;
  family: ProviderFamily;
  fields: readonly ProviderField[];
  /** How to get what the fields ask for. */
  steps: readonly [string, string, string];
  /** What an entry of alert_channels is; null: nothing reads it. */
  channel: string | null;
  /** What its messages do there, as paragraphs of Markdown. */
  notes: readonly string[];
}

/** A receiver whom anybody could name, so that its reader has to agree before anything is sent there. */
export type ConsentingReceiver = { kind: "chat"; service: ChatService; id: string } | { kind: "mail"; address: string };

/** Addresses and bots of the services that the operator configured. */
export interface ChatServices {
  telegram_api_base: string;
  /** Empty where the operator runs no bot. */
  telegram_bot_token: string;
  discord_api_base: string;
  discord_bot_token: string;
  /** What is pressed in Slack comes back and can be verified. */
  slack_answers: boolean;
}

/** How an owner marks a monitor, for templates. */
export interface MonitorMarks {
  tags: readonly string[];
  external_key: string | null;
}

/** One attempt to send one event to one target. */
export interface NotifierInput {
  /** The same on every attempt, so that receivers recognise a repeat. */
  delivery_id: string;
  /** Whose message it is; absent in previews, and for contacts of people. */
  webhook_id?: string;
  event: NewEvent;
  /** Name under which the target receives the event. */
  event_name: string;
  message: AlertMessage;
  /** Whose change it is about, as its owner marked it. */
  monitor?: MonitorMarks | null;
  /** Of the page; without one UTC. */
  timezone?: string;
  /** Of a message to an on-call contact. */
  acknowledge_url?: string;
  /** Lets the reader of a mail to this address stop the next ones. */
  stopLinkFor?: (address: string) => MailFooter;
  /** Epoch ms of this attempt. */
  sent_at: number;
  services: ChatServices;
}

export interface NotifierRequest {
  kind: "http";
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  url: string;
  headers: Record<string, string>;
  body: string;
  /** Not recorded with the attempt, beside the secrets of its target. */
  secrets?: readonly string[];
}

/** What an answer means where its status does not say it. */
export type AnswerReading =
  /** A repeat of what had arrived already. */
  | { kind: "delivered" }
  | { kind: "refused"; error: string }
  /** It was too early, or too much at once; null: the provider did not say for how long. */
  | { kind: "later"; error: string; wait_seconds: number | null };

/** What stands below the text of a mail. */
export interface MailFooter {
  footer: { label: string; url: string }[];
  headers: Record<string, string>;
}

/** A message that leaves by the mail outbox. */
export interface NotifierMail {
  kind: "mail";
  to: string;
  subject: string;
  text: string;
  html: string;
  headers: Record<string, string>;
}

/** How a provider changes a message that it has sent. */
export interface MessageEditing {
  /** The provider's id of the message, from the response to the request that sent it. */
  parseMessageId(responseBody: string): string | null;
  edit(input: NotifierInput, target: WebhookTarget, messageId: string): NotifierRequest;
  /** One message stands for the whole thread: every later one changes it, in any state. */
  isOfThread?: boolean;
}

/** The code of one provider. It builds the request; the sender of deliveries sends it. */
export interface Notifier extends ProviderDescription {
  provider: WebhookProvider;
  /** `config` of an answer has the address, too. */
  hasAddressInConfig?: boolean;
  /** Ends the retry schedule after so many attempts; null = uses all of it. */
  attemptsMax: number | null;
  /** Outages that begin or end together make one message; machines receive every event at once. */
  isBundled: boolean;
  /** It sends events as they are, or by a template of its own: the wording of a channel has no place. */
  hasOwnText?: boolean;
  /** It keeps alerts of its own: it receives the acknowledgement of each, besides all other receivers. */
  keepsAlerts?: boolean;
  /**
   * The flaw of the target, beyond what its fields say of themselves, as a sentence that names the wire field, or null.
   * The egress guard judges its address.
   */
  validate?(target: CheckedTarget, services: ChatServices): string | null;
  /** Who has to agree to what goes to this target, where its address proves nothing: chats of a bot, mailboxes. */
  receiverOf?(target: Pick<WebhookTarget, "url" | "channel">): ConsentingReceiver | null;
  /** Null for an event that means nothing to this provider. */
  build(input: NotifierInput, target: WebhookTarget): NotifierRequest | NotifierMail | null;
  editing?: MessageEditing;
  /** Null where the status says it all. */
  readAnswer?(answer: { status: number; excerpt: string }): AnswerReading | null;
  /**
   * A second request that belongs to one that was accepted; null for most events. `edited_id` is the message that the first
   * one changed. A retry repeats both.
   */
  follow?(input: NotifierInput, target: WebhookTarget, edited_id: string | null): NotifierRequest | null;
}

/** A message in a chat is worth nothing days later. */
export const CHAT_ATTEMPTS_MAX = 5;

export const USER_AGENT = "Vigil-Webhooks/1";

export function jsonRequest(
  url: string,
  body: unknown,
  { method = "POST", headers = {}, secrets }: Partial<Pick<NotifierRequest, "method" | "headers" | "secrets">> = {},
): NotifierRequest {
  return {
    kind: "http",
    method,
    url,
    headers: { "content-type": "application/json", "user-agent": USER_AGENT, ...headers },
    body: JSON.stringify(body, (_name, value) => (typeof value === "string" ? value.toWellFormed() : value)),
    ...(secrets && { secrets }),
  };
}

export function isHttpUrl(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}

export const NOT_AN_ADDRESS = "url must be an https address";
