import type { IncidentStatus } from "../contract/incident.ts";
import type { MonitorStatus } from "../contract/monitor-values.ts";
import { oneLine } from "../lib/one-line.ts";

export interface PageStatusSummary {
  by_status: readonly { status: MonitorStatus; total: number }[];
  open: readonly { title: string; status: IncidentStatus }[];
}

const SHOWN: readonly MonitorStatus[] = ["up", "degraded", "down", "unknown"];

/** The summary of a page for a channel, as plain text. */
export function formatStatusText(name: string, { by_status, open }: PageStatusSummary): string {
  const totalOf = (status: MonitorStatus) => by_status.find((each) => each.status === status)?.total ?? 0;
  const counts = SHOWN.flatMap((status) => (totalOf(status) > 0 ? [`${totalOf(status)} ${status}`] : []));
  const overall =
    totalOf("down") > 0
      ? "Some systems are down"
      : totalOf("degraded") > 0
        ? "Some systems are slow"
        : "No known problem";
  const headline = open.length > 0 && totalOf("down") === 0 ? "There is an open incident" : overall;
  return [
    `${oneLine(name)}: ${headline}`,
    ...(counts.length > 0 ? [`Monitors: ${counts.join(", ")}`] : []),
    ...open.map(({ title, status }) => `- ${oneLine(title)} (${status})`),
  ].join("\n");
}

interface PostedIncident {
  title: string;
  status: IncidentStatus;
  severity: string;
  /** The newest first. */
  updates: readonly { status: IncidentStatus; message: string; created_at: number }[];
}

const UPDATES_SHOWN = 5;

/** An incident for a channel, as plain text; edited with every update. */
export function formatIncidentText({ title, status, severity, updates }: PostedIncident): string {
  const listed = updates
    .slice(0, UPDATES_SHOWN)
    .map(({ status: at, message, created_at }) => `${timeOf(created_at)} ${at}: ${oneLine(message)}`);
  return [oneLine(title), `Status: ${status}, severity: ${severity}`, ...listed].join("\n");
}

function timeOf(instant: number): string {
  return `${new Date(instant).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
