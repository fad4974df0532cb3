import { formatMoment } from "../lib/date-format.ts";

/** What the owner of a webhook has to know to recognise it and to put it right. No address: those are credentials. */
export interface FailingWebhook {
  id: string;
  name: string;
  provider: string;
  page_name: string | null;
  /** First failure since the last success; null where the first failure was the last one, too. */
  failing_since: number | null;
  /** In our own words, as attempts record it. */
  last_error: string | null;
  /** Where the API is reached; empty where the operator left that to each request. */
  public_url: string;
}

export interface OwnerNotice {
  /** Also the subject of the mail. */
  title: string;
  /** For the list of notifications. */
  message: string;
  /** The mail. */
  text: string;
}

/** While there is still time. */
export function composeFailureWarning(webhook: FailingWebhook, disableAt: number): OwnerNotice {
  const title = `Webhook "${webhook.name}" keeps failing`;
  return news(webhook, title, [
    `${described(webhook)} has failed ${sinceWhen(webhook)}: nothing was delivered in all that time.${lastError(webhook)}`,
    `Please check the receiver. If it goes on like this, the webhook is switched off at its first failure after ${utc(disableAt)}; one delivery that arrives is enough to prevent it.`,
  ]);
}

export function composeDisabledNotice(webhook: FailingWebhook, { is_gone }: { is_gone: boolean }): OwnerNotice {
  const title = `Webhook "${webhook.name}" was switched off`;
  const why = is_gone
    ? `${described(webhook)} was switched off, because its receiver answered 410 Gone: it asks for nothing more to be sent.`
    : `${described(webhook)} was switched off, because it has failed ${sinceWhen(webhook)}: nothing was delivered in all that time.${lastError(webhook)}`;
  return news(webhook, title, [
    `${why} What happens while it is off is not sent later, either.`,
    `Once the receiver is in order, switch the webhook on again: PATCH ${webhook.public_url}/api/uptime/v1/webhooks/${webhook.id}/toggle`,
  ]);
}

function news(webhook: FailingWebhook, title: string, paragraphs: readonly string[]): OwnerNotice {
  const deliveries = `${webhook.public_url}/api/uptime/v1/webhooks/${webhook.id}/deliveries`;
  const footer = `What was sent, and what came back: GET ${deliveries}`;
  return { title, message: paragraphs.join(" "), text: `${[...paragraphs, footer].join("\n\n")}\n` };
}

function described({ name, provider, page_name }: FailingWebhook): string {
  const kind = provider === "generic" ? "" : ` (${provider.replace("_", " ")})`;
  return `The webhook "${name}"${kind} ${page_name === null ? "of your account" : `of the status page "${page_name}"`}`;
}

function sinceWhen({ failing_since }: FailingWebhook): string {
  return failing_since === null ? "just now" : `since ${utc(failing_since)}`;
}

function lastError({ last_error }: FailingWebhook): string {
  return last_error === null ? "" : ` The last attempt: ${last_error}.`;
}

function utc(instant: number): string {
  return formatMoment(instant, "UTC");
}
