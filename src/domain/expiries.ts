import type { MonitorType } from "../contract/monitor-values.ts";

/** When what a monitor watches expires; a member is there only where a check has found it. */
export interface Expiries {
  certificate_expires_at?: number;
  domain_expires_at?: number;
}

/** Which detail of a result holds the expiry, by the type of the monitor. */
const EXPIRY_DETAILS: Partial<Record<MonitorType, { field: keyof Expiries; detail: string }>> = {
  ssl: { field: "certificate_expires_at", detail: "valid_to" },
  domain: { field: "domain_expires_at", detail: "expires_at" },
};

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
