import { describe, expect, it } from "vitest";
import { EVENT_EXAMPLES } from "../contract/event-examples.ts";
import { EVENT_NAMES, type EventName } from "../contract/events.ts";
import { subjectOfEvent } from "./delivery-subject.ts";

describe("subjectOfEvent", () => {
  const kinds: Record<EventName, string> = {
    "monitor.down": "monitor",
    "monitor.up": "monitor",
    "monitor.degraded": "monitor",
    "monitor.reminder": "monitor",
    "monitor.flapping": "monitor",
    "monitor.certificate_expiring": "monitor",
    "monitor.domain_expiring": "monitor",
    "incident.created": "incident",
    "incident.updated": "incident",
    "incident.acknowledged": "incident",
    "incident.resolved": "incident",
    "maintenance.started": "maintenance",
    "maintenance.rescheduled": "maintenance",
    "maintenance.completed": "maintenance",
    "agent.online": "agent",
    "agent.offline": "agent",
    "oncall.gap": "policy",
    "webhook.failing": "webhook",
    "webhook.recovered": "webhook",
    "service.alarm_raised": "alarm",
    "service.alarm_cleared": "alarm",
    "audit.recorded": "event",
    test_event: "webhook",
  };
  it.each(EVENT_NAMES)("names what %s is about", (name) => {
    const subject = subjectOfEvent({ id: "e", data: EVENT_EXAMPLES[name] });
    expect(subject).toEqual({ kind: kinds[name], id: expect.any(String), name: expect.any(String) });
  });

  it.each([
    ["its monitor", { title: "Disk full", monitor_id: "m", monitor_name: "Shop" }, ["monitor", "m", "Shop"]],
    ["its title", { title: "Disk full", monitor_id: null, monitor_name: null }, ["event", "e", "Disk full"]],
    ["nothing", { title: 5 }, null],
  ])("names of an event of people %s", (_what, data, subject) => {
    const found = subjectOfEvent({ id: "e", data });
    expect(found && [found.kind, found.id, found.name]).toEqual(subject);
  });
});
