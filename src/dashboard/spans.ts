import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../lib/durations.ts";

/** Beyond this a date says more than a number of days. */
const RELATIVE_MAX_MS = 30 * DAY_MS;

type Unit = "minutes" | "hours" | "days";
type Counted<Units extends string> = Readonly<Record<Units, (values: { n: number }) => string>>;

/** How a language says spans of time. */
export interface SpanTexts {
  just_now: string;
  in_a_moment: string;
  ago: Counted<Unit>;
  ahead: Counted<Unit>;
  lasted: Counted<Unit | "seconds">;
}

/** Formats an instant by its distance: `just now`, `5 min ago`, `in 3 h`, `12 days ago`; null where a date says more. */
export function relativeTime(at: number, now: number, texts: SpanTexts): string | null {
  const distance = Math.abs(at - now);
  if (distance > RELATIVE_MAX_MS) return null;
  if (distance < MINUTE_MS) return at > now ? texts.in_a_moment : texts.just_now;
  return sayIn(at > now ? texts.ahead : texts.ago, distance);
}

/** How long something lasts already: `20 s`, `5 min`, `34 days`. */
export function elapsedTime(since: number, now: number, { lasted }: SpanTexts): string {
  const span = Math.max(0, now - since);
  return span < MINUTE_MS ? lasted.seconds({ n: Math.floor(span / SECOND_MS) }) : sayIn(lasted, span);
}

function sayIn(texts: Counted<Unit>, span: number): string {
  if (span < HOUR_MS) return texts.minutes({ n: Math.floor(span / MINUTE_MS) });
  if (span < DAY_MS) return texts.hours({ n: Math.floor(span / HOUR_MS) });
  return texts.days({ n: Math.floor(span / DAY_MS) });
}
