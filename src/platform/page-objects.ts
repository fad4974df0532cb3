import { waitUntil } from "cloudflare:workers";
import { type Follower, type PageReader, type Place, READER_HEADER, type WantedPage } from "../contract/page-object.ts";
import { PagePayload } from "../contract/public-page.ts";
import { mapConcurrently } from "../lib/map-concurrently.ts";
import { withDeadline } from "../lib/with-deadline.ts";
import type { Env } from "./env.ts";
import { createLogger } from "./logger.ts";
import { REQUEST_OBJECT_TIMEOUT_MS } from "./object-timeout.ts";
import { invalidatePage } from "./page-cache.ts";
import { settingsOf } from "./settings.ts";

/** Connections of one invocation. */
const ANNOUNCED_AT_ONCE = 6;

/** Throws for a payload of another release's shape, too. */
export async function loadSharedPage(env: Env, wanted: WantedPage): Promise<PagePayload | null> {
  const text = await withDeadline(env.PAGE.getByName(wanted.page_id).load(wanted), REQUEST_OBJECT_TIMEOUT_MS);
  return text === null ? null : PagePayload.parse(JSON.parse(text));
}

/** Connects an open page with the object that announces changes. */
export function connectReader(
  env: Env,
  { page_id, reader }: { page_id: string; reader: PageReader },
  request: Request,
): Promise<Response> {
  return connect(env.PAGE.getByName(page_id), reader, request);
}

/** Connects an open view with the object that announces changes of the account. */
export function connectFollower(
  env: Env,
  { owner_id, follower }: { owner_id: string; follower: Follower },
  request: Request,
): Promise<Response> {
  return connect(accountObject(env, owner_id), follower, request);
}

function connect(object: Pick<Fetcher, "fetch">, reader: PageReader | Follower, request: Request): Promise<Response> {
  const headers = new Headers(request.headers);
  headers.set(READER_HEADER, JSON.stringify(reader));
  return object.fetch(new Request(request, { headers }));
}

/** No page has such an id. */
const accountObject = (env: Env, ownerId: string) => env.PAGE.getByName(`account ${ownerId}`);

/** After a commit that stores what happened: open views of these accounts ask again. */
export function tellFollowers(env: Env, places: readonly Place[]): void {
  const accounts = Map.groupBy(places, ({ owner_id }) => owner_id);
  waitUntil(
    mapConcurrently([...accounts], ANNOUNCED_AT_ONCE, async ([owner_id, happened]) => {
      const page_ids = [...new Set(happened.flatMap(({ status_page_id }) => status_page_id ?? []))];
      try {
        await accountObject(env, owner_id).tell({ owner_id, page_ids });
      } catch (error) {
        // Open views ask by themselves within minutes.
        createLogger(settingsOf(env)).error("account: followers not told", error, { owner_id });
      }
    }),
  );
}

/** After a commit that changed what these pages show: readers of this isolate read anew, open pages are informed. */
export function announcePages(env: Env, pageIds: readonly string[]): void {
  for (const id of pageIds) invalidatePage(id);
  waitUntil(
    mapConcurrently(pageIds, ANNOUNCED_AT_ONCE, async (id) => {
      try {
        await env.PAGE.getByName(id).announce(id);
      } catch (error) {
        // Open pages refresh by themselves within a minute.
        createLogger(settingsOf(env)).error("page: change not announced", error, { status_page_id: id });
      }
    }),
  );
}
