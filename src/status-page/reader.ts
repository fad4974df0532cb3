import type { RequestScope } from "../access/scope.ts";
import { unavailable } from "../contract/errors.ts";
import type { PagePayload } from "../contract/public-page.ts";
import { SLUG } from "../contract/status-page.ts";
import { findPageVersion } from "../data/public-page/read.ts";
import type { CheckLag } from "../domain/check-schedule.ts";
import { sleep } from "../platform/clock.ts";
import { isUnavailable } from "../platform/d1-errors.ts";
import {
  type CachedPage,
  cacheEpoch,
  cachePage,
  type FoundPage,
  getCachedPage,
  isRenewalDue,
  loadPageOnce,
} from "../platform/page-cache.ts";
import { loadSharedPage } from "../platform/page-objects.ts";
import { dropStoredPage, readStoredPage, type StoredPage, storePage } from "../platform/page-store.ts";
import { lockOf } from "../platform/page-unlock.ts";
import { findSharedVersion, type SharedVersion, shareVersion } from "../platform/page-versions.ts";
import { buildPayload } from "./payload.ts";

/**
 * Serves public pages. The database says, at most PAGE_MEMO_MS ago, whether a page is public and which version it has, to
 * one reader of each data center; the body comes from this isolate's memo, from KV, or, where both are older, from the database. Without KV, pages come from
 * the database. Without the database, a body that was the truth within 15 minutes is served, marked as stale, but never
 * one of a page that was last known to be private, and one with a password only to visitors who entered it.
 */

const STALE_MAX_MS = 15 * 60_000;
/** How old the confirmation in KV may get while the page is read; the rest of STALE_MAX_MS is what an outage may last. */
const CONFIRM_AFTER_MS = 10 * 60_000;
const SHARED_WAIT_MS = 2_000;

export type PageReading =
  | { kind: "public"; known: CachedPage; payload: PagePayload; is_stale: boolean }
  | { kind: "private"; known: CachedPage }
  | { kind: "absent" };

/** What is assumed where it cannot be asked. */
const ON_TIME: CheckLag = { last_tick_at: null, late_since: null };

/** `announced` is the version that an open page has received: its reader does not want an older one. */
export async function readPage(ctx: RequestScope, slug: string, announced = 0): Promise<PageReading> {
  if (!SLUG.test(slug)) return { kind: "absent" };
  const known = getCachedPage(slug);
  if (known && isInTime(known.payload, ctx.now)) {
    const age = ctx.now - known.confirmed_at;
    const memo = memoMs(ctx, known, announced);
    if (age < memo && !isRenewalDue(slug, age, memo)) return toReading(known, false);
  }
  try {
    const page = await loadShared(ctx, { slug, known, announced });
    return page ? toReading(page, false) : { kind: "absent" };
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    ctx.log.error("page: database unavailable", error);
    return readWithoutDatabase(ctx, slug, known);
  }
}

interface Wanted {
  slug: string;
  known: CachedPage | undefined;
  announced: number;
}

/** Waits for a load of another request, but not for ever: a request that ends early may leave it unfinished. */
async function loadShared(ctx: RequestScope, { slug, known, announced }: Wanted): Promise<CachedPage | undefined> {
  const load = () => loadCurrent(ctx, { slug, known, announced });
  const { found, is_shared } = loadPageOnce(slug, load);
  if (!is_shared) {
    ctx.defer(found.catch(() => undefined));
    return (await found).page;
  }
  const shared = await Promise.race([found, sleep(SHARED_WAIT_MS)]);
  const isOld = shared?.page?.payload && shared.page.payload.version < announced;
  return (shared && !isOld ? shared : await load()).page;
}

async function loadCurrent(ctx: RequestScope, { slug, known, announced }: Wanted): Promise<FoundPage> {
  const epoch = cacheEpoch();
  const row = await findVersion(ctx, slug, announced);
  if (!row) return { page: undefined };
  const page = row.is_public ? await refresh(ctx, { slug, row, known }) : conceal(ctx, { slug, row, known });
  if (page) cachePage(slug, page, epoch);
  return { page };
}

/** From any isolate of this data center asked the database a moment ago, or from the database. */
async function findVersion(ctx: RequestScope, slug: string, announced: number): Promise<SharedVersion | undefined> {
  const { PUBLIC_URL: publicUrl, PAGE_MEMO_MS: memoMs } = ctx.settings;
  const wanted = { publicUrl, slug, now: ctx.now, memoMs, announced };
  const shared = await findSharedVersion(wanted);
  if (shared) return shared;
  const row = await findPageVersion(ctx.db, slug);
  if (!row) return undefined;
  const { id, is_public, version, last_tick_at, late_since, password_hash } = row;
  const lock = password_hash === null ? null : lockOf(ctx.settings.ROOT_SECRET, password_hash);
  const asked = { at: ctx.now, id, is_public, version, lock, last_tick_at, late_since };
  ctx.defer(shareVersion(wanted, asked));
  return asked;
}

