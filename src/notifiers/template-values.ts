import type { TemplateValues } from "../domain/message-template.ts";
import { formatInstant } from "../lib/date-format.ts";
import { durationInWords, secondsBetween } from "../lib/duration-format.ts";
import { shorten } from "../lib/plain-text.ts";
import { plainText } from "./chat-text.ts";
import type { NotifierInput } from "./port.ts";

/** So long a text has room in any body; one of a user may be longer. */
const VALUE_MAX = 4000;

/** What the fields of a template stand for, for one event. */
export function templateValuesOf({
  event,
  event_name,
  message,
  monitor,
  timezone = "UTC",
}: NotifierInput): TemplateValues {
  const data: Readonly<Record<string, unknown>> = event.data;
  const text = (name: string) => (typeof data[name] === "string" ? data[name] : "");
  const since = text("since") || text("started_at") || text("start") || new Date(event.created_at).toISOString();
  const seconds = secondsOf(data);
  const values: TemplateValues = {
    event: event_name,
    status: text("status") || message.thread.state,
    title: message.title,
    text: plainText(message),
    url: message.links.at(-1)?.url ?? "",
    "monitor.name": text("monitor_name"),
    "monitor.id": text("monitor_id") || (event.monitor_id ?? ""),
    "monitor.tags": monitor?.tags.join(", ") ?? "",
    "monitor.external_key": monitor?.external_key ?? "",
    "page.name": message.page_name ?? "",
    "incident.title": text("incident_id") === "" ? "" : text("title"),
    since,
    since_local: Number.isNaN(Date.parse(since)) ? "" : formatInstant(since, timezone),
    duration: seconds === null ? "" : durationInWords(seconds),
    duration_seconds: seconds === null ? "" : String(seconds),
  };
  const bounded = Object.entries(values).map(([name, value]) => [name, shorten(value.toWellFormed(), VALUE_MAX)]);
  return Object.fromEntries(bounded) as TemplateValues;
}

/** How long it lasted; null while it lasts, and for what has no length. */
function secondsOf({ duration_seconds, started_at, resolved_at }: Readonly<Record<string, unknown>>): number | null {
  if (typeof duration_seconds === "number") return duration_seconds;
  if (typeof started_at !== "string" || typeof resolved_at !== "string") return null;
  return secondsBetween(Date.parse(started_at), Date.parse(resolved_at));
}
