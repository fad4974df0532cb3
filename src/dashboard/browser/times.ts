import { relativeTime } from "../../lib/relative-time.ts";
import { forEachPart } from "./updates.ts";

const REFRESH_MS = 10_000;
const local = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "long", hourCycle: "h23" });

/** Relative times move on, and exact ones are those of the reader's zone, with UTC on hover. */
export function keepTimesCurrent(): void {
  forEachPart((part) => {
    for (const time of part.querySelectorAll<HTMLTimeElement>("time[data-exact]")) {
      time.title = time.textContent ?? "";
      time.textContent = local.format(new Date(time.dateTime));
    }
    for (const time of part.querySelectorAll<HTMLTimeElement>("time[data-relative]")) {
      time.title = `${local.format(new Date(time.dateTime))} (${time.title})`;
    }
  });
  setInterval(() => {
    if (document.hidden) return;
    for (const time of document.querySelectorAll<HTMLTimeElement>("time[data-relative]")) {
      const text = relativeTime(Date.parse(time.dateTime), Date.now());
      if (time.textContent !== text) time.textContent = text;
    }
  }, REFRESH_MS);
}

/** Fields for an instant take UTC; below each stands what that is where the reader is. */
export function translateEnteredTimes(): void {
  if (local.resolvedOptions().timeZone === "UTC") return;
  for (const input of document.querySelectorAll<HTMLInputElement>('input[type="datetime-local"]')) {
    const shown = document.createElement("output");
    shown.className = "hint";
    shown.htmlFor.add(input.id);
    input.after(shown);
    const translate = () => {
      const at = Date.parse(`${input.value}Z`);
      shown.textContent = Number.isNaN(at) ? "" : `For you ${local.format(at)}`;
    };
    input.addEventListener("input", translate);
    translate();
  }
}
