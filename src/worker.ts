import { createApp } from "./app.ts";
import { handleChecks } from "./jobs/checks.ts";
import { handleDeadLetters } from "./jobs/dead-letters.ts";
import { handleDeliveries } from "./jobs/deliveries.ts";
import { handleEvents } from "./jobs/events.ts";
import { handleMail } from "./jobs/mail.ts";
import { handleMinuteParts, runMinute } from "./jobs/minute.ts";
import { handleSubscribers } from "./jobs/subscribers.ts";
import type { Env } from "./platform/env.ts";

export { LimiterObject } from "./durable-objects/limiter.ts";
export { MonitorObject } from "./durable-objects/monitor.ts";
export { ProberObject } from "./durable-objects/prober.ts";

const app = createApp();

/** Consumers by the names of wrangler.toml; a deployment puts its own name and a hyphen before them. */
const CONSUMERS: Record<string, (batch: MessageBatch, env: Env) => Promise<void>> = {
  checks: handleChecks,
  "checks-slow": handleChecks,
  events: handleEvents,
  deliveries: handleDeliveries,
  subscribers: handleSubscribers,
  minute: handleMinuteParts,
  mail: handleMail,
};

function consumerOf(queue: string) {
  const name = Object.keys(CONSUMERS).find((known) => queue === known || queue.endsWith(`-${known}`));
  return (name && CONSUMERS[name]) || handleDeadLetters;
}

export default {
  fetch: (request, env, ctx) => app.fetch(request, env, ctx),
  scheduled: (controller, env, _ctx) => runMinute(controller, env),
  queue: (batch, env, _ctx) => consumerOf(batch.queue)(batch, env),
} satisfies ExportedHandler<Env>;
