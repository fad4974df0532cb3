import { createHmac } from "node:crypto";
import { envelopeHeaders, envelopeOf, timestampOf } from "../domain/envelope.ts";
import { secretField, urlField } from "./fields.ts";
import type { Notifier, NotifierInput, WebhookTarget } from "./port.ts";

/**
 * Sends the envelope as JSON, signed by Standard Webhooks where the webhook has a secret.
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
const BASE64_SECRET_MARK = "whsec_";
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

export const generic: Notifier = {
  provider: "generic",
  label: "Webhook",
  family: "own",
  fields: [
    urlField("An address of yours that answers 2xx within 10 seconds."),
    secretField(
      "secret",
      "Signing secret",
      "Signs every request by Standard Webhooks: whsec_ and base64, or any text. Leave it empty to send unsigned.",
      { is_required: false },
    ),
  ],
  steps: [
    "Choose an address of yours that answers 2xx within 10 seconds.",
    "Choose a secret, `whsec_` and base64 or any text; by the API, `generate_secret: true` answers one that the service generated, this once.",
    "Verify each request by [Standard Webhooks](https://www.standardwebhooks.com/), treat a repeated `webhook-id` as the same delivery, and order by `sequence`.",
  ],
  channel: null,
  notes: [
    "A body is the envelope `{id, event, created_at, user_id, status_page_id, data}` of the [event](../events.md); for an on-call contact it has the `acknowledge_url`, too, which acknowledges without signing in. The headers are `webhook-id`, `webhook-timestamp` and `webhook-signature`; after a change of the secret, requests carry the signatures of both for 24 hours.",
    "Only a 2xx answer counts as received; redirects are not followed. `410` disables the webhook. `generic` receives every event at once and unbundled.",
  ],
  attemptsMax: null,
  isBundled: false,
  hasOwnText: true,

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
