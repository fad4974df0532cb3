import type { NewEvent } from "../contract/events.ts";
import type { DeliverySubject } from "../contract/webhook.ts";

/** Members of `data` that together name a thing. An incident of a monitor is the subject before its monitor. */
const NAMED: readonly { kind: DeliverySubject["kind"]; id: string; name: string }[] = [
  { kind: "maintenance", id: "maintenance_id", name: "title" },
  { kind: "incident", id: "incident_id", name: "title" },
  { kind: "monitor", id: "monitor_id", name: "monitor_name" },
  { kind: "agent", id: "agent_id", name: "agent_name" },
  { kind: "schedule", id: "schedule_id", name: "schedule_name" },
  { kind: "policy", id: "policy_id", name: "policy_name" },
  { kind: "webhook", id: "webhook_id", name: "webhook_name" },
  { kind: "alarm", id: "alarm", name: "alarm" },
];

/** The thing that a message is about, by the name that it had when the event happened; null where the event names none. */
export function subjectOfEvent({ id, data }: Pick<NewEvent, "id" | "data">): DeliverySubject | null {
  const members = new Map<string, unknown>(Object.entries(data));
  for (const named of NAMED) {
    const [thingId, name] = [members.get(named.id), members.get(named.name)];
    if (typeof thingId === "string" && typeof name === "string") return { kind: named.kind, id: thingId, name };
  }
  const title = members.get("title") ?? members.get("summary");
  return typeof title === "string" ? { kind: "event", id, name: title } : null;
}
