import { SHORT_DATE, TIME_OF_DAY } from "../../lib/date-format.ts";
import { lazy } from "../../lib/lazy.ts";
import { elapsedTime, relativeTime } from "../../lib/relative-time.ts";
import { toIso } from "../../platform/clock.ts";

const EXACT = lazy(
  () => new Intl.DateTimeFormat("en-GB", { ...SHORT_DATE, ...TIME_OF_DAY, second: "2-digit", timeZone: "UTC" }),
);

/** How long ago or ahead, with the exact instant on hover; the script shows it in the reader's zone and keeps it current. */
export function Time({ at, now }: { at: number; now: number }) {
  return (
    <time datetime={toIso(at)} title={exactTime(at)} data-relative>
      {relativeTime(at, now)}
    </time>
  );
}

/** How long something lasts already: "Down for <Since/>". The script keeps it current. */
export function Since({ at, now }: { at: number; now: number }) {
  return (
    <time datetime={toIso(at)} title={exactTime(at)} data-relative="elapsed">
      {elapsedTime(at, now)}
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

export function exactTime(at: number): string {
  return `${EXACT().format(at)} UTC`;
}
