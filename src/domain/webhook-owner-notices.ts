import { formatMoment } from "../lib/date-format.ts";

/** What identifies a webhook to its owner. No address: those are credentials. */
export interface FailingWebhook {
  id: string;
  name: string;
  provider: string;
  page_name: string | null;
  /** First failure since the last success; null where the first failure was the last one, too. */
  failing_since: number | null;
  /** As attempts record it. */
  last_error: string | null;
  /** Of the page. */
  timezone: string;
  /** Where the dashboard is reached; empty where the operator left that to each request. */
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

/** Sent before the webhook is disabled. */
export function composeFailureWarning(webhook: FailingWebhook, disableAt: number): OwnerNotice {
  const title = `Webhook "${webhook.name}" keeps failing`;
  return noticeOf(webhook, title, [
    `${described(webhook)} has failed ${sinceWhen(webhook)}: no delivery has succeeded since then.${lastError(webhook)}`,
    `Please check the receiver. If failures continue, the webhook is disabled at the first failure after ${formatMoment(disableAt, webhook.timezone)}; one successful delivery prevents that.`,
  ]);
}

export function composeDisabledNotice(webhook: FailingWebhook, { is_gone }: { is_gone: boolean }): OwnerNotice {
  const title = `Webhook "${webhook.name}" was disabled`;
  const why = is_gone
    ? `${described(webhook)} was disabled, because its receiver answered 410 Gone: the receiver requested no further deliveries.`
    : `${described(webhook)} was disabled, because it has failed ${sinceWhen(webhook)}: no delivery has succeeded since then.${lastError(webhook)}`;
  return noticeOf(webhook, title, [
    `${why} Events that occur while it is disabled are not delivered later.`,
    `After fixing the receiver, enable the webhook again: ${webhook.public_url}/app/alerts/${webhook.id}/edit`,
  ]);
}

export function composeRecoveryNotice(webhook: FailingWebhook): OwnerNotice {
  return noticeOf(webhook, `Webhook "${webhook.name}" works again`, [
    `${described(webhook)} had failed ${sinceWhen(webhook)}. A delivery has succeeded now.`,
  ]);
}

interface GivenUp {
  /** Of the webhook. */
  name: string;
  /** In words: "Monitor down". */
  heading: string;
  /** The thing that the alert is about; null where it names none. */
  subject: string | null;
  attempts: number;
  error: string | null;
}

/** For the list of notifications alone: a mail follows when nothing arrives for a day. */
export function composeGivenUpNotice({ name, heading, subject, attempts, error }: GivenUp): Omit<OwnerNotice, "text"> {
  const alert = subject === null ? heading : `${heading}: ${subject}`;
  const tried = attempts === 1 ? "once" : `${attempts} times`;
  const why = error === null ? "" : ` The last attempt: ${error}.`;
  return {
    title: `"${name}" did not get an alert`,
    message: `${alert}. It was sent ${tried} and is not sent again.${why}`,
  };
}

function noticeOf(webhook: FailingWebhook, title: string, paragraphs: readonly string[]): OwnerNotice {
  const footer = `Requests and responses: ${webhook.public_url}/app/alerts/deliveries?channel=${webhook.id}`;
  return { title, message: paragraphs.join(" "), text: `${[...paragraphs, footer].join("\n\n")}\n` };
}

function described({ name, provider, page_name }: FailingWebhook): string {
  const kind = provider === "generic" ? "" : ` (${provider.replace("_", " ")})`;
  return `The webhook "${name}"${kind} ${page_name === null ? "of your account" : `of the status page "${page_name}"`}`;
}

function sinceWhen({ failing_since, timezone }: FailingWebhook): string {
  return failing_since === null ? "just now" : `since ${formatMoment(failing_since, timezone)}`;
}

function lastError({ last_error }: FailingWebhook): string {
  return last_error === null ? "" : ` The last attempt: ${last_error}.`;
}
