import { DurableObject } from "cloudflare:workers";
import type { LimiterRpc, Quota } from "../contract/limiter-object.ts";
import { now as currentTime } from "../platform/clock.ts";
import type { Env } from "../platform/env.ts";

interface Window {
  started_at: number;
  ends_at: number;
  taken: number;
}

const KEY = "window";

/** By which the clock of this object may be behind that of its alarms. */
const SKEW_MS = 1_000;

/**
 * Counts exactly how often something happened within a window that opens with the first time. Calls run one after the
 * other, so two at once never share the last place. Storage is emptied when the window closes.
 */
export class LimiterObject extends DurableObject<Env> implements LimiterRpc {
  async take({ limit, window_ms, now }: Quota): Promise<number> {
    const stored = this.ctx.storage.kv.get<Window>(KEY);
    const isOpen = stored && now < stored.started_at + window_ms;
    const window = isOpen ? stored : { started_at: now, ends_at: now + window_ms, taken: 0 };
    if (window.taken >= limit) return window.started_at + window_ms - now;
    this.ctx.storage.kv.put<Window>(KEY, { ...window, taken: window.taken + 1 });
    if (window !== stored) await this.ctx.storage.setAlarm(window.ends_at);
    return 0;
  }

  async release({ window_ms, now }: Pick<Quota, "window_ms" | "now">): Promise<void> {
    const stored = this.ctx.storage.kv.get<Window>(KEY);
    if (!stored || now >= stored.started_at + window_ms) return;
    this.ctx.storage.kv.put<Window>(KEY, { ...stored, taken: Math.max(0, stored.taken - 1) });
  }

  /** One that comes again must not empty the window that opened since, which has an alarm of its own. */
  override async alarm(): Promise<void> {
    const stored = this.ctx.storage.kv.get<Window>(KEY);
    if (stored && currentTime() < stored.ends_at - SKEW_MS) return;
    await this.ctx.storage.deleteAll();
  }
}
