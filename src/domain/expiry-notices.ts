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

export function planNotice(expires_at: number, now: number): Plan {
  const marks = NOTICE_DAYS.map((mark) => ({ mark, at: expires_at - mark * DAY_MS }));
  const passed = marks.filter(({ at }) => at <= now).at(-1);
  const next_at = marks.find(({ at }) => at > now)?.at ?? null;
  const isOver = expires_at <= now;
  const days_left = Math.floor((expires_at - now) / DAY_MS);
  return { notice: passed && !isOver ? { mark: passed.mark, days_left } : null, next_at };
}
