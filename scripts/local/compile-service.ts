import { modulesOf } from "./bundle.ts";
import { compileRuntime } from "./compile-runtime.ts";
import type { WorkerConfig } from "./config.ts";
import { CONTROL_WORKER, controlWorker, databaseId } from "./runtime-control.ts";
import type { StateDir } from "./settings.ts";

/**
 * The static assets, beside the Worker. Before it, as they are declared, they would send every request
 * through two more workers, which takes longer than everything that we do with a request ourselves.
 */
const FILES_WORKER = "files";
const HAND_OUT = "export default { fetch: (request, env) => env.ASSETS.fetch(request) };";

export interface ServiceInput {
  config: WorkerConfig;
  stateDir: StateDir;
  /** Settings and secrets; they win over `[vars]` of wrangler.toml. */
  bindings: Record<string, string>;
  controlSecret: string;
  /** Named by a proxy before the service, which writes into it where a request comes from. */
  clientAddressHeader?: string | null;
}

/** What the Workers runtime reads to run the Worker with databases, objects, queues and alarms on this machine. */
export function compileService({
  config,
  stateDir,
  bindings,
  controlSecret,
  clientAddressHeader,
}: ServiceInput): Promise<Buffer> {
  const { assets, ...options } = config.options;
  const workers = [
    {
      ...options,
      queueConsumers: concurrentConsumers(options.queueConsumers),
      name: config.name,
      modules: modulesOf(stateDir.build, config.bundleFile),
      modulesRoot: stateDir.build,
      bindings: { ...options.bindings, ...bindings, SERIAL_QUEUES: "true" },
      serviceBindings: { ...options.serviceBindings, ASSETS: FILES_WORKER },
    },
    { name: FILES_WORKER, assets, modules: true, script: HAND_OUT },
    controlWorker({
      secret: controlSecret,
      clientAddressHeader,
      service: config.name,
      database: databaseId(config),
      history: bindings.DEMONSTRATION ? config.name : undefined,
    }),
  ];
  return compileRuntime({ workers, resourcePersistencePath: stateDir.data }, CONTROL_WORKER);
}

/**
 * A local queue hands over one batch and waits for its end before the next, where the platform runs many at a time. Large
 * batches make up for it: one slow target or receiver holds up what arrives meanwhile once, not each message in turn. The
 * consumer of slow checks, which reads SERIAL_QUEUES, ends its batches before the checks in them.
 */
function concurrentConsumers(consumers: WorkerConfig["options"]["queueConsumers"]) {
  if (consumers === undefined || Array.isArray(consumers)) return consumers;
  return Object.fromEntries(
    Object.entries(consumers).map(([queue, options]) => [queue, { ...options, maxBatchSize: 100 }]),
  );
}
