import { announceUpdate } from "./updates.ts";

/** A change is shown within two seconds, the request included. */
const POLL_MS = 1500;
/** Without a sign of the reader for this long the document asks seldom. */
const ATTENTIVE_MS = 10 * 60_000;
const POLL_IDLE_MS = 10_000;
const RETRY_MS = 10_000;
/** After the first failure the next attempt comes soon, so that a reader knows within seconds. */
const FIRST_RETRY_MS = 2000;
const FAILURES_SAID = 2;

/** The server's text of each part as it was last shown, without that of the parts inside it. */
const shown = new Map<string, string>();
let tag = "";
let timer: ReturnType<typeof setTimeout> | undefined;
let attentiveUntil = 0;
let isAsking = false;
/** When the server last said what is current. */
let currentAt = Date.now();
let failures = 0;

/** Keeps every element with `data-live` and an id as the server would show it now. A hidden document asks nothing. */
export function followChanges(): void {
  const followed = document.querySelector<HTMLElement>("[data-follow]");
  if (!followed) return;
  tag = followed.dataset.follow ?? "";
  for (const part of partsOf(document)) shown.set(part.id, ownText(part));
  const attend = () => {
    const wasIdle = performance.now() > attentiveUntil;
    attentiveUntil = performance.now() + ATTENTIVE_MS;
    if (wasIdle) pollAfter(0);
  };
  for (const event of ["pointerdown", "pointermove", "keydown", "scroll"]) {
    document.addEventListener(event, attend, { passive: true });
  }
  document.addEventListener("visibilitychange", () => pollAfter(0));
  addEventListener("online", () => pollAfter(0));
  attentiveUntil = performance.now() + ATTENTIVE_MS;
  pollAfter(POLL_MS);
  setInterval(sayAge, 1000);
}

/** Asks at once, as after an action of this reader. */
export function pollNow(): void {
  if (document.querySelector("[data-follow]")) pollAfter(0);
}

function pollAfter(delay: number): void {
  clearTimeout(timer);
  if (document.hidden) return;
  timer = setTimeout(poll, delay);
}

async function poll(): Promise<void> {
  if (isAsking) return;
  isAsking = true;
  let next = RETRY_MS;
  try {
    const headers: Record<string, string> = { "x-live": "1", ...(tag ? { "if-none-match": tag } : {}) };
    const response = await fetch(location.href, { headers, cache: "no-store" });
    if (response.redirected) return location.reload();
    if (response.ok) {
      show(new DOMParser().parseFromString(await response.text(), "text/html"));
      tag = response.headers.get("etag") ?? "";
    }
    if (response.ok || response.status === 304) {
      failures = 0;
      currentAt = Date.now();
      next = performance.now() > attentiveUntil ? POLL_IDLE_MS : POLL_MS;
    } else failures += 1;
  } catch {
    failures += 1;
  } finally {
    isAsking = false;
    sayAge();
    pollAfter(failures === 1 ? FIRST_RETRY_MS : next);
  }
}

const clock = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium", hourCycle: "h23" });

/** Once the server has not answered twice, a strip says how old is what the reader sees. */
function sayAge(): void {
  const isCut = failures >= FAILURES_SAID;
  const strip = document.getElementById("connection");
  document.documentElement.toggleAttribute("data-cut", isCut);
  if (!isCut) {
    strip?.remove();
    return;
  }
  const said = strip ?? newStrip();
  const age = said.querySelector("span");
  if (age) age.textContent = ` for ${spanSince(currentAt)}`;
}

/** The part that counts on is no news for a screen reader; the sentence is. */
function newStrip(): HTMLElement {
  const strip = document.createElement("p");
  strip.id = "connection";
  strip.className = "banner is-bad";
  strip.setAttribute("role", "status");
  const age = document.createElement("span");
  age.setAttribute("aria-hidden", "true");
  document.getElementById("main")?.prepend(strip);
  strip.append("Not connected", age, `. What you see is from ${clock.format(currentAt)}. Trying again.`);
  return strip;
}

function spanSince(at: number): string {
  const seconds = Math.floor((Date.now() - at) / 1000);
  return seconds < 120 ? `${seconds} s` : `${Math.floor(seconds / 60)} min`;
}

function show(fresh: Document): void {
  const replaced = partsOf(fresh).flatMap((part) => update(part) ?? []);
  document.title = fresh.title;
  if (replaced.length > 0) announceUpdate(replaced);
}

function partsOf(root: ParentNode): Element[] {
  return [...root.querySelectorAll("[data-live][id]")];
}

/**
 * Replaces a part that differs and keeps the parts inside it that are there already: they are compared by themselves. So
 * a list whose row changes replaces this row alone, and one that gets a row moves the others.
 */
function update(part: Element): Element | null {
  const text = ownText(part);
  const current = document.getElementById(part.id);
  if (!current || shown.get(part.id) === text || isInUse(current)) return null;
  shown.set(part.id, text);
  const next = document.importNode(part, true);
  const focused = current.contains(document.activeElement) ? document.activeElement : null;
  keepState(current, next);
  for (const inner of partsOf(next)) {
    const kept = document.getElementById(inner.id);
    if (kept && current.contains(kept)) inner.replaceWith(kept);
    else shown.set(inner.id, ownText(inner));
  }
  current.replaceWith(next);
  if (focused instanceof HTMLElement) keepFocus(focused, next);
  return next;
}

/** Without the parts inside, and without how long ago an instant was: the browser says that by itself. */
function ownText(part: Element): string {
  const copy = part.cloneNode(true) as Element;
  for (const inner of partsOf(copy)) inner.replaceWith(`#${inner.id}`);
  for (const time of copy.querySelectorAll("time[data-relative]")) time.textContent = "";
  return copy.outerHTML;
}

/** A part in which the reader types, chooses or selects waits. */
function isInUse(part: Element): boolean {
  const { activeElement } = document;
  const isTyping = activeElement?.matches("textarea, select, input:not([type=checkbox], [type=radio])") ?? false;
  if (isTyping && part.contains(activeElement)) return true;
  const selection = getSelection();
  return selection !== null && !selection.isCollapsed && selection.containsNode(part, true);
}

/** What is unfolded and what is ticked stay so. */
function keepState(current: Element, next: Element): void {
  for (const opened of current.querySelectorAll("details[id][open]")) {
    next.querySelector(`#${CSS.escape(opened.id)}`)?.setAttribute("open", "");
  }
  const ticks = new Map(boxesOf(next).map((box) => [boxKey(box), box]));
  for (const box of boxesOf(current)) {
    const same = ticks.get(boxKey(box));
    if (same && box.checked !== box.defaultChecked) same.checked = box.checked;
  }
}

const boxesOf = (part: Element) => [...part.querySelectorAll<HTMLInputElement>("input[type=checkbox]")];
const boxKey = ({ name, value }: HTMLInputElement) => `${name} ${value}`;

/** On the same control of the new part; where it is gone, the keyboard goes on from the part. */
function keepFocus(focused: HTMLElement, next: Element): void {
  const key = controlKey(focused);
  const same = [...next.querySelectorAll<HTMLElement>("a[href], button, summary, input")].find(
    (control) => controlKey(control) === key,
  );
  const place = focused.isConnected ? focused : (same ?? next);
  if (place === next && place instanceof HTMLElement) place.tabIndex = -1;
  if (place instanceof HTMLElement) place.focus({ preventScroll: true });
}

function controlKey(control: Element): string {
  const attributes = ["id", "href", "name", "value"].map((name) => control.getAttribute(name));
  return [control.tagName, control.closest("form")?.getAttribute("action"), ...attributes].join("\n");
}
