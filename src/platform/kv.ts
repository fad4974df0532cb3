import type { Env } from "./env.ts";

/** Whether the cache answers at all. */
export async function probeCache(env: Env): Promise<boolean> {
  try {
    await env.PAGES.get("health");
    return true;
  } catch {
    return false;
  }
}
