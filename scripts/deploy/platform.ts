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
  /** Requests an address of the deployed service. */
  fetch(url: string, init?: RequestInit): Promise<Response>;
  sleep(ms: number): Promise<void>;
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

const PAGE_SIZE = 100;

/** Every entry of a list that the API returns in pages. */
export async function listAll<Entry>(platform: Platform, path: string): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (let page = 1; ; page++) {
    const separator = path.includes("?") ? "&" : "?";
    const some = (await platform.api("GET", `${path}${separator}page=${page}&per_page=${PAGE_SIZE}`)) as Entry[];
    entries.push(...some);
    if (some.length < PAGE_SIZE) return entries;
  }
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
