import { createHmac } from "node:crypto";
import { envelopeOf } from "../domain/envelope.ts";
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
    const headers = { "content-type": "application/json", "user-agent": "Vigil-Webhooks/1" };
    return {
      kind: "http",
      method: "POST",
      url: target.url,
      headers: { ...headers, ...sign(input, body, target) },
      body,
    };
  },
};

function sign({ delivery_id, sent_at }: NotifierInput, body: string, target: WebhookTarget): Record<string, string> {
  const timestamp = String(Math.floor(sent_at / 1000));
  const secrets = [target.secret, target.previous_secret].filter((secret) => secret !== null);
  const signatures = secrets.map((secret) => {
    const digest = createHmac("sha256", keyOf(secret)).update(`${delivery_id}.${timestamp}.${body}`).digest("base64");
    return `v1,${digest}`;
  });
  return {
    "webhook-id": delivery_id,
    "webhook-timestamp": timestamp,
    ...(signatures.length > 0 && { "webhook-signature": signatures.join(" ") }),
  };
}

function keyOf(secret: string): Buffer {
  return secret.startsWith(BASE64_SECRET_MARK)
    ? Buffer.from(secret.slice(BASE64_SECRET_MARK.length), "base64")
    : Buffer.from(secret, "utf8");
}
