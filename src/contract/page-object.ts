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

/** How the connection of an open page names its reader to the object. */
export const READER_HEADER = "x-vigil-page-reader";
