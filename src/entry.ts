import type { App } from "./app.ts";
import { answerPlainHeartbeat } from "./features/plain-heartbeats/routes.ts";
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
 * what the objects and plain heartbeats need. An isolate that only has those, or queues, never mounts a route.
 */
export default {
  async fetch(request, env, ctx) {
    const metered = countInvocation(env);
    const heartbeat = answerPlainHeartbeat(request, metered, ctx);
    if (heartbeat) return heartbeat;
    app ??= (await import("./app.ts")).getApp();
    return app.fetch(request, metered, ctx);
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
