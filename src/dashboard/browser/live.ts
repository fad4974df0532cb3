import { keptAt, sayGone, sayOld } from "./connection.ts";
import { openPush, type Push } from "./push.ts";
import { unsavedFields } from "./unsaved.ts";
import { announceUpdate } from "./updates.ts";

/** What is awaited is shown within two seconds, the request included. */
const POLL_MS = 1500;
/** Where no changes are announced. */
const UNTOLD_MS = 10_000;
/** Views of one team do not ask in the same moment. */
const TOLD_SPREAD_MS = 300;
const CUT_SPREAD_MS = 1000;
/** Measurements are no changes, and come by the minute; this often the document is asked for even without a change. */
const MEASURED_MS = 15_000;
const MEASURED_IDLE_MS = 60_000;
/** A word may be lost on its way. */
const CERTAIN_MS = 5 * 60_000;
/** Without a sign of the reader for this long the document asks seldom. */
const ATTENTIVE_MS = 10 * 60_000;
const POLL_IDLE_MS = 10_000;
/** A server that does not answer is asked as often as what is awaited: the view is right as soon as there is one again. */
const FAILURES_SAID = 2;
/** A request may hang as long as a dead connection is believed in. */
const SLOW_MS = 4000;
const TIMEOUT_MS = 10_000;
const SLEPT_MS = 5000;

/** The server's text of each part as it was last shown, without that of the parts inside it. */
const shown = new Map<string, string>();
let tag = "";
let version = "";
let address = "";
let isAwaited = false;
let isMeasured = false;
/** The document itself says whether something happened, because its reader is not signed in. */
let isAlone = false;
let push: Push | undefined;
/** A change was announced since the server was last asked. */
let isTold = false;
let askedAt = 0;
let timer: ReturnType<typeof setTimeout> | undefined;
let attentiveUntil = 0;
let isAsking = false;
/** There is nothing more to follow. */
let isOver = false;
/** Called with what the server shows at an address that another view of the same parts led to. */
let arrived: ((fresh: Document) => void) | undefined;
/** When the server last said what is current. */
let currentAt = Date.now();
let failures = 0;
/** When the request that is under way began. */
let begunAt = 0;
let tickedAt = Date.now();
/** The document was kept for times without a network, and may be that of another address. */
let isKept = false;

/** Keeps every element with `data-live` and an id as the server would show it now. A hidden document asks nothing. */
export function followChanges(): void {
  const followed = document.querySelector<HTMLElement>("[data-follow]");
  if (!followed) return;
  tag = followed.dataset.follow ?? "";
  isAwaited = followed.dataset.awaited !== undefined;
  isMeasured = followed.dataset.measured !== undefined;
  isAlone = followed.dataset.alone !== undefined;
  address = followed.dataset.address ?? location.href;
  askedAt = performance.now();
  const kept = keptAt();
  if (kept !== null) {
    isKept = true;
    currentAt = kept;
    failures = FAILURES_SAID;
  }
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
  pollAfter(kept === null ? POLL_MS : 0);
  setInterval(keepAge, 1000);
  const addresses = (followed.dataset.push ?? "").split(" ").filter((each) => each !== "");
  push = openPush(addresses, {
    changed: () => {
      isTold = true;
      pollAfter(Math.random() * TOLD_SPREAD_MS);
    },
    current: () => {
      if (failures === 0 && !isTold) currentAt = Date.now();
    },
    cut: () => pollAfter(Math.random() * CUT_SPREAD_MS),
  });
}

/** Follows another address from here on, which has the same view: a list that is filtered otherwise. */
export function followAddress(next: string, show: (fresh: Document) => void): void {
  address = next;
  tag = "";
  arrived = show;
  pollAfter(0);
}

/** Views of one team do not come in the same moment to a server that just began to answer. */
function retryMs(): number {
  return performance.now() <= attentiveUntil || isAlone ? POLL_MS * (0.6 + 0.4 * Math.random()) : POLL_IDLE_MS;
}

/** How long to rest once the document is as the server would show it. */
function restMs(): number {
  const isAttended = performance.now() <= attentiveUntil;
  if (isAwaited || tag === "") return isAttended ? POLL_MS : POLL_IDLE_MS;
  if (!push?.isOpen()) return UNTOLD_MS;
  if (isMeasured) return isAttended ? MEASURED_MS : MEASURED_IDLE_MS;
  return CERTAIN_MS;
}

function pollAfter(delay: number): void {
  clearTimeout(timer);
  if (document.hidden || isOver) return;
  timer = setTimeout(poll, delay);
}

async function poll(): Promise<void> {
  if (isAsking) return;
  isAsking = true;
  isTold = false;
  begunAt = performance.now();
  const asked = address;
  let next = 0;
  try {
    isOver = (await hasChanged()) && (await load());
    if (isOver) {
      push?.stop();
      return;
    }
    failures = 0;
    currentAt = Date.now();
    // The answer may be older than a change that was announced meanwhile.
    next = isTold ? 0 : restMs();
  } catch {
    // What was said of a request that hung stays true at the end of it.
    failures += isSlow() ? FAILURES_SAID : 1;
    version = "";
    next = retryMs();
  } finally {
    isAsking = false;
    sayAge();
    pollAfter(asked === address ? next : 0);
  }
}

/** Whether to load the document again: something happened to what the reader sees, or may have been measured. */
async function hasChanged(): Promise<boolean> {
  if (isAwaited || isAlone || tag === "" || performance.now() - askedAt >= MEASURED_MS) return true;
  const response = await fetch("/app/changes", { cache: "no-store", signal: AbortSignal.timeout(TIMEOUT_MS) });
  // The session has ended, which the document answers by the way to sign in.
  if (response.status === 401) return true;
  if (!response.ok) throw new Error(`changes: ${response.status}`);
  const former = version;
  version = await response.text();
  // What the first answer names may have happened after the document was made.
  return former !== version;
}

