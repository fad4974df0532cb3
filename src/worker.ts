import { DurableObject } from "cloudflare:workers";

export class MonitorObject extends DurableObject {}

export default {
  fetch: () => Response.json({ status: "ok" }),
} satisfies ExportedHandler;
