import type { IncidentStatus } from "../../contract/incident.ts";
import type { MaintenanceStatus } from "../../contract/maintenance.ts";
import type { PageState, PublicIncident, PublicStatus } from "../../contract/public-page.ts";
import type { Language } from "../../contract/status-page.ts";
import type { SubscriberChannel } from "../../contract/subscriber.ts";

/** Everything that a public page says by itself. `{…}` in a text is where a view puts a time, a name or a number. */
export interface Texts {
  language: Language;
  /** Of dates and numbers. */
  locale: string;
  direction: "ltr" | "rtl";
  /** Of the language, in itself. */
  name: string;
  units: Record<"d" | "h" | "min" | "s", string>;
  frame: Record<
    | "skip"
    | "theme"
    | "menu"
    | "language"
    | "subscribe"
    | "stale"
    | "last_updated"
    | "past"
    | "to_present"
    | "own_zone"
    | "footer"
    | "powered_by"
    | "all_services",
    string
  > & { zone: (zone: string) => string };
  states: Record<PageState | "blank", string>;
  affected: (status: "down" | "degraded", who: { n: number; total: number; names: string; more: number }) => string;
  /** `name` where it is one service. */
  headline: (status: "down" | "degraded", who: { n: number; total: number; name: string | null }) => string;
  home: Record<
    | "detected"
    | "affected"
    | "notify"
    | "as_of"
    | "delayed"
    | "last_checks"
    | "current_incidents"
    | "maintenance_active"
    | "maintenance_planned"
    | "past_incidents"
    | "calendar"
    | "services"
    | "find"
    | "no_services",
    string
  > & {
    no_past_incidents: (days: number) => string;
    /** By the plural category; for the script. */
    found: Partial<Record<Intl.LDMLPluralRule, string>>;
    all_up: (n: number) => string;
    some: Record<"down" | "degraded" | "maintenance" | "unknown", (n: number, total: number) => string>;
    more: (n: number) => string;
  };
  monitor: Record<"lasting" | "moment" | "since" | "today" | "no_data" | "day_none" | "day_good", string> & {
    statuses: Record<PublicStatus | "maintenance" | "resting", string>;
    days_ago: (n: number) => string;
    uptime: (percentage: string) => string;
    /** `span` as span_days or a duration says it. */
    uptime_in: (percentage: string, span: string) => string;
    span_days: (n: number) => string;
    problem_days: (n: number) => string;
    bars: (bars: { days: number; uptime: string; problems: number }) => string;
    down_for: (duration: string) => string;
    degraded_for: (duration: string) => string;
    maintenance_for: (duration: string) => string;
  };
  service: Record<
    | "details"
    | "uptime"
    | "response_time"
    | "median"
    | "p95"
    | "no_latency"
    | "outages"
    | "ongoing"
    | "in_maintenance"
    | "outage"
    | "not_found"
    | "not_found_text",
    string
  > & {
    chart: (name: string, period: string) => string;
    periods: Record<"24h" | "7d" | "30d" | "90d", string>;
    no_outages: (days: number) => string;
  };
  metrics: Record<"title" | "game" | "players" | "map" | "join" | "restarts", string> & {
    peak: (period: string) => string;
    chart: (title: string, period: string) => string;
  };
  incident: Record<
    | "duration"
    | "previous"
    | "next"
    | "day_list"
    | "started"
    | "ended"
    | "affects"
    | "impact"
    | "history"
    | "none"
    | "earlier"
    | "not_found"
    | "not_found_text",
    string
  > & {
    severities: Record<PublicIncident["severity"], string>;
    statuses: Record<IncidentStatus, string>;
    earlier_updates: (n: number) => string;
    omitted_updates: (n: number) => string;
    month_count: (n: number) => string;
  };
  maintenance: Record<
    "title" | "span" | "occurrences" | "past" | "history" | "none" | "not_found" | "not_found_text",
    string
  > & {
    statuses: Record<MaintenanceStatus, string>;
    feed: (from: string, to: string, zone: string) => string;
  };
  feed: Record<"title" | "description" | "maintenance", (name: string) => string>;
  unlock: Record<"title" | "text" | "password" | "open" | "open_page" | "missing" | "wrong", string> & {
    too_many: (seconds: string) => string;
  };
  messages: Record<
    | "not_found"
    | "not_found_text"
    | "sign_in"
    | "unavailable"
    | "unavailable_text"
    | "invalid"
    | "invalid_text"
    | "internal"
    | "internal_text"
    | "rejected"
    | "too_many"
    | "full"
    | "full_text",
    string
  > & { too_many_text: (seconds: string) => string };
  subscribe: Record<
    | "title"
    | "updates"
    | "updates_text"
    | "email"
    | "others"
    | "feeds"
    | "feeds_text"
    | "close"
    | "channel"
    | "address"
    | "address_hint"
    | "email_wrong"
    | "webhook_wrong"
    | "topics"
    | "incidents"
    | "maintenance"
    | "services"
    | "accepted"
    | "accepted_text"
    | "confirm"
    | "confirm_button"
    | "confirmed"
    | "confirmed_text"
    | "manage"
    | "manage_text"
    | "save"
    | "saved"
    | "no_topic"
    | "invalid"
    | "unsubscribe"
    | "unsubscribed"
    | "unsubscribed_text"
    | "absent"
    | "absent_text"
    | "bad_link"
    | "bad_link_text",
    string
  > &
    Record<"group" | "confirm_text" | "unsubscribe_text", (name: string) => string> & {
      channels: Record<SubscriberChannel, string>;
    };
}
