import type { LimiterRpc } from "../contract/limiter-object.ts";
import { withDeadline } from "../lib/with-deadline.ts";
import type { Env } from "./env.ts";
import { REQUEST_OBJECT_TIMEOUT_MS } from "./object-timeout.ts";

interface Counted {
  key: string;
  limit: number;
  window_ms: number;
  now: number;
  /** Whether the number has to hold exactly; otherwise the platform's limiter of this size counts. */
  exact: boolean;
}

/** Counts one more under the key and says whether that is still within the limit. */
export async function incrementCounter(env: Env, counted: Counted): Promise<{ ok: boolean; retry_after_s: number }> {
  const { key, limit, window_ms, now } = counted;
  if (counted.exact) {
    const taken = limiterObject(env, key).take({ limit, window_ms, now });
    const wait_ms = await withDeadline(taken, REQUEST_OBJECT_TIMEOUT_MS);
    return { ok: wait_ms === 0, retry_after_s: Math.max(1, Math.ceil(wait_ms / 1000)) };
  }
  const { success } = await floodLimiter(env, limit).limit({ key });
  return { ok: success, retry_after_s: Math.ceil(window_ms / 1000) };
}

/** Takes back what `incrementCounter` counted exactly. */
export async function decrementCounter(
  env: Env,
  { key, window_ms, now }: Pick<Counted, "key" | "window_ms" | "now">,
): Promise<void> {
  await withDeadline(limiterObject(env, key).release({ window_ms, now }), REQUEST_OBJECT_TIMEOUT_MS);
}

function floodLimiter(env: Env, limit: number): RateLimit {
  switch (limit) {
    case 600:
      return env.RATE_600;
    case 300:
      return env.RATE_300;
    case 60:
      return env.RATE_60;
    case 30:
      return env.RATE_30;
    case 20:
      return env.RATE_20;
    case 10:
      return env.RATE_10;
    default:
      throw new Error(`wrangler.toml has no limiter for ${limit} a minute`);
  }
}

function limiterObject(env: Env, key: string): LimiterRpc {
  return env.LIMITER.getByName(key);
}
