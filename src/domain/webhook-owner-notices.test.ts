import { describe, expect, it } from "vitest";
import { composeDisabledNotice, composeFailureWarning, type FailingWebhook } from "./webhook-owner-notices.ts";

const webhook: FailingWebhook = {
  id: "w1",
  name: "On call",
  provider: "telegram_bot",
  page_name: "Shop",
  failing_since: Date.UTC(2026, 10, 20, 9, 5),
  last_error: "no answer within 10000 ms",
  timezone: "Europe/Berlin",
  public_url: "https://status.example",
};
const disableAt = Date.UTC(2026, 10, 25, 9, 5);

describe("what the owner of a webhook reads", () => {
  it("warns with what, since when, why and what comes", () => {
    expect(composeFailureWarning(webhook, disableAt)).toEqual({
      title: 'Webhook "On call" keeps failing',
      message:
        'The webhook "On call" (telegram bot) of the status page "Shop" has failed since 20 November 2026, 10:05 (Europe/Berlin): no delivery has succeeded since then. The last attempt: no answer within 10000 ms. Please check the receiver. If failures continue, the webhook is disabled at the first failure after 25 November 2026, 10:05 (Europe/Berlin); one successful delivery prevents that.',
      text: `The webhook "On call" (telegram bot) of the status page "Shop" has failed since 20 November 2026, 10:05 (Europe/Berlin): no delivery has succeeded since then. The last attempt: no answer within 10000 ms.

Please check the receiver. If failures continue, the webhook is disabled at the first failure after 25 November 2026, 10:05 (Europe/Berlin); one successful delivery prevents that.

Requests and responses: https://status.example/app/alerts/deliveries?channel=w1
`,
    });
  });

  it.each([
    [
      "after nothing but failures",
      webhook,
      false,
      'The webhook "On call" (telegram bot) of the status page "Shop" was disabled, because it has failed since 20 November 2026, 10:05 (Europe/Berlin): no delivery has succeeded since then. The last attempt: no answer within 10000 ms.',
    ],
    [
      "at the receiver's wish",
      { ...webhook, failing_since: null, last_error: "the endpoint answered 410" },
      true,
      'The webhook "On call" (telegram bot) of the status page "Shop" was disabled, because its receiver answered 410 Gone: the receiver requested no further deliveries.',
    ],
    [
      "of an account, with nothing known of the last attempt",
      { ...webhook, provider: "generic", page_name: null, last_error: null },
      false,
      'The webhook "On call" of your account was disabled, because it has failed since 20 November 2026, 10:05 (Europe/Berlin): no delivery has succeeded since then.',
    ],
  ])("says how to switch it on again: %s", (_name, described, is_gone, why) => {
    const { title, message, text } = composeDisabledNotice(described, { is_gone });
    expect(title).toBe('Webhook "On call" was disabled');
    expect(message).toBe(
      `${why} Events that occur while it is disabled are not delivered later. After fixing the receiver, enable the webhook again: https://status.example/app/alerts/w1/edit`,
    );
    expect(text.split("\n\n")).toEqual([
      `${why} Events that occur while it is disabled are not delivered later.`,
      "After fixing the receiver, enable the webhook again: https://status.example/app/alerts/w1/edit",
      "Requests and responses: https://status.example/app/alerts/deliveries?channel=w1\n",
    ]);
  });
});
