import { z } from "zod";
import { urlField } from "./fields.ts";
import { formatAlertMail } from "./mail-text.ts";
import type { Notifier, WebhookTarget } from "./port.ts";

/** Mail to one address, `mailto:ops@example.com`. Mails of an outage form a thread (RFC 5322, 3.6.4). */
const MAILTO = /^mailto:([^?]+)$/i;
const REASON = "You receive this message because alerts are sent to this address.";
const Address = z.email().max(254);

export const email: Notifier = {
  provider: "email",
  label: "E-mail",
  family: "own",
  fields: [urlField("mailto: and an address, such as mailto:ops@example.com.")],
  steps: [
    "Configure a sender, see [mail](../mail.md).",
    "Write the address as `mailto:ops@example.com`.",
    "Send a test. On plans with limits, an address that is neither that of a team member nor a verified contact of one is asked first, by one mail with a link; `notices` of the webhook say so until its reader agrees.",
  ],
  channel: "another address",
  notes: [
    "A mail is text and HTML. Mails of one outage form a thread. Each has a link by which its reader stops them.",
  ],
  attemptsMax: null,
  isBundled: true,
  validate({ url }) {
    const address = MAILTO.exec(url)?.[1];
    return Address.safeParse(address).success ? null : "url must be mailto: and an address";
  },
  receiverOf: (target) => ({ kind: "mail", address: addressOf(target) }),
  build({ message, stopLinkFor }, target) {
    const to = addressOf(target);
    const { footer, headers } = stopLinkFor?.(to) ?? { footer: [], headers: {} };
    const mail = formatAlertMail(message, { reason: REASON, footer });
    return { kind: "mail", to, ...mail, headers: { ...mail.headers, ...headers } };
  },
};

function addressOf({ url, channel }: Pick<WebhookTarget, "url" | "channel">): string {
  return (channel ?? MAILTO.exec(url)?.[1] ?? "").replace(/^mailto:/i, "");
}
