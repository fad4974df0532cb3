import { z } from "zod";

export interface WantedPage {
  page_id: string;
  /** What the database says; a payload of another version is older. */
  version: number;
  /** Stored with the payload; see StoredPage. */
  lock: string | null;
  now: number;
}

/** What a PageObject offers: one object for each status page. */
export interface PageRpc {
  /** The payload of at least this version as JSON, built once however many readers ask; null for a deleted page. */
  load(wanted: WantedPage): Promise<string | null>;
  /** To be called after every commit that changes what the page shows. */
  announce(pageId: string): Promise<void>;
}

/** What the object of an account offers, which is of the same class: one for each account, under a name of its own. */
export interface AccountRpc {
  /** To be called after every commit that stores that something happened in the account. */
  tell(news: AccountNews): Promise<void>;
}

/** Where something happened: in whose account, and on which of its pages if on any. */
export interface Place {
  owner_id: string;
  status_page_id: string | null;
}

export interface AccountNews {
  owner_id: string;
  /** The pages on which it happened. What happened on none is for the owner alone. */
  page_ids: readonly string[];
}

/** All that followers of an account receive; they read the change themselves. */
export const FOLLOWERS_NEWS = "changed";
/** Open views that follow one account, and those of one person among them. */
export const FOLLOWERS_MAX = 1_000;
export const FOLLOWERS_MAX_OF_USER = 20;
/** The closing code for the oldest view of a person who opens more; it does not connect again. */
export const FOLLOWER_REPLACED = 4409;

/** Open pages that one object keeps informed. */
export const LIVE_READERS_MAX = 5_000;

/** What the object sends to open pages. */
export interface PageNews {
  version: number;
}

/** By which right a page is seen, and its live connection held. */
export const PageReader = z.discriminatedUnion("kind", [
  /** With the lock of the password that was entered. */
  z.object({ kind: z.literal("public"), lock: z.string().nullable() }),
  /** The session or API token that was presented; connections that a former release accepted name none. */
  z.object({ kind: z.literal("member"), user_id: z.uuid().optional(), credential_id: z.string().optional() }),
]);
export type PageReader = z.infer<typeof PageReader>;

/** An open view of the dashboard, by the session that shows it, or a wall display, by its link. */
export const Follower = z.object({
  kind: z.literal("follower"),
  /** Whose views are counted together: a person's, or a link's. */
  user_id: z.uuid(),
  session_id: z.string(),
  opened_at: z.number(),
});
export type Follower = z.infer<typeof Follower>;

/** How the connection of an open page or view names its reader to the object. */
export const READER_HEADER = "x-vigil-page-reader";
