import { toNodes, words } from "./words.ts";

/** The strip that says that what is shown may be old. A document that was kept for times without a network begins with it. */
const ID = "connection";
const said = words(MESSAGES.live);
const clock = new Intl.DateTimeFormat(LOCALE, { timeStyle: "medium", hourCycle: "h23" });

/** When the server sent the document, where it was kept since then; null for one that comes from the server now. */
export function keptAt(): number | null {
  const at = document.getElementById(ID)?.dataset.at;
  return at === undefined ? null : Number(at);
}

/** Null for what is current. */
export function sayOld(currentAt: number | null): void {
  const strip = document.getElementById(ID);
  document.documentElement.toggleAttribute("data-cut", currentAt !== null);
  if (currentAt === null) {
    strip?.remove();
    return;
  }
  const age = (strip ?? newStrip(currentAt)).querySelector("span");
  if (age) age.textContent = spanSince(currentAt);
}

/** Deleted by somebody else, or no longer theirs to see. */
export function sayGone(currentAt: number): void {
  newBanner().textContent = said.gone({ time: clock.format(currentAt) });
}

/** The part that counts on is no news for a screen reader; the sentence is. */
function newStrip(currentAt: number): HTMLElement {
  const age = document.createElement("span");
  age.setAttribute("aria-hidden", "true");
  const strip = newBanner();
  strip.id = ID;
  strip.append(...toNodes(said.cut.parts({ age, time: clock.format(currentAt) })));
  return strip;
}

function newBanner(): HTMLElement {
  const banner = document.createElement("p");
  banner.className = "banner is-bad";
  banner.setAttribute("role", "status");
  document.getElementById("main")?.prepend(banner);
  return banner;
}

function spanSince(at: number): string {
  const seconds = Math.floor((Date.now() - at) / 1000);
  return seconds < 120 ? said.for_seconds({ n: seconds }) : said.for_minutes({ n: Math.floor(seconds / 60) });
}
