import type { IncidentSeverity } from "../contract/monitor-values.ts";
import { SHORT_DATE, TIME_OF_DAY } from "../lib/date-format.ts";
import { oneLine } from "../lib/one-line.ts";
import type { AlertMessage } from "./alert-messages.ts";
import type { OwnerReason } from "./escalation.ts";

interface EscalatedIncident {
  id: string;
  title: string;
  severity: IncidentSeverity;
  started_at: number;
  origin_outage_id: string | null;
}

type Links = AlertMessage["links"];

/** What a person on call receives: what, since when, how bad, and how to acknowledge. */
export function composeEscalationMessage(
  incident: EscalatedIncident,
  { level, round, page_name }: { level: number; round: number; page_name: string },
  links: Links,
): AlertMessage {
  return {
    tone: "down",
    title: oneLine(incident.title),
    text: `Acknowledge the incident to stop the escalation of ${oneLine(page_name)}.`,
    facts: [
      { label: "Severity", value: incident.severity },
      { label: "Since", value: momentOf(incident.started_at) },
      { label: "Step", value: round === 0 ? String(level) : `${level}, round ${round + 1}` },
    ],
    links,
    thread: { id: incident.origin_outage_id ?? incident.id, state: `escalation ${level}.${round}` },
    is_resolved: false,
  };
}

const REASONS: Record<OwnerReason, string> = {
  nobody_answered: "Everybody on call was notified, and nobody acknowledged the incident.",
  nobody_reached: "Nobody on call could be reached.",
};

/** What the page's owner receives at the end of an escalation. */
export function composeExhaustedMessage(incident: EscalatedIncident, reason: OwnerReason, links: Links): AlertMessage {
  return {
    tone: "down",
    title: `Escalation ended without an answer: ${oneLine(incident.title)}`,
    text: REASONS[reason],
    facts: [
      { label: "Severity", value: incident.severity },
      { label: "Since", value: momentOf(incident.started_at) },
    ],
    links,
    thread: { id: incident.origin_outage_id ?? incident.id, state: "escalation exhausted" },
    is_resolved: false,
  };
}

function momentOf(instant: number): string {
  const format = new Intl.DateTimeFormat("en-GB", { ...SHORT_DATE, ...TIME_OF_DAY, timeZone: "UTC" });
  return `${format.format(new Date(instant))} UTC`;
}
