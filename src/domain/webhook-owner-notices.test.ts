import { describe, expect, it } from "vitest";
import { composeDisabledNotice, composeFailureWarning, type FailingWebhook } from "./webhook-owner-notices.ts";

const webhook: FailingWebhook = {
  id: "w1",
  name: "On call",
  provider: "telegram_bot",
  page_name: "Shop",
  failing_since: Date.UTC(2026, 10, 20, 9, 5),
  last_error: "no answer within 10000 ms",
  public_url: "https://status.example",
};
const disableAt = Date.UTC(2026, 10, 25, 9, 5);

describe("what the owner of a webhook reads", () => {
  it("warns with what, since when, why and what comes", () => {
    expect(composeFailureWarning(webhook, disableAt)).toEqual({
      title: 'Webhook "On call" keeps failing',
      message:
        'The webhook "On call" (telegram bot) of the status page "Shop" has failed since 20 November 2026, 09:05 (UTC): nothing was delivered in all that time. The last attempt: no answer within 10000 ms. Please check the receiver. If it goes on like this, the webhook is switched off at its first failure after 25 November 2026, 09:05 (UTC); one delivery that arrives is enough to prevent it.',
      text: `The webhook "On call" (telegram bot) of the status page "Shop" has failed since 20 November 2026, 09:05 (UTC): nothing was delivered in all that time. The last attempt: no answer within 10000 ms.

Please check the receiver. If it goes on like this, the webhook is switched off at its first failure after 25 November 2026, 09:05 (UTC); one delivery that arrives is enough to prevent it.

What was sent, and what came back: GET https://status.example/api/uptime/v1/webhooks/w1/deliveries
`,
    });
  });

  it.each([
    [
      "after nothing but failures",
      webhook,
      false,
      'The webhook "On call" (telegram bot) of the status page "Shop" was switched off, because it has failed since 20 November 2026, 09:05 (UTC): nothing was delivered in all that time. The last attempt: no answer within 10000 ms.',
    ],
    [
      "at the receiver's wish",
      { ...webhook, failing_since: null, last_error: "the endpoint answered 410" },
      true,
      'The webhook "On call" (telegram bot) of the status page "Shop" was switched off, because its receiver answered 410 Gone: it asks for nothing more to be sent.',
    ],
    [
      "of an account, with nothing known of the last attempt",
      { ...webhook, provider: "generic", page_name: null, last_error: null },
      false,
      'The webhook "On call" of your account was switched off, because it has failed since 20 November 2026, 09:05 (UTC): nothing was delivered in all that time.',
    ],
  ])("says how to switch it on again: %s", (_name, described, is_gone, why) => {
    const { title, message, text } = composeDisabledNotice(described, { is_gone });
    expect(title).toBe('Webhook "On call" was switched off');
    expect(message).toBe(
      `${why} What happens while it is off is not sent later, either. Once the receiver is in order, switch the webhook on again: PATCH https://status.example/api/uptime/v1/webhooks/w1/toggle`,
    );
    expect(text.split("\n\n")).toEqual([
      `${why} What happens while it is off is not sent later, either.`,
      "Once the receiver is in order, switch the webhook on again: PATCH https://status.example/api/uptime/v1/webhooks/w1/toggle",
      "What was sent, and what came back: GET https://status.example/api/uptime/v1/webhooks/w1/deliveries\n",
    ]);
  });
});
