import { DAY_MS } from "../lib/durations.ts";

/** As many days before the end a notice is sent. */
export const NOTICE_DAYS = [30, 14, 7, 1] as const;
type NoticeDays = (typeof NOTICE_DAYS)[number];

export interface ExpiryNotice {
  /** The mark that was passed; each mark of an expiry is noticed once. */
  mark: NoticeDays;
  /** Whole days that are left. */
  days_left: number;
}

interface Plan {
  /** Null while no mark was passed, and after the end. Of several passed marks the latest. */
  notice: ExpiryNotice | null;
  /** When the next mark is passed, epoch ms; null after the last one. */
  next_at: number | null;
}

/** Monitors of these types become degraded so many days before the end, unless they have a number of their own. */
export const WARNING_DAYS = { ssl: 14, domain: 30 } as const;

/** The change to degraded, and the notice, come from different clocks: a domain is checked once a day. */
const SAME_FACT_MS = DAY_MS;

interface Watched {
  type: string;
  status: string;
  /** Epoch ms. */
  status_since: number;
  options: Readonly<Record<string, unknown>>;
}

/** Whether the monitor says the same by becoming degraded: it has done so within a day, or its next check will. */
export function isSaidByStatus(
  { type, status, status_since, options }: Watched,
  { of, days_left }: { of: keyof typeof WARNING_DAYS; days_left: number },
  now: number,
): boolean {
  const own = options[`${of}_expiry_warning_days`];
  const days = typeof own === "number" ? own : WARNING_DAYS[of];
  if (type !== of || days_left > days) return false;
  return status === "degraded" ? status_since > now - SAME_FACT_MS : status === "up" || status === "pending";
}

export function planNotice(expires_at: number, now: number): Plan {
  const marks = NOTICE_DAYS.map((mark) => ({ mark, at: expires_at - mark * DAY_MS }));
  const passed = marks.filter(({ at }) => at <= now).at(-1);
  const next_at = marks.find(({ at }) => at > now)?.at ?? null;
  const isOver = expires_at <= now;
  const days_left = Math.floor((expires_at - now) / DAY_MS);
  return { notice: passed && !isOver ? { mark: passed.mark, days_left } : null, next_at };
}
