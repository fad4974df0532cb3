import type { RequestScope } from "../../access/scope.ts";
import { egressOf } from "../../platform/egress/guard.ts";

const TIMEOUT_MS = 3000;
const BYTES_MAX = 1024 * 1024;
/** Pictures often lie behind an address that only points to them. */
const REQUESTS_MAX = 3;

/**
 * The picture behind a page's logo_url, as it comes. Null where there is none, or it cannot be had quickly: a report
 * without its logo is better than none.
 */
export async function fetchLogo(ctx: RequestScope, address: string | null): Promise<Uint8Array<ArrayBuffer> | null> {
  if (address === null) return null;
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  try {
    let url = new URL(address);
    for (let requests = 0; requests < REQUESTS_MAX && url.protocol === "https:"; requests++) {
      const headers = { Accept: "image/png, image/jpeg" };
      const request = { method: "GET", headers, purpose: "delivery", signal } as const;
      const { response } = await egressOf(ctx.settings).guardedFetch(url, request);
      if (response.status === 200) return await readWhole(response);
      await response.body?.cancel();
      const location = response.headers.get("location");
      if (response.status < 300 || response.status > 399 || location === null) return null;
      url = new URL(location, url);
    }
    return null;
  } catch (error) {
    ctx.log.info("report logo unavailable", { reason: error instanceof Error ? error.name : "unknown" });
    return null;
  }
}

/** Null where it is too large; the rest is then not read. */
async function readWhole({ body }: Response): Promise<Uint8Array<ArrayBuffer> | null> {
  const bytes = new Uint8Array(BYTES_MAX);
  let length = 0;
  for await (const chunk of body ?? []) {
    if (length + chunk.length > BYTES_MAX) return null;
    bytes.set(chunk, length);
    length += chunk.length;
  }
  return bytes.slice(0, length);
}
