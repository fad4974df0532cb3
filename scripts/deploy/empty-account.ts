import type { Platform } from "./platform.ts";

/** An account in which nothing is yet, for a plan that is made before anybody has signed in. */
export const EMPTY_ACCOUNT: Platform = {
  async api(_method, path) {
    const [, zone] = /^\/zones\?name=([^&]+)/.exec(path) ?? [];
    if (zone) return [{ id: "<zone>", name: zone }];
    if (path.startsWith("/accounts?")) return [{ id: "<account>", name: "your account" }];
    return path.endsWith("/workers/subdomain") ? { subdomain: "<your-subdomain>" } : [];
  },
  wrangler: async () => "",
  fetch: async () => new Response(null, { status: 404 }),
  sleep: async () => {},
};