/** True where there is nothing more to follow: the document is loaded anew as a whole, or what it shows is gone. */
async function load(): Promise<boolean> {
  const asked = address;
  const headers: Record<string, string> = { "x-live": "1", ...(tag ? { "if-none-match": tag } : {}) };
  const response = await fetch(asked, { headers, cache: "no-store", signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (response.redirected) {
    loadAnew();
    return true;
  }
  if (response.status === 404) {
    failures = 0;
    sayGone(currentAt);
    return true;
  }
  if (!response.ok && response.status !== 304) throw new Error(`view: ${response.status}`);
  if (isKept) {
    // What was asked for since it was opened has waited for a server, too.
    if (arrived === undefined && isUsed()) throw new Error("a kept view is in use");
    loadAnew();
    return true;
  }
  askedAt = performance.now();
  if (response.ok) {
    const text = await response.text();
    if (asked !== address) return false;
    const fresh = new DOMParser().parseFromString(text, "text/html");
    if (isOfOtherRelease(fresh) && !isUsed()) {
      loadAnew();
      return true;
    }
    isAwaited = fresh.querySelector("[data-awaited]") !== null;
    // What the reader uses is replaced later, and so is asked for again.
    tag = show(fresh) ? (response.headers.get("etag") ?? "") : "";
    arrived?.(fresh);
    arrived = undefined;
  }
  return false;
}

/** A document that answers a form is never reloaded, which would send the form again: it has an address to go to. */
function loadAnew(): void {
  const [next, own] = [address, location.href].map((each) => each.split("#")[0]);
  if (next === own) location.reload();
  else location.assign(address);
}

/**
 * After a deployment the former script may not suit what the view is made of. While two releases answer in turn, the view
 * is loaded for each of them once in a while.
 */
function isOfOtherRelease(fresh: Document): boolean {
  const [script, own] = [fresh, document].map((root) => root.querySelector("script[src]")?.getAttribute("src") ?? "");
  if (script === own || script === undefined) return false;
  const [loaded, at] = (sessionStorage.getItem(RELEASE_KEY) ?? "").split(" ");
  if (loaded === script && Date.now() - Number(at) < RELEASE_MS) return false;
  if (!isUsed()) sessionStorage.setItem(RELEASE_KEY, `${script} ${Date.now()}`);
  return true;
}

const RELEASE_KEY = "vigil-release";
/** Longer than two releases answer in turn. */
const RELEASE_MS = 10 * 60_000;

/** Nobody loses what they are typing, reading in a dialog, or have chosen; the parts are replaced until then. */
function isUsed(): boolean {
  if (
    arrived !== undefined ||
    document.querySelector("dialog[open], form[data-sent], form[data-filters] details[open]") !== null
  )
    return true;
  const { activeElement } = document;
  const isTyping = activeElement?.matches("textarea, select, input:not([type=checkbox], [type=radio])") ?? false;
  // A filter in place differs from what the server once sent for good, and is in the address.
  const posting = [...document.querySelectorAll<HTMLFormElement>("form[method=post]")];
  return isTyping || posting.some((form) => unsavedFields(form).length > 0);
}

const isSlow = () => performance.now() - begunAt > SLOW_MS;

/** Says how old is what the reader sees, once the server has not answered twice, or not for a while, or since a sleep. */
function sayAge(): void {
  sayOld(failures >= FAILURES_SAID || (isAsking && isSlow()) ? currentAt : null);
}

/** A second that took much longer was one of a machine that slept: nothing is known of what happened since then. */
function keepAge(): void {
  const slept = Date.now() - tickedAt > SLEPT_MS;
  tickedAt = Date.now();
  if (slept && !document.hidden && !isOver) {
    failures = Math.max(failures, FAILURES_SAID);
    push?.renew();
    pollAfter(0);
  }
  sayAge();
}

/** Gives whether all that differs could be replaced. */
function show(fresh: Document): boolean {
  const outcomes = partsOf(fresh).map(update);
  document.title = fresh.title;
  const replaced = outcomes.filter((outcome) => outcome instanceof Element);
  if (replaced.length > 0) announceUpdate(replaced);
  return !outcomes.includes("in use");
}

function partsOf(root: ParentNode): Element[] {
  return [...root.querySelectorAll("[data-live][id]")];
}

/**
 * Replaces a part that differs and keeps the parts inside it that are there already: they are compared by themselves. So
 * a list whose row changes replaces this row alone, and one that gets a row moves the others.
 */
function update(part: Element): Element | "in use" | null {
  const text = ownText(part);
  const current = document.getElementById(part.id);
  if (!current || shown.get(part.id) === text) return null;
  if (isInUse(current)) return "in use";
  shown.set(part.id, text);
  const next = document.importNode(part, true);
  const focused = current.contains(document.activeElement) ? document.activeElement : null;
  const key = focused ? controlKey(focused) : "";
  keepState(current, next);
  for (const inner of partsOf(next)) {
    const kept = document.getElementById(inner.id);
    if (kept && current.contains(kept)) inner.replaceWith(kept);
    else shown.set(inner.id, ownText(inner));
  }
  current.replaceWith(next);
  if (focused instanceof HTMLElement) keepFocus(focused, key, next);
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
function keepFocus(focused: HTMLElement, key: string, next: Element): void {
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
