import type { BrowserAlert, BrowserMessage } from "../../lib/browser-message.ts";
import { words } from "./words.ts";

const text = words(MESSAGES.service_worker);

/**
 * What the dashboard is while it is closed: it shows alerts that push services bring, and acknowledges them. And what it is
 * without a network: the views that were looked at last, marked as old. Everything that is asked for
 * comes from the server while that answers. Only views without credentials are kept, and none beyond the session.
 */
const VIEWS = "vigil-views";
const ASSETS = "vigil-assets";
/** The oldest leave first. */
const KEPT_MAX = 40;
const KEPT = /^\/app(?:\/(?:monitors|maintenance|on-call|incidents(?:\/[\da-f-]{36})?))?$/;
const KEPT_AT = "x-kept-at";

/** Of a worker, whose types a document's do not know. */
declare const registration: ServiceWorkerRegistration;
declare const clients: {
  matchAll(options: { type: "window"; includeUncontrolled: true }): Promise<(Client & { focus(): Promise<unknown> })[]>;
  openWindow(url: string): Promise<unknown>;
};
interface Client {
  url: string;
  postMessage(message: unknown): void;
}
interface WorkerEvent extends Event {
  waitUntil(done: Promise<unknown>): void;
}
interface FetchEvent extends WorkerEvent {
  request: Request;
  respondWith(answer: Promise<Response>): void;
}

interface PushEvent extends WorkerEvent {
  data: { json(): unknown } | null;
}
interface ClickEvent extends WorkerEvent {
  action: string;
  notification: Notification;
}
interface ChangeEvent extends WorkerEvent {
  oldSubscription?: PushSubscription | null;
}

addEventListener("fetch", (event) => handle(event as FetchEvent));
addEventListener("push", (event) => receive(event as PushEvent));
addEventListener("notificationclick", (event) => answer(event as ClickEvent));
addEventListener("pushsubscriptionchange", (event) => (event as ChangeEvent).waitUntil(renew(event as ChangeEvent)));

function handle(event: FetchEvent): void {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (origin !== location.origin) return;
  // The next person at this device sees nothing of the one before.
  if (/^\/app\/sign-(?:in|out)/.test(pathname)) event.waitUntil(leave(pathname));
  else if (request.method !== "GET") return;
  else if (request.mode === "navigate" && KEPT.test(pathname)) event.respondWith(openView(request, event));
  else if (/^\/assets\/.*[\da-f]{16}/.test(pathname)) event.respondWith(openAsset(request));
}

async function leave(pathname: string): Promise<void> {
  await caches.delete(VIEWS);
  // Nobody who signed out on a shared computer is alerted there; the push service ends the contact.
  if (pathname.startsWith("/app/sign-out")) await (await registration.pushManager.getSubscription())?.unsubscribe();
}

function receive(event: PushEvent): void {
  const message = event.data?.json() as BrowserMessage | undefined;
  if (message) event.waitUntil(message.kind === "code" ? confirm(message) : showAlert(message));
}

/** Sends the code of the test message back, in the session of the person who set the browser up. */
async function confirm({ title, body, verify, code }: Extract<BrowserMessage, { kind: "code" }>): Promise<void> {
  const answer = await post(verify, { code });
  await show(title, {
    body: answer ? body : text.code({ body, code }),
    tag: verify,
    data: { open: "/app/account/contacts" },
  });
  if (answer) for (const client of await listWindows()) client.postMessage("verified");
}

function showAlert(alert: BrowserAlert): Promise<void> {
  const { title, body, tag, is_urgent, sent_at, acknowledge, evidence } = alert;
  return show(title, {
    body,
    tag,
    renotify: true,
    requireInteraction: is_urgent,
    timestamp: sent_at,
    data: alert,
    actions: [
      ...(acknowledge === undefined ? [] : [{ action: "acknowledge", title: text.acknowledge }]),
      // A click on the notification itself opens it, too, and browsers show two buttons.
      evidence === undefined ? { action: "open", title: text.open } : { action: "evidence", title: text.evidence },
    ],
  });
}

