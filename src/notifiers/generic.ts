import { createHmac } from "node:crypto";
import { envelopeHeaders, envelopeOf, timestampOf } from "../domain/envelope.ts";
import type { Notifier, NotifierInput, WebhookTarget } from "./port.ts";

/**
 * Sends the envelope as JSON, signed by Standard Webhooks where the webhook has a secret.
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
const BASE64_SECRET_MARK = "whsec_";
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

export const generic: Notifier = {
  provider: "generic",
  attemptsMax: null,
  isBundled: false,

  validate({ url, secret }) {
    if (!URL.canParse(url)) return "url must be an https address";
    const encoded = secret?.startsWith(BASE64_SECRET_MARK) ? secret.slice(BASE64_SECRET_MARK.length) : null;
    if (encoded !== null && (encoded === "" || !BASE64.test(encoded))) {
      return `secret must be base64 after ${BASE64_SECRET_MARK}`;
    }
    return null;
  },

  build(input, target) {
    const body = JSON.stringify(envelopeOf(input));
    const headers = envelopeHeaders({ ...input, signature: sign(input, body, target) });
    return { kind: "http", method: "POST", url: target.url, headers, body };
  },
};

/** By each secret that is valid now; null where there is none. */
function sign({ delivery_id, sent_at }: NotifierInput, body: string, target: WebhookTarget): string | null {
  const secrets = [target.secret, target.previous_secret].filter((secret) => secret !== null);
  const signed = `${delivery_id}.${timestampOf(sent_at)}.${body}`;
  const signatures = secrets.map((secret) => {
    return `v1,${createHmac("sha256", keyOf(secret)).update(signed).digest("base64")}`;
  });
  return signatures.length === 0 ? null : signatures.join(" ");
}

function keyOf(secret: string): Buffer {
  return secret.startsWith(BASE64_SECRET_MARK)
    ? Buffer.from(secret.slice(BASE64_SECRET_MARK.length), "base64")
    : Buffer.from(secret, "utf8");
}
