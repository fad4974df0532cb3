import { describe, expect, it } from "vitest";
import { transitionOf } from "../support/alerts.ts";
import { V1 } from "../support/client.ts";
import { mailsTo } from "../support/mail.ts";
import { setPolicy, toUser } from "../support/on-call.ts";
import { gatherReceivers, PUBLIC_URL } from "../support/receivers.ts";
import { useSink } from "../support/sink.ts";

const sink = useSink();
/** 4 o'clock in the morning in Berlin. */
const T0 = Date.parse("2026-11-23T03:00:00Z");
const MINUTE = 60_000;

async function liveThroughOutage(receivers: Awaited<ReturnType<typeof gatherReceivers>>) {
  const shop = await receivers.addMonitor("Shop");
  await receivers.report(shop, transitionOf(1, T0, "HTTP 500"));
  await receivers.drain(T0, T0 + 4 * MINUTE);
  await receivers.report(shop, transitionOf(2, T0 + 5 * MINUTE, "HTTP 200"));
  await receivers.drain(T0 + 5 * MINUTE);
  return shop;
}

describe("one outage and its end, with an automatic incident", () => {
  it("are two messages to a chat and two mails to a channel that chose no events", async () => {
    const receivers = await gatherReceivers(sink);
    const { webhooks, textsOf, bodiesTo, opsAddress } = receivers;
    const shop = await liveThroughOutage(receivers);
    const [incident] = (await receivers.account.client.get(`${V1}/incidents?status_page_id=${receivers.page}`)).body;
    const monitorUrl = `${PUBLIC_URL}/app/monitors/${shop}`;
    const incidentUrl = `${PUBLIC_URL}/app/incidents/${incident.id}`;
    const evidenceUrl = `${monitorUrl}/evidence?since=${Date.parse(incident.started_at) - 60_000}`;
    expect(textsOf(webhooks.slack)).toEqual([
      [
        "🔴 Shop is down",
        "HTTP 500",
        "Since: 23 Nov 2026, 04:00 CET",
        `<${incidentUrl}|Acknowledge> · <${evidenceUrl}|Evidence> · <${monitorUrl}|Open monitor>`,
      ].join("\n"),
      [
        "🟢 Shop is up again",
        "HTTP 200",
        "Down: 23 Nov 2026, 04:00 to 04:05 CET · Lasted: 5 minutes",
        `<${evidenceUrl}|Evidence> · <${monitorUrl}|Open monitor> · <${incidentUrl}|Open incident>`,
      ].join("\n"),
    ]);
    const buttons = bodiesTo(webhooks.slack).map(({ blocks }) =>
      blocks.at(-1).elements.map((button: { text: { text: string } }) => button.text.text),
    );
    expect(buttons).toEqual([
      ["Acknowledge", "Evidence", "Open monitor"],
      ["Evidence", "Open monitor", "Open incident"],
    ]);
    const mails = await mailsTo(opsAddress);
    expect(mails.map(({ subject }) => subject)).toEqual(["Alert: Shop is down", "Resolved: Shop is up again"]);
    expect(mails[0]?.text).toContain("Shop is down\n\nSince: 23 Nov 2026, 04:00 CET\n\nHTTP 500\n\nAcknowledge: ");
  });

  it("are both named to a chat that asks for incidents, and all to machines", async () => {
    const receivers = await gatherReceivers(sink);
    const { webhooks, textsOf, eventsOf } = receivers;
    await liveThroughOutage(receivers);
    expect(textsOf(webhooks.incidents).map((text) => text.split("\n")[0])).toEqual([
      "🔴 Shop is down",
      "🔴 New incident: Shop is down",
      "🟢 Shop is up again",
      "🟢 Incident resolved: Shop is down",
    ]);
    expect(eventsOf(webhooks.machine)).toEqual(["monitor.down", "incident.created", "monitor.up", "incident.resolved"]);
  });

  it("are one mail to the person on call, who hears of the end as one of the team", async () => {
    const receivers = await gatherReceivers(sink);
    const { member, owner, colleague, subjectsTo } = receivers;
    await setPolicy(receivers, [{ level: 1, wait_minutes: 5, contacts: toUser(member.user_id) }]);
    await liveThroughOutage(receivers);
    expect(await subjectsTo(colleague)).toEqual(["Alert: Shop is down", "Resolved: Shop is up again"]);
    const [alarm] = await mailsTo(colleague);
    expect(alarm?.text).toContain("You are on call for Northwind.");
    expect(alarm?.text).toContain("Since: 23 Nov 2026, 04:00 CET");
    expect(await subjectsTo(owner)).toEqual(["Alert: Shop is down", "Resolved: Shop is up again"]);
    const [news] = await mailsTo(owner);
    expect(news?.text).toContain("because you are in the team of Northwind");
  });

  it("reach a chat by the incident where the page keeps the change itself from it", async () => {
    const receivers = await gatherReceivers(sink, { alert_routing: { "monitor.down": "team_only" } });
    await liveThroughOutage(receivers);
    expect(receivers.textsOf(receivers.webhooks.slack).map((text) => text.split("\n")[0])).toEqual([
      "🔴 New incident: Shop is down",
      "🟢 Incident resolved: Shop is down",
    ]);
  });
});
