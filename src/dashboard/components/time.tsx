import { SHORT_DATE, TIME_OF_DAY } from "../../lib/date-format.ts";
import { MINUTE_MS } from "../../lib/durations.ts";
import { toIso } from "../../platform/clock.ts";
import { dateFormat, formatDistance, formatElapsed } from "../formats.ts";

const WHOLE = { ...SHORT_DATE, ...TIME_OF_DAY, timeZone: "UTC" } as const;
const EXACT = { ...WHOLE, second: "2-digit" } as const;

/** How long ago or ahead, with the exact instant on hover; the script shows it in the reader's zone and keeps it current. */
export function Time({ at, now }: { at: number; now: number }) {
  return (
    <time datetime={toIso(at)} title={exactTime(at)} data-relative>
      {formatDistance(at, now)}
    </time>
  );
}

/** How long something lasts already: "Down for <Since/>". The script keeps it current. */
export function Since({ at, now }: { at: number; now: number }) {
  return (
    <time datetime={toIso(at)} title={exactTime(at)} data-relative="elapsed">
      {formatElapsed(at, now)}
    </time>
  );
}

/** The exact instant; the script shows it in the reader's zone. */
export function ExactTime({ at }: { at: number }) {
  return (
    <time datetime={toIso(at)} data-exact>
      {exactTime(at)}
    </time>
  );
}

/** What is planned begins with a minute, whose seconds say nothing. */
export function exactTime(at: number): string {
  return `${dateFormat(at % MINUTE_MS === 0 ? WHOLE : EXACT).format(at)} UTC`;
}
