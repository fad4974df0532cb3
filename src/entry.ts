import type { App } from "./app.ts";
import type { Env } from "./platform/env.ts";
import { countUnits, meterBindings, reportUsageWhenDue } from "./platform/usage.ts";

export { AgentObject } from "./durable-objects/agent.ts";
export { LimiterObject } from "./durable-objects/limiter.ts";
export { MeterObject } from "./durable-objects/meter.ts";
export { MonitorObject } from "./durable-objects/monitor.ts";
export { PageObject } from "./durable-objects/page.ts";
export { ProberObject } from "./durable-objects/prober.ts";
export { WitnessObject } from "./durable-objects/witness.ts";

let app: App | undefined;

/**
 * The routes, the batches and the minute are modules of their own, evaluated when the first of them comes: a start reads
 * what the objects need. An isolate that only runs queues or objects never mounts a route.
 */
export default {
  async fetch(request, env, ctx) {
    // What is loaded is not imported again: each import() takes as long as a tenth of a heartbeat.
    if (!app) {
      const { getApp } = await import("./app.ts");
      app = getApp();
    }
    return app.fetch(request, countInvocation(env), ctx);
  },
  async scheduled(controller, env, _ctx) {
    const { runMinute } = await import("./jobs/minute.ts");
    return runMinute(controller, countInvocation(env));
  },
  async queue(batch, env, ctx) {
    const { handleBatch } = await import("./jobs/batches.ts");
    return handleBatch(batch, countInvocation(env), (work) => ctx.waitUntil(work));
  },
} satisfies ExportedHandler<Env>;

function countInvocation(env: Env): Env {
  const metered = meterBindings(env);
  countUnits({ requests: 1 });
  reportUsageWhenDue(metered);
  return metered;
}