/** What notifications have of a worker beyond those of a document. */
interface Shown extends NotificationOptions {
  renotify?: boolean;
  timestamp?: number;
  actions?: { action: string; title: string }[];
}

function show(title: string, options: Shown): Promise<void> {
  return registration.showNotification(title, options);
}

function answer(event: ClickEvent): void {
  event.notification.close();
  const alert = event.notification.data as Partial<BrowserAlert>;
  const isAnswer = event.action === "acknowledge" && alert.acknowledge !== undefined;
  const opened = (event.action === "evidence" ? alert.evidence : undefined) ?? alert.open ?? "/app";
  event.waitUntil(isAnswer ? acknowledge(alert as BrowserAlert) : open(opened));
}

/** Where that fails, its view says why, and offers it again. */
async function acknowledge(alert: BrowserAlert): Promise<void> {
  const path = alert.acknowledge ?? alert.open;
  if (!(await post(path, {}))) return void (await open(path));
  await show(text.acknowledged({ title: alert.title }), {
    body: text.nobody_else,
    tag: alert.tag,
    silent: true,
    data: alert,
  });
}

async function open(path: string): Promise<void> {
  const { href } = new URL(path, location.origin);
  const shown = (await listWindows()).find(({ url }) => url === href);
  await (shown ? shown.focus() : clients.openWindow(href));
}

const listWindows = () => clients.matchAll({ type: "window", includeUncontrolled: true });

/** Whether it was accepted: by a view, or by leading on from a form. */
async function post(path: string, fields: Record<string, string>): Promise<boolean> {
  const request: RequestInit = { method: "POST", body: new URLSearchParams(fields), redirect: "manual" };
  return fetch(path, request).then(
    ({ ok, type }) => ok || type === "opaqueredirect",
    () => false,
  );
}

/** The browser took another address for its messages. */
async function renew({ oldSubscription }: ChangeEvent): Promise<void> {
  const applicationServerKey = oldSubscription?.options.applicationServerKey;
  if (!applicationServerKey) return;
  const subscription = await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey });
  await post("/app/account/contacts/browser", { value: JSON.stringify(subscription) });
}

async function openView(request: Request, event: WorkerEvent): Promise<Response> {
  try {
    const response = await fetch(request);
    const isView = response.ok && response.headers.get("content-type")?.startsWith("text/html");
    if (isView) event.waitUntil(keepView(request, response.clone()));
    return response;
  } catch (error) {
    const views = await caches.open(VIEWS);
    const kept = (await views.match(request)) ?? (await views.match("/app"));
    if (!kept) throw error;
    return markOld(kept);
  }
}

async function keepView(request: Request, response: Response): Promise<void> {
  const headers = new Headers(response.headers);
  headers.set(KEPT_AT, String(Date.now()));
  headers.delete("set-cookie");
  await keep(VIEWS, request, new Response(await response.blob(), { headers }));
}

async function keep(name: string, request: Request, response: Response): Promise<void> {
  const cache = await caches.open(name);
  await cache.delete(request);
  await cache.put(request, response);
  for (const old of (await cache.keys()).slice(0, -KEPT_MAX)) await cache.delete(old);
}

async function markOld(kept: Response): Promise<Response> {
  const at = Number(kept.headers.get(KEPT_AT));
  const time = new Intl.DateTimeFormat(LOCALE, { dateStyle: "medium", timeStyle: "short", hourCycle: "h23" }).format(
    at,
  );
  const strip = `<p id="connection" data-at="${at}" class="banner is-bad" role="status">${text.offline({ time })}</p>`;
  const marked = (await kept.text()).replace(/<main\b[^>]*>/, (main) => main + strip);
  return new Response(marked, { headers: kept.headers });
}

/** Its address contains the hash of its content. */
async function openAsset(request: Request): Promise<Response> {
  const kept = await caches.match(request);
  if (kept) return kept;
  const response = await fetch(request);
  if (response.ok) await keep(ASSETS, request, response.clone());
  return response;
}
