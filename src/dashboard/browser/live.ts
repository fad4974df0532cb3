import { announceUpdate } from "./updates.ts";

/** A change is shown within two seconds, the request included. */
const POLL_MS = 1500;
/** Without a sign of the reader for this long the document asks seldom. */
const ATTENTIVE_MS = 10 * 60_000;
const POLL_IDLE_MS = 10_000;
const RETRY_MS = 10_000;

/** The server's text of each part as it was last shown. */
const shown = new Map<string, string>();
let tag = "";
let timer: ReturnType<typeof setTimeout> | undefined;
let attentiveUntil = 0;
let isAsking = false;

/** Keeps every element with `data-live` and an id as the server would show it now. A hidden document asks nothing. */
export function followChanges(): void {
  if (!document.querySelector("[data-follow]")) return;
  for (const part of partsOf(document)) shown.set(part.id, part.outerHTML);
  const attend = () => {
    const wasIdle = performance.now() > attentiveUntil;
    attentiveUntil = performance.now() + ATTENTIVE_MS;
    if (wasIdle) pollAfter(0);
  };
  for (const event of ["pointerdown", "pointermove", "keydown", "scroll"]) {
    document.addEventListener(event, attend, { passive: true });
  }
  document.addEventListener("visibilitychange", () => pollAfter(0));
  attentiveUntil = performance.now() + ATTENTIVE_MS;
  pollAfter(POLL_MS);
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
      next = performance.now() > attentiveUntil ? POLL_IDLE_MS : POLL_MS;
    }
  } catch {
    // The network is away for a moment; the document stays as it is.
  } finally {
    isAsking = false;
    pollAfter(next);
  }
}

function show(fresh: Document): void {
  const replaced: Element[] = [];
  for (const part of partsOf(fresh)) {
    const text = part.outerHTML;
    const current = document.getElementById(part.id);
    if (!current || shown.get(part.id) === text || isInUse(current)) continue;
    shown.set(part.id, text);
    const next = document.importNode(part, true);
    keepOpen(current, next);
    current.replaceWith(next);
    replaced.push(next);
  }
  document.title = fresh.title;
  if (replaced.length > 0) announceUpdate(replaced);
}

function partsOf(root: Document): Element[] {
  return [...root.querySelectorAll("[data-live][id]")];
}

/** A part in which the reader types, chooses, selects or has ticked something waits. */
function isInUse(part: Element): boolean {
  const { activeElement } = document;
  if (activeElement && activeElement !== part && part.contains(activeElement)) return true;
  if (part.querySelector("input[type=checkbox]:checked")) return true;
  const selection = getSelection();
  return selection !== null && !selection.isCollapsed && selection.containsNode(part, true);
}

function keepOpen(current: Element, next: Element): void {
  for (const opened of current.querySelectorAll("details[id][open]")) {
    next.querySelector(`#${CSS.escape(opened.id)}`)?.setAttribute("open", "");
  }
}
