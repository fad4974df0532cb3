import { DurableObject } from "cloudflare:workers";
import { createApp } from "./app.ts";
import type { Env } from "./platform/env.ts";

export class MonitorObject extends DurableObject {}

const app = createApp();

export default {
  fetch: (request, env, ctx) => app.fetch(request, env, ctx),
} satisfies ExportedHandler<Env>;
