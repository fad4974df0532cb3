import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { exampleEvent } from "../../test/support/events.ts";
import { exampleInput, httpRequest, NO_BOTS } from "../../test/support/providers.ts";
import { findTargetFlaw } from "./fields.ts";
import { generic } from "./generic.ts";
import type { WebhookTarget } from "./port.ts";

const EVENT = exampleEvent({ data: { monitor_name: "Shop “ü”" } });
const INPUT = { ...exampleInput({ data: { monitor_name: "Shop “ü”" } }), sent_at: Date.now() };
const ENVELOPE = {
  id: EVENT.id,
  user_id: EVENT.owner_id,
  event: "monitor.down",
  data: EVENT.data,
  created_at: "2026-01-02T03:04:05.000Z",
  status_page_id: null,
  sequence: EVENT.created_at,
};
const TARGET: WebhookTarget = {
  url: "https://example.com/in?x=1",
  secret: null,
  previous_secret: null,
  channel: null,
  config: {},
};
const BASE64_SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

const verifies = (secret: string, target: Partial<WebhookTarget>) => {
  const { body, headers } = httpRequest(generic.build(INPUT, { ...TARGET, ...target }));
  const isEncoded = secret.startsWith("whsec_");
  const receiver = isEncoded ? new Webhook(secret) : new Webhook(new TextEncoder().encode(secret), { format: "raw" });
  return receiver.verify(body, headers);
};

describe("the generic notifier", () => {
  it("posts the envelope as it is to the address", () => {
    const request = generic.build(INPUT, TARGET);
    expect(request).toEqual({
      kind: "http",
      method: "POST",
      url: TARGET.url,
      headers: {
        "content-type": "application/json",
        "user-agent": "Vigil-Webhooks/1",
        "webhook-id": INPUT.delivery_id,
        "webhook-timestamp": String(Math.floor(INPUT.sent_at / 1000)),
      },
      body: JSON.stringify(ENVELOPE),
    });
  });

  it("gives an on-call contact the link that acknowledges", () => {
    const acknowledge_url = "https://vigil.test/acknowledge/a.b";
    const { body } = httpRequest(generic.build({ ...INPUT, acknowledge_url }, TARGET));
    expect(JSON.parse(body)).toEqual({ ...ENVELOPE, acknowledge_url });
  });

  it("signs with a whsec_ secret so that the Standard Webhooks library accepts it", () => {
    expect(verifies(BASE64_SECRET, { secret: BASE64_SECRET })).toEqual(ENVELOPE);
  });

  it("signs with any other secret by its UTF-8 bytes", () => {
    expect(verifies("päss phrase", { secret: "päss phrase" })).toEqual(ENVELOPE);
  });

  it("signs with both secrets while a former one is still good", () => {
    const target = { secret: "new", previous_secret: "old" };
    expect(verifies("new", target)).toEqual(ENVELOPE);
    expect(verifies("old", target)).toEqual(ENVELOPE);
    expect(() => verifies("other", target)).toThrow();
  });

  it.each([
    ["any URL", { url: "https://example.com", secret: null }, null],
    ["a plain secret", { url: "https://example.com", secret: "plain" }, null],
    ["a whsec_ secret", { url: "https://example.com", secret: BASE64_SECRET }, null],
    ["no URL", { url: "example.com", secret: null }, "url must be an https address"],
    ["whsec_ without base64", { url: "https://x.example", secret: "whsec_?" }, "secret must be base64 after whsec_"],
    ["whsec_ alone", { url: "https://x.example", secret: "whsec_" }, "secret must be base64 after whsec_"],
  ])("judges %s", (_name, target, verdict) => {
    expect(findTargetFlaw(generic, { ...target, config: {} }, NO_BOTS)).toBe(verdict);
  });
});
