import type { Platform } from "./platform.ts";

/** An account in which nothing is yet, for a plan that is made before anybody has signed in. */
export const EMPTY_ACCOUNT: Platform = {
  async api(_method, path) {
    return path.endsWith("/workers/subdomain") ? { subdomain: "<your-subdomain>" } : null;
  },
  async list(path) {
    const [, zone] = /^\/zones\?name=([^&]+)/.exec(path) ?? [];
    if (zone) return { entries: [{ id: "<zone>", name: zone }] };
    return { entries: path.startsWith("/accounts?") ? [{ id: "<account>", name: "your account" }] : [] };
  },
  wrangler: async () => "",
  analytics: async () => undefined,
  fetch: async () => new Response(null, { status: 404 }),
  sleep: async () => {},
};
