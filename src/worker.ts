import { createApp } from "./app.ts";
import type { Env } from "./platform/env.ts";

export { MonitorObject } from "./objects/monitor.ts";

const app = createApp();

export default {
  fetch: (request, env, ctx) => app.fetch(request, env, ctx),
} satisfies ExportedHandler<Env>;
