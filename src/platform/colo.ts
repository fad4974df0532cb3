/** Where an isolate runs does not change while it lives. */
let known: string | null = null;

/**
 * Learns the data centre that this isolate runs in from an answer of Cloudflare's network, which names it at the end of
 * its ray id: https://developers.cloudflare.com/fundamentals/reference/cloudflare-ray-id/. Consumers of queues are not
 * given it otherwise.
 */
export function learnColo(headers: Headers): void {
  known = /^[0-9a-f]+-([A-Z]{3})$/.exec(headers.get("cf-ray") ?? "")?.[1] ?? known;
}

/** Its three letters; null until an answer named it, and outside Cloudflare's network. */
export function currentColo(): string | null {
  return known;
}
