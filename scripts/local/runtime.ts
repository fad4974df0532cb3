import { join } from "node:path";
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from "miniflare";
import { modulesOf } from "./bundle.ts";
import type { WorkerConfig } from "./config.ts";
import { printLogs } from "./logs.ts";
import { controlWorker } from "./runtime-control.ts";
import type { Address, StateDir } from "./settings.ts";

/**
 * The static assets, beside the Worker. Before it, as they are declared, they would send every request
 * through two more workers, which takes longer than everything that we do with a request ourselves.
 */
const FILES_WORKER = "files";
const HAND_OUT = "export default { fetch: (request, env) => env.ASSETS.fetch(request) };";

export interface RuntimeInput {
  config: WorkerConfig;
  stateDir: StateDir;
  address: Address;
  /** Settings and secrets; they win over `[vars]` of wrangler.toml. */
  bindings: Record<string, string>;
}

/** The Worker in the real Workers runtime, with databases, objects, queues and alarms on this machine. */
export function createRuntime({ config, stateDir, address, bindings }: RuntimeInput): Miniflare {
  const { assets, ...options } = config.options;
  return new Miniflare(
    convertV4MiniflareOptions({
      workers: [
        {
          ...options,
          queueConsumers: concurrentConsumers(options.queueConsumers),
          name: config.name,
          modules: modulesOf(stateDir.build, config.bundleFile),
          modulesRoot: stateDir.build,
          bindings: { ...options.bindings, ...bindings },
          serviceBindings: { ...options.serviceBindings, ASSETS: FILES_WORKER },
          // Nothing needs to be done with the headers of requests that leave.
          stripCfConnectingIp: false,
        },
        { name: FILES_WORKER, assets, modules: true, script: HAND_OUT },
        controlWorker(config, config.name),
      ],
      host: address.host,
      port: address.port,
      resourcePersistencePath: stateDir.data,
      resourceTmpPath: stateDir.tmp,
      // No call home, neither for the request's location nor for statistics.
      cf: false,
      telemetry: { enabled: false },
      // Without these two an exception in an alarm, a queue or a cron is silent.
      verbose: true,
      handleStructuredLogs: printLogs(join(stateDir.build, config.bundleFile)),
      log: new Log(LogLevel.WARN),
    }),
  );
}

/**
 * A local queue hands over one batch and waits for its end before the next, where the platform runs many at a time. Large
 * batches make up for it: one slow target or receiver holds up what arrives meanwhile once, not each message in turn.
 */
function concurrentConsumers(consumers: WorkerConfig["options"]["queueConsumers"]) {
  if (consumers === undefined || Array.isArray(consumers)) return consumers;
  return Object.fromEntries(
    Object.entries(consumers).map(([queue, options]) => [queue, { ...options, maxBatchSize: 100 }]),
  );
}
