import { join } from "node:path";
import { convertV4MiniflareOptions, Miniflare, type V4MiniflareOptions } from "miniflare";
import { RuntimeConfig } from "./runtime-config.ts";

const USER = "core:user:";
/** The services of Miniflare that stand between its own process and ours, or between a worker and the network. */
const IN_BETWEEN = /^(core:entry|MINIFLARE_DEV_CONTROL|email:.*|outbound:\d+|cache:.*)$/;

/**
 * What the Workers runtime reads to run these workers. The entry gets all requests; what it asks for itself, like the
 * connections that clients ask it for, comes to the process that starts the runtime.
 */
export async function compileRuntime(options: V4MiniflareOptions, entry: string): Promise<Buffer> {
  const config = new RuntimeConfig(await writtenByMiniflare(options));
  for (const worker of config.services.filter((name) => name.startsWith(USER))) {
    config.setOutbound(worker, worker === USER + entry ? "loopback" : "internet");
    config.removeCache(worker);
  }
  config.setEntry(USER + entry);
  config.removeServices((name) => IN_BETWEEN.test(name) || !config.isUsed(name));
  return config.bytes;
}

async function writtenByMiniflare(options: V4MiniflareOptions): Promise<Buffer> {
  const written = Promise.withResolvers<Buffer>();
  process.env.MINIFLARE_WORKERD_PATH = join(import.meta.dirname, "instead-of-workerd.sh");
  try {
    const runtime = new Miniflare({
      ...convertV4MiniflareOptions({ ...options, cf: false, telemetry: { enabled: false } }),
      handleStructuredLogs: ({ message }) => written.resolve(Buffer.from(message, "base64")),
    });
    await runtime.ready;
    const config = await written.promise;
    await runtime.dispose();
    return config;
  } finally {
    delete process.env.MINIFLARE_WORKERD_PATH;
  }
}
