import { createApp } from "./app.ts";
import { handleBatch } from "./jobs/batches.ts";
import { runMinute } from "./jobs/minute.ts";
import { lazy } from "./lib/lazy.ts";
import type { Env } from "./platform/env.ts";
import { countUnits, meterBindings, reportUsageWhenDue } from "./platform/usage.ts";

export { AgentObject } from "./durable-objects/agent.ts";
export { LimiterObject } from "./durable-objects/limiter.ts";
export { MeterObject } from "./durable-objects/meter.ts";
export { MonitorObject } from "./durable-objects/monitor.ts";
export { PageObject } from "./durable-objects/page.ts";
export { ProberObject } from "./durable-objects/prober.ts";
export { WitnessObject } from "./durable-objects/witness.ts";

/** Isolates that only run checks, queues and objects never mount its routes. */
const app = lazy(createApp);

export default {
  fetch: (request, env, ctx) => app().fetch(request, countInvocation(env), ctx),
  scheduled: (controller, env, _ctx) => runMinute(controller, countInvocation(env)),
  queue: (batch, env, ctx) => handleBatch(batch, countInvocation(env), (work) => ctx.waitUntil(work)),
} satisfies ExportedHandler<Env>;

function countInvocation(env: Env): Env {
  const metered = meterBindings(env);
  countUnits({ requests: 1 });
  reportUsageWhenDue(metered);
  return metered;
}
