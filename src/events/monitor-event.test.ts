import { describe, expect, it } from "vitest";
import { composeAlert, NO_READER } from "../domain/alert-messages.ts";
import { monitorEvent, type TransitionContext } from "./monitor-event.ts";

const monitor = {
  id: "0199c0de-0000-7000-8000-000000000001",
  owner_id: "o",
  status_page_id: "p",
  parent_monitor_id: null,
  name: "Shop",
  type: "https",
  tags: ["eu", "checkout"],
  external_key: "shop-web",
  failure_threshold: 3,
  regions: [],
};
const transition = {
  seq: 2,
  from: "up",
  to: "down",
  at: 1_000,
  effective_at: 0,
  message: "HTTP 500",
  latency_ms: 12,
  region: "weur",
  outage: { seq: 2, started_at: 0 },
  event: "monitor.down",
};

/** Only the columns that an event is made of. */
const contextOf = (advanced_alerts: boolean) =>
  ({ monitor, transition, page: { advanced_alerts } }) as unknown as TransitionContext;

describe("an alert of a monitor", () => {
  it("names type, tags, key and how the failure was confirmed where the page's advanced_alerts is on", () => {
    const event = monitorEvent(contextOf(true), null, "");
    expect(event?.data.context).toEqual({
      monitor_type: "https",
      tags: ["eu", "checkout"],
      external_key: "shop-web",
      failure_threshold: 3,
    });
    expect(event && composeAlert(event, NO_READER).facts).toEqual(
      expect.arrayContaining([
        { label: "Type", value: "https" },
        { label: "Tags", value: "eu, checkout" },
        { label: "Key", value: "shop-web" },
        { label: "Confirmed by", value: "3 failures in a row" },
      ]),
    );
  });

  it("names none of them where it is off", () => {
    const event = monitorEvent(contextOf(false), null, "");
    expect(event?.data.context).toBeNull();
    expect(event && composeAlert(event, NO_READER).facts.map(({ label }) => label)).toEqual(["Since", "Region"]);
  });
});

describe("the evidence of an alert", () => {
  const urlOf = (change: object, publicUrl = "https://vigil.test") => {
    const context = { monitor, page: null, transition: { ...transition, ...change } } as unknown as TransitionContext;
    const event = monitorEvent(context, null, publicUrl);
    return (
      event && {
        url: event.data.evidence_url,
        links: composeAlert(event, { ...NO_READER, public_url: publicUrl }).links,
      }
    );
  };
  const outage = { seq: 2, started_at: 120_000 };
  const url = `https://vigil.test/app/monitors/${monitor.id}/evidence?since=60000`;

  it.each(["monitor.down", "monitor.up"])("is linked from %s, since the outage began", (event) => {
    expect(urlOf({ event, outage })).toMatchObject({
      url,
      links: expect.arrayContaining([{ label: "Evidence", url }]),
    });
  });

  it("is linked from a degraded monitor where a location fails", () => {
    const degraded = { event: "monitor.degraded", outage: null, effective_at: 120_000 };
    expect(urlOf({ ...degraded, locations_down: ["apac"] })).toMatchObject({ url });
    expect(urlOf(degraded)).toMatchObject({ url: null });
  });

  it("is not linked where no check found the outage, or the service has no address", () => {
    expect(urlOf({ outage, region: null })).toMatchObject({ url: null });
    expect(urlOf({ outage }, "")).toEqual({ url: null, links: [] });
  });
});
