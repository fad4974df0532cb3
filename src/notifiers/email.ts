import { z } from "zod";
import { formatAlertMail } from "./mail-text.ts";
import type { Notifier, WebhookTarget } from "./port.ts";

/** Mail to one address, `mailto:ops@example.com`. Mails of an outage form a thread (RFC 5322, 3.6.4). */
const MAILTO = /^mailto:([^?]+)$/i;
const REASON = "You receive this message because alerts are sent to this address.";
const Address = z.email().max(254);

export const email: Notifier = {
  provider: "email",
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
