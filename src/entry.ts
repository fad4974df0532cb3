import type { App } from "./app.ts";
import { isPublicAddress } from "./domain/page-address.ts";
import { answerPlainHeartbeat } from "./features/plain-heartbeats/routes.ts";
import { lowerCaseUuids } from "./lib/uuid-case.ts";
import type { Env } from "./platform/env.ts";
import { settingsOf } from "./platform/settings.ts";
import { countUnits, meterBindings, reportUsageOnFreePlan, reportUsageWhenDue } from "./platform/usage.ts";

export { AgentObject } from "./durable-objects/agent.ts";
export { LimiterObject } from "./durable-objects/limiter.ts";
export { MeterObject } from "./durable-objects/meter.ts";
export { MonitorObject } from "./durable-objects/monitor.ts";
export { PageObject } from "./durable-objects/page.ts";
export { ProberObject } from "./durable-objects/prober.ts";
export { WitnessObject } from "./durable-objects/witness.ts";

let app: App | undefined;
let publicApp: App | undefined;

/**
 * The routes, those of public pages alone, the batches and the minute are modules of their own, evaluated when the first
 * of them comes: a start reads what the objects and plain heartbeats need. An isolate that only has those, or queues,
 * never mounts a route.
 */
export default {
  fetch(request, env, ctx) {
    const metered = countInvocation(env);
    return answerPlainHeartbeat(request, metered, ctx) ?? answerByRoutes(withLowerCaseIds(request), metered, ctx);
  },
  async scheduled(controller, env, _ctx) {
    const { runMinute } = await import("./jobs/minute.ts");
    const metered = countInvocation(env);
    await runMinute(controller, metered);
    return reportUsageOnFreePlan(metered);
  },
  async queue(batch, env, ctx) {
    const { handleBatch } = await import("./jobs/batches.ts");
    const metered = countInvocation(env);
    await handleBatch(batch, metered, (work) => ctx.waitUntil(work));
    return reportUsageOnFreePlan(metered);
  },
} satisfies ExportedHandler<Env>;

/** Ids are looked up as they are stored, and clients may write them otherwise. */
function withLowerCaseIds(request: Request): Request {
  const url = lowerCaseUuids(request.url);
  return url === request.url ? request : new Request(url, request);
}

async function answerByRoutes(request: Request, env: Env, ctx: ExecutionContext): Promise<Response> {
  // An isolate that has all routes has those of public pages among them.
  if (!app && isPublicAddress(request.url, settingsOf(env).PUBLIC_URL)) {
    publicApp ??= (await import("./public-app.ts")).getPublicApp();
    return publicApp.fetch(request, env, ctx);
  }
  app ??= (await import("./app.ts")).getApp();
  return app.fetch(request, env, ctx);
}

function countInvocation(env: Env): Env {
  const metered = meterBindings(env);
  countUnits({ requests: 1 });
  reportUsageWhenDue(metered);
  return metered;
}