/** Bounds what invented versions cost. */
const ANNOUNCED_MEMO_MS = 100;

function memoMs({ settings }: RequestScope, { payload }: CachedPage, announced: number): number {
  const isOld = payload !== null && payload.version < announced;
  return isOld ? Math.min(settings.PAGE_MEMO_MS, ANNOUNCED_MEMO_MS) : settings.PAGE_MEMO_MS;
}

interface Stage {
  slug: string;
  row: SharedVersion;
  known: CachedPage | undefined;
}

async function refresh(ctx: RequestScope, { slug, row, known }: Stage): Promise<CachedPage | undefined> {
  const isCurrent = (payload: PagePayload | null | undefined): payload is PagePayload =>
    payload?.page.id === row.id && payload.version >= row.version && isInTime(payload, ctx.now);

  if (known && isCurrent(known.payload)) {
    const confirmed = { ...known, confirmed_at: ctx.now, checks: punctualityOf(row), lock: row.lock };
    return ctx.now - known.stored_at < CONFIRM_AFTER_MS ? confirmed : keep(ctx, confirmed);
  }
  const { lock } = row;
  const fresh = { page_id: row.id, confirmed_at: ctx.now, checks: punctualityOf(row), lock };
  const stored = await readStored(ctx, slug);
  if (stored && isCurrent(stored.payload)) {
    const { payload, confirmed_at: stored_at } = stored;
    const page = { ...fresh, payload, stored_at };
    const isFresh = ctx.now - stored_at < CONFIRM_AFTER_MS && stored.lock === lock;
    return isFresh ? page : keep(ctx, page);
  }
  return rebuild(ctx, fresh, row.version);
}

/** The page's object builds for all readers, and puts the body into KV; where it cannot, this reader does. */
async function rebuild(
  ctx: RequestScope,
  fresh: Omit<CachedPage, "payload" | "stored_at">,
  version: number,
): Promise<CachedPage | undefined> {
  try {
    const { page_id, lock } = fresh;
    const payload = await loadSharedPage(ctx.env, { page_id, version, lock, now: ctx.now });
    return payload ? { ...fresh, payload, stored_at: ctx.now } : undefined;
  } catch (error) {
    ctx.log.error("page: object unavailable", error, { status_page_id: fresh.page_id });
    const payload = await buildPayload(ctx.db, fresh.page_id, ctx.now);
    return payload && keep(ctx, { ...fresh, payload, stored_at: ctx.now });
  }
}

/** Puts the body into KV, as confirmed now, without making the reader wait for it. */
function keep(ctx: RequestScope, page: CachedPage): CachedPage {
  if (!page.payload) return page;
  defer(ctx, storePage(ctx.env, { payload: page.payload, confirmed_at: ctx.now, lock: page.lock }));
  return { ...page, stored_at: ctx.now };
}

function punctualityOf({ last_tick_at, late_since }: SharedVersion): CheckLag {
  return { last_tick_at, late_since };
}

function conceal(ctx: RequestScope, { slug, row, known }: Stage): CachedPage {
  const isNews = !known || known.payload !== null;
  if (isNews) defer(ctx, dropStoredPage(ctx.env, slug));
  const checks = punctualityOf(row);
  return { page_id: row.id, confirmed_at: ctx.now, checks, lock: null, payload: null, stored_at: ctx.now };
}

async function readWithoutDatabase(
  ctx: RequestScope,
  slug: string,
  known: CachedPage | undefined,
): Promise<PageReading> {
  if (known?.payload === null) throw unavailable("this page is temporarily unavailable");
  if (known && ctx.now - known.confirmed_at <= STALE_MAX_MS) return toReading(known, true);
  const stored = await readStored(ctx, slug);
  if (!stored || ctx.now - stored.confirmed_at > STALE_MAX_MS)
    throw unavailable("this page is temporarily unavailable");
  const { payload, confirmed_at, lock } = stored;
  const page_id = payload.page.id;
  const page = { page_id, confirmed_at, checks: ON_TIME, lock, payload, stored_at: confirmed_at };
  return toReading(page, true);
}

async function readStored(ctx: RequestScope, slug: string): Promise<StoredPage | undefined> {
  try {
    return await readStoredPage(ctx.env, slug);
  } catch (error) {
    ctx.log.error("page: KV unavailable", error);
    return undefined;
  }
}

function toReading(known: CachedPage, isStale: boolean): PageReading {
  return known.payload
    ? { kind: "public", known, payload: known.payload, is_stale: isStale }
    : { kind: "private", known };
}

function isInTime(payload: PagePayload | null, now: number): boolean {
  return payload === null || now < payload.valid_until;
}

function defer(ctx: RequestScope, work: Promise<void>): void {
  ctx.defer(work.catch((error: unknown) => ctx.log.error("page: KV unavailable", error)));
}
