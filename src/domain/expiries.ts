import type { MonitorType } from "../contract/monitor-values.ts";
import { HOUR_MS } from "../lib/durations.ts";
import { fnv1a } from "../lib/fnv.ts";

/** When what a monitor watches expires; a member is there only where a check has found it. */
export interface Expiries {
  certificate_expires_at?: number;
  domain_expires_at?: number;
}

/** Which detail of a result holds the expiry, by the type of the monitor. */
const EXPIRY_DETAILS: Partial<Record<MonitorType, { field: keyof Expiries; detail: string }>> = {
  ssl: { field: "certificate_expires_at", detail: "valid_to" },
  http: { field: "certificate_expires_at", detail: "certificate_expires_at" },
  https: { field: "certificate_expires_at", detail: "certificate_expires_at" },
  domain: { field: "domain_expires_at", detail: "expires_at" },
};

const CERTIFICATE_EVERY_MS = 6 * HOUR_MS;

/**
 * Whether the check of this moment also reads a certificate that it does not need itself: the first one of every six
 * hours, counted for each monitor from another moment.
 */
export function readsCertificate({ id, interval }: { id: string; interval: number }, at: number): boolean {
  const windowOf = (instant: number) => Math.floor((instant + fnv1a(id)) / CERTIFICATE_EVERY_MS);
  return windowOf(at) > windowOf(at - interval * 1000);
}

export function findExpiries(type: MonitorType, details: Readonly<Record<string, unknown>>): Expiries {
  const entry = EXPIRY_DETAILS[type];
  const found = entry && details[entry.detail];
  if (!entry || typeof found !== "string") return {};
  const at = Date.parse(found);
  return Number.isNaN(at) ? {} : { [entry.field]: at };
}

/** What of it a stored monitor does not show yet; null when nothing is new. */
export function findNewExpiries(
  monitor: { type: MonitorType; certificate_expires_at: number | null; domain_expires_at: number | null },
  details: Readonly<Record<string, unknown>>,
): Expiries | null {
  const found = findExpiries(monitor.type, details);
  const { certificate_expires_at = monitor.certificate_expires_at, domain_expires_at = monitor.domain_expires_at } =
    found;
  const isKnown =
    certificate_expires_at === monitor.certificate_expires_at && domain_expires_at === monitor.domain_expires_at;
  return isKnown ? null : found;
}
