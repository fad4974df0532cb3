import { expect, it } from "vitest";
import { transitionOf } from "../support/alerts.ts";
import { createClient, V1 } from "../support/client.ts";
import { gatherReceivers } from "../support/receivers.ts";
import { useSink } from "../support/sink.ts";

const sink = useSink();
const T0 = Date.parse("2026-11-23T03:00:00Z");

it.each([
  [39_600, 40, "40 s", "40 seconds"],
  [39_400, 39, "39 s", "39 seconds"],
  [5 * 60_000 + 12_500, 313, "5 min 13 s", "5 minutes 13 seconds"],
])("an outage of %i ms lasted as long in chats, for machines, in lists and on the page", async (ms, seconds, text, words) => {
  const receivers = await gatherReceivers(sink);
  const { account, page, webhooks, textsOf, bodiesTo } = receivers;
  const shop = await receivers.addMonitor("Shop");
  await receivers.report(shop, transitionOf(1, T0, "HTTP 500"));
  await receivers.drain(T0, T0 + ms - 1);
  await receivers.report(shop, {
    ...transitionOf(2, T0 + ms, "HTTP 200"),
    outage: { seq: 1, started_at: T0 },
  });
  await receivers.drain(T0 + ms);

  expect(textsOf(webhooks.slack).at(-1)).toMatch(new RegExp(`Lasted: ${words}$`, "m"));
  const up = bodiesTo(webhooks.machine).find(({ event }) => event === "monitor.up");
  expect(up?.data.duration_seconds).toBe(seconds);
  expect((await account.client.get(`${V1}/monitors/${shop}/outages`)).body).toMatchObject([
    { duration_seconds: seconds },
  ]);
  const { slug } = (await account.client.get(`${V1}/status-pages/${page}`)).body;
  const [incident] = (await account.client.get(`${V1}/incidents?status_page_id=${page}`)).body;
  await account.client.post(`${V1}/incidents/${incident.id}/publish`);
  const shown = await createClient().request("GET", `/status/${slug}/incidents/${incident.id}`);
  expect(String(shown.body)).toContain(`>Duration</dt><dd class="long">${text}</dd>`);
});
