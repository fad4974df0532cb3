import { SHORT_DATE } from "../../lib/date-format.ts";
import { zonedClock } from "../../lib/zoned-days.ts";
import { elapsedTime, relativeTime } from "../spans.ts";
import { forEachPart } from "./updates.ts";
import { words } from "./words.ts";

const text = words(MESSAGES.times);
const spans = words(MESSAGES.spans);

const REFRESH_MS = 10_000;
const local = new Intl.DateTimeFormat(LOCALE, { dateStyle: "medium", timeStyle: "long", hourCycle: "h23" });
const ofMinutes = new Intl.DateTimeFormat(LOCALE, {
  day: "numeric",
  month: "short",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  timeZoneName: "short",
});
/** As the server writes it, which knows no zone of the reader. */
const day = new Intl.DateTimeFormat(LOCALE, { ...SHORT_DATE, timeZone: "UTC" });
/** What is planned begins with a minute, whose seconds say nothing. */
const toLocal = (date: Date) => (date.getTime() % 60_000 === 0 ? ofMinutes : local).format(date);

/** Sends the server the reader's zone, for days that are entered and days under which things stand. */
export function tellZone(): void {
  const zone = local.resolvedOptions().timeZone;
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser
  document.cookie = `vigil_zone=${encodeURIComponent(zone)}; Path=/app; SameSite=Lax; Max-Age=31536000`;
  for (const input of document.querySelectorAll<HTMLInputElement>('form[action$="/new"] input[name="timezone"]')) {
    // As if the server had sent it: nobody typed it.
    if (input.value === "") input.defaultValue = zone;
  }
}

/** Relative times move on, and exact ones are those of the reader's zone, with UTC on hover. */
export function keepTimesCurrent(): void {
  forEachPart((part) => {
    for (const time of part.querySelectorAll<HTMLTimeElement>("time[data-exact]")) {
      time.title = time.textContent ?? "";
      time.textContent = toLocal(new Date(time.dateTime));
    }
    for (const time of part.querySelectorAll<HTMLTimeElement>("time[data-relative]")) {
      time.title = `${local.format(new Date(time.dateTime))} (${time.title})`;
    }
  });
  setInterval(() => {
    if (document.hidden) return;
    for (const time of document.querySelectorAll<HTMLTimeElement>("time[data-relative]")) {
      const said = sayNow(time);
      if (time.textContent !== said) time.textContent = said;
    }
  }, REFRESH_MS);
}

function sayNow({ dateTime, dataset }: HTMLTimeElement): string {
  const at = Date.parse(dateTime);
  if (dataset.relative === "elapsed") return elapsedTime(at, Date.now(), spans);
  return relativeTime(at, Date.now(), spans) ?? day.format(at);
}

/** Fields for an instant have a zone; where the reader's is another one, that stands below. */
export function translateEnteredTimes(): void {
  for (const input of document.querySelectorAll<HTMLInputElement>("input[data-zone]")) {
    const clock = zonedClock(input.dataset.zone ?? "UTC");
    const own = zonedClock(local.resolvedOptions().timeZone);
    if (clock.offsetAt(Date.now()) === own.offsetAt(Date.now())) continue;
    const shown = document.createElement("output");
    shown.className = "hint";
    shown.htmlFor.add(input.id);
    input.after(shown);
    const translate = () => {
      const reading = Date.parse(`${input.value}Z`);
      shown.textContent = Number.isNaN(reading) ? "" : text.for_you({ time: local.format(clock.instantOf(reading)) });
    };
    input.addEventListener("input", translate);
    translate();
  }
}
