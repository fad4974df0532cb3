/**
 * What the dashboard is without a network: the views that were looked at last, marked as old. Everything that is asked for
 * comes from the server while that answers. Only views without credentials are kept, and none beyond the session.
 */
const VIEWS = "vigil-views";
const ASSETS = "vigil-assets";
/** The oldest leave first. */
const KEPT_MAX = 40;
const KEPT = /^\/app(?:\/(?:monitors|maintenance|on-call|incidents(?:\/[\da-f-]{36})?))?$/;
const KEPT_AT = "x-kept-at";

/** Of the events of a worker, whose types a document's do not know. */
interface WorkerEvent extends Event {
  waitUntil(done: Promise<unknown>): void;
}
interface FetchEvent extends WorkerEvent {
  request: Request;
  respondWith(answer: Promise<Response>): void;
}

addEventListener("fetch", (event) => handle(event as FetchEvent));

function handle(event: FetchEvent): void {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (origin !== location.origin) return;
  // The next person at this device sees nothing of the one before.
  if (/^\/app\/sign-(?:in|out)/.test(pathname)) event.waitUntil(caches.delete(VIEWS));
  else if (request.method !== "GET") return;
  else if (request.mode === "navigate" && KEPT.test(pathname)) event.respondWith(openView(request, event));
  else if (/^\/assets\/.*[\da-f]{16}/.test(pathname)) event.respondWith(openAsset(request));
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
  const at = new Date(Number(kept.headers.get(KEPT_AT)));
  const time = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short", hourCycle: "h23" }).format(
    at,
  );
  const strip = `<p class="banner is-bad" role="status">Not connected. What you see is from ${time}.</p>`;
  const text = (await kept.text()).replace(/<main\b[^>]*>/, (main) => main + strip);
  return new Response(text, { headers: kept.headers });
}

/** Its address contains the hash of its content. */
async function openAsset(request: Request): Promise<Response> {
  const kept = await caches.match(request);
  if (kept) return kept;
  const response = await fetch(request);
  if (response.ok) await keep(ASSETS, request, response.clone());
  return response;
}
