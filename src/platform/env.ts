import type { CheckMessage, DeliveryMessage, EventMessage } from "../contract/messages.ts";

/** The bindings of wrangler.toml. Settings are read through settings.ts, never from here. */
export interface Env {
  DB: D1Database;
  PAGES: KVNamespace;
  MONITOR: DurableObjectNamespace;
  CHECKS: Queue<CheckMessage>;
  CHECKS_SLOW: Queue<CheckMessage>;
  EVENTS: Queue<EventMessage>;
  DELIVERIES: Queue<DeliveryMessage>;
}
