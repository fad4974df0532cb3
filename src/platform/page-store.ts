import { PagePayload } from "../contract/public-page.ts";
import type { Env } from "./env.ts";

/** Safety net behind version and valid_until: an older payload is never served. */
const PAYLOAD_TTL_S = 2 * 24 * 60 * 60;

/** Whether the cache answers at all. */
export async function pingCache(env: Env): Promise<boolean> {
  try {
    await env.PAGES.get("health");
    return true;
  } catch {
    return false;
  }
}

export interface StoredPage {
  payload: PagePayload;
  /** When it was last known to be the truth. */
  confirmed_at: number;
  /** As it was then: what may be served, and to whom, while the database does not answer. */
  lock: string | null;
}

type Metadata = Omit<StoredPage, "payload">;

/** The stored payload, if there is one of the present shape. Throws when KV does not answer. */
export async function readStoredPage(env: Env, slug: string): Promise<StoredPage | undefined> {
  const { value, metadata } = await env.PAGES.getWithMetadata<unknown, Metadata>(keyOf(slug), "json");
  const parsed = PagePayload.safeParse(value);
  if (!parsed.success) return undefined;
  return { payload: parsed.data, confirmed_at: metadata?.confirmed_at ?? 0, lock: metadata?.lock ?? null };
}

export async function storePage(env: Env, { payload, confirmed_at, lock }: StoredPage): Promise<void> {
  await env.PAGES.put(keyOf(payload.page.slug), JSON.stringify(payload), {
    expirationTtl: PAYLOAD_TTL_S,
    metadata: { confirmed_at, lock } satisfies Metadata,
  });
}

/** For a page that is no longer public, or not under this slug. */
export async function dropStoredPage(env: Env, slug: string): Promise<void> {
  await env.PAGES.delete(keyOf(slug));
}

const keyOf = (slug: string) => `page:${slug}`;
