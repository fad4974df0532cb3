import { Refusal } from "../local/command-error.ts";

/**
 * Everything that a deployment does outside of this machine. Commands take it as a parameter: the real one is
 * `cloudflare.ts`, tests give one that refuses what Cloudflare refuses.
 */
export interface Platform {
  /** Runs a wrangler command and returns its standard output; fails with its error output. */
  wrangler(args: readonly string[]): Promise<string>;
  /** Calls the REST API and returns `result`; fails with a PlatformError. */
  api(method: "GET" | "POST" | "PUT" | "DELETE", path: string, body?: object): Promise<unknown>;
  /** One page of a list of the REST API, with what the API says of its pages; not every list has pages. */
  list(path: string): Promise<ListPage>;
  /** Asks the GraphQL API of analytics; undefined where the login may not read them. */
  analytics(query: string, variables: Record<string, string | undefined>): Promise<unknown>;
  /** Requests an address of the deployed service. */
  fetch(url: string, init?: RequestInit): Promise<Response>;
  sleep(ms: number): Promise<void>;
}

export interface ListPage {
  entries: unknown[];
  info?: { total_count?: number; total_pages?: number; per_page?: number } | null;
}

/** Nobody has signed in to Cloudflare on this machine. */
export class NotSignedIn extends Refusal {
  constructor() {
    super("not signed in to Cloudflare: run `npx wrangler login`, or set CLOUDFLARE_API_TOKEN");
  }
}

export class PlatformError extends Refusal {
  readonly status: number;
  readonly codes: number[];

  constructor(message: string, { status, codes }: { status: number; codes: number[] }) {
    super(message);
    this.status = status;
    this.codes = codes;
  }
}

/** What every list allows; accounts and zones come in pages of at most 50. */
const PAGE_SIZE = 50;

/**
 * Every entry of a list. What the API says of its pages decides, because some lists have smaller pages than they are asked
 * for and some have none and give the whole at any page.
 */
export async function listAll<Entry>(platform: Platform, path: string): Promise<Entry[]> {
  const entries = new Map<string, Entry>();
  for (let page = 1; ; page++) {
    const separator = path.includes("?") ? "&" : "?";
    const { entries: some, info } = await platform.list(`${path}${separator}page=${page}&per_page=${PAGE_SIZE}`);
    const before = entries.size;
    for (const entry of some) entries.set(JSON.stringify(entry), entry as Entry);
    const isNothingNew = entries.size === before;
    if (isNothingNew || !info || isLastPage(info, { page, length: some.length, listed: entries.size })) {
      return [...entries.values()];
    }
  }
}

function isLastPage(
  { total_pages, total_count, per_page = PAGE_SIZE }: NonNullable<ListPage["info"]>,
  { page, length, listed }: { page: number; length: number; listed: number },
): boolean {
  if (total_pages !== undefined) return page >= total_pages;
  if (total_count !== undefined) return listed >= total_count;
  return length < per_page;
}

/** The result, or undefined where the API has no such thing. */
export async function findOne<Result>(platform: Platform, path: string): Promise<Result | undefined> {
  try {
    return (await platform.api("GET", path)) as Result;
  } catch (error) {
    if (error instanceof PlatformError && error.status === 404) return undefined;
    throw error;
  }
}
