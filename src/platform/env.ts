import type { AgentRpc } from "../contract/agent-object.ts";
import type { LimiterRpc } from "../contract/limiter-object.ts";
import type {
  CheckMessage,
  DeliveryMessage,
  EventMessage,
  MailMessage,
  MinuteMessage,
  SubscriberBatchMessage,
} from "../contract/messages.ts";
import type { MeterRpc } from "../contract/meter-object.ts";
import type { MonitorRpc } from "../contract/monitor-object.ts";
import type { PageRpc } from "../contract/page-object.ts";
import type { ProberRpc } from "../contract/prober-object.ts";
import type { QueueMarker } from "../contract/queues.ts";
import type { WitnessRpc } from "../contract/witness-object.ts";

/** A namespace by the verbs of its class, which this layer does not import. */
type ObjectNamespace<Verbs> = DurableObjectNamespace<Verbs & Rpc.DurableObjectBranded>;

/** The bindings of wrangler.toml. Settings are read through settings.ts, never from here. */
export interface Env {
  DB: D1Database;
  PAGES: KVNamespace;
  MONITOR: ObjectNamespace<MonitorRpc>;
  LIMITER: ObjectNamespace<LimiterRpc>;
  /** One limiter a minute for each size that access/rate-limit.ts names. */
  RATE_600: RateLimit;
  RATE_300: RateLimit;
  RATE_60: RateLimit;
  RATE_30: RateLimit;
  RATE_20: RateLimit;
  RATE_10: RateLimit;
  /** The files of the API reference, the letters of reports, lists that are too long for the Worker: scripts/assets.ts. */
  ASSETS: Fetcher;
  /** The platform's way to send mail, where the operator has bound it. */
  MAIL?: { send(message: EmailMessageBuilder): Promise<unknown> };
  PROBER: ObjectNamespace<ProberRpc>;
  PAGE: ObjectNamespace<PageRpc>;
  AGENT: ObjectNamespace<AgentRpc>;
  WITNESS: ObjectNamespace<WitnessRpc>;
  METER: ObjectNamespace<MeterRpc>;
  CHECKS: Queue<CheckMessage | QueueMarker>;
  CHECKS_SLOW: Queue<CheckMessage | QueueMarker>;
  EVENTS: Queue<EventMessage | QueueMarker>;
  DELIVERIES: Queue<DeliveryMessage | QueueMarker>;
  DELIVERIES_SLOW: Queue<DeliveryMessage | QueueMarker>;
  SUBSCRIBERS: Queue<SubscriberBatchMessage | QueueMarker>;
  MINUTE: { sendBatch(messages: Iterable<MessageSendRequest<MinuteMessage | QueueMarker>>): Promise<unknown> };
  MAIL_OUTBOX: Queue<MailMessage | QueueMarker>;
}

/** The checker Worker of a region, where `npm run deploy` has bound one. */
export function findChecker(env: Env, region: string): Fetcher | undefined {
  const bound: unknown = Reflect.get(env, `CHECKER_${region.toUpperCase()}`);
  // Service bindings of checkers are the only bindings of this name (scripts/deploy/regions.ts).
  return bound as Fetcher | undefined;
}
