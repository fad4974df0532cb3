import { z } from "zod";
import { VERSION_SHARED_MS } from "../domain/page-address.ts";
import { changedAt } from "./page-cache.ts";

/**
 * What the database says of a page, shared by all isolates of a data center for a moment: readers, however many, take a
 * fixed share of the one database that alerts need, too. Nothing of it is secret, and it is reached through the Worker
 * alone. Where there is no cache (`npm start`, whose one isolate needs none) or it fails, the database is asked.
 * https://developers.cloudflare.com/workers/runtime-apis/cache/ (which remembers nothing on workers.dev)
 */
const SharedVersion = z.object({
  /** When the database said so. */
  at: z.number(),
  id: z.string(),
  is_public: z.boolean(),
  version: z.number(),
  lock: z.string().nullable(),
  last_tick_at: z.number().nullable(),
  late_since: z.number().nullable(),
});
export type SharedVersion = z.infer<typeof SharedVersion>;

interface Wanted {
  publicUrl: string;
  slug: string;
  now: number;
  memoMs: number;
  /** The version that an open page has received. */
  announced: number;
}

/** What another isolate has just read; undefined where it has to be asked, also where this isolate has changed pages since. */
export async function findSharedVersion(wanted: Wanted): Promise<SharedVersion | undefined> {
  const { now, memoMs, announced } = wanted;
  if (memoMs === 0) return undefined;
  const response = await caches.default.match(keyOf(wanted)).catch(() => undefined);
  const parsed = SharedVersion.safeParse(await response?.json());
  if (!parsed.success) return undefined;
  const { at, version } = parsed.data;
  const isInTime = at <= now && now - at < sharedMs(memoMs) && at > changedAt();
  return isInTime && version >= announced ? parsed.data : undefined;
}

export async function shareVersion(wanted: Pick<Wanted, "publicUrl" | "slug" | "memoMs">, version: SharedVersion) {
  if (wanted.memoMs === 0) return;
  // Its own `at` decides how long it counts; the cache only has to keep it for longer, however slow its clock.
  const headers = { "Cache-Control": "max-age=60" };
  await caches.default.put(keyOf(wanted), Response.json(version, { headers })).catch(() => {});
}

/** With the memo that follows, readers see a change within two seconds. */
function sharedMs(memoMs: number): number {
  return Math.min(3 * memoMs, VERSION_SHARED_MS);
}

/** The address is the service's own, where no route answers. */
function keyOf({ publicUrl, slug }: Pick<Wanted, "publicUrl" | "slug">): string {
  return `${publicUrl === "" ? "https://pages.invalid" : publicUrl}/.versions/${slug}`;
}
