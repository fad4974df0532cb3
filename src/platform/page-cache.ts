import type { PagePayload } from "../contract/public-page.ts";
import type { CheckLag } from "../domain/check-schedule.ts";
import { now } from "./clock.ts";

/** What this isolate knows of a public page, so that a busy page costs one database read per PAGE_MEMO_MS. */
export interface CachedPage {
  page_id: string;
  /** When the database last said so. */
  confirmed_at: number;
  /** How punctual the checks were at that time. */
  checks: CheckLag;
  /** Identifies the password that visitors have to enter; null where there is none. */
  lock: string | null;
  /** null while the page is private. */
  payload: PagePayload | null;
  /** When the payload, as far as this isolate knows, was last put into KV or confirmed there. */
  stored_at: number;
}

/**
 * In the last quarter of its time a memo is renewed by one reader, while the others still get it: were all of them to find
 * it expired at once, each would take the long way.
 */
export function isRenewalDue(slug: string, age: number, memoMs: number): boolean {
  return age >= memoMs * 0.75 && !isPageLoading(slug);
}

/** Bounds the memory of an isolate; a page of ordinary size takes about 50 kB. */
const PAGES_MAX = 200;

const known = new Map<string, CachedPage>();
const loading = new Map<string, { epoch: number; found: Promise<FoundPage> }>();
let changes = 0;
let lastChangeAt = 0;

/** What members see of private pages, apart from what everybody sees; readers are authorised before it is looked up. */
const PRIVATE_PAGES_MAX = 50;
const privatePayloads = new Map<string, PagePayload>();

/** The payload of exactly this version, which the database has just named. */
export function getPrivatePayload(pageId: string, wanted: { version: number; now: number }): PagePayload | undefined {
  const payload = privatePayloads.get(pageId);
  return payload?.version === wanted.version && wanted.now < payload.valid_until ? payload : undefined;
}

export function keepPrivatePayload(pageId: string, payload: PagePayload, epoch: number): void {
  if (epoch !== changes) return;
  privatePayloads.delete(pageId);
  privatePayloads.set(pageId, payload);
  const [oldest] = privatePayloads.keys();
  if (privatePayloads.size > PRIVATE_PAGES_MAX && oldest !== undefined) privatePayloads.delete(oldest);
}

/** Undefined where no page has that slug. */
export interface FoundPage {
  page: CachedPage | undefined;
}

export function getCachedPage(slug: string): CachedPage | undefined {
  return known.get(slug);
}

/** To be taken before the database is asked: what a write has overtaken in the meantime is not remembered. */
export function cacheEpoch(): number {
  return changes;
}

/** When this isolate last committed a change: what others knew before is older. */
export function changedAt(): number {
  return lastChangeAt;
}

/** Whether a reader is asking the database right now, for an answer that no write of this isolate has overtaken. */
export function isPageLoading(slug: string): boolean {
  return loading.get(slug)?.epoch === changes;
}

export function cachePage(slug: string, page: CachedPage, epoch: number): void {
  if (epoch !== changes) return;
  known.delete(slug);
  known.set(slug, page);
  const [oldest] = known.keys();
  if (known.size > PAGES_MAX && oldest !== undefined) known.delete(oldest);
}

/** To be called after every commit that changes what a page shows: readers of this isolate then see it at once. */
export function invalidatePage(pageId: string): void {
  changes += 1;
  lastChangeAt = now();
  for (const [slug, page] of known) if (page.page_id === pageId) known.delete(slug);
  privatePayloads.delete(pageId);
}

/**
 * Readers that come while another one loads the page share what it finds, so that a busy page costs one read of the
 * database however many wait for it. A load that a write of this isolate has overtaken is not shared.
 */
export function loadPageOnce(
  slug: string,
  load: () => Promise<FoundPage>,
): { found: Promise<FoundPage>; is_shared: boolean } {
  const running = loading.get(slug);
  if (running?.epoch === changes) return { found: running.found, is_shared: true };
  const found = load().finally(() => {
    if (loading.get(slug)?.found === found) loading.delete(slug);
  });
  loading.set(slug, { epoch: changes, found });
  return { found, is_shared: false };
}
