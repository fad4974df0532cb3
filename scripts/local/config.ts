import { basename, extname, join } from "node:path";
import type { V4WorkerOptions } from "miniflare";
import { unstable_getMiniflareWorkerOptions, unstable_readConfig } from "wrangler";
import { Refusal } from "./command-error.ts";
import { CONFIG_FILE, PROJECT_ROOT } from "./paths.ts";

const EVERY_MINUTE = "* * * * *";

export type WorkerConfig = ReturnType<typeof readWorkerConfig>;

/** What wrangler.toml says: the one place that names bindings, queues, objects and the database. */
export function readWorkerConfig() {
  const config = unstable_readConfig({ config: CONFIG_FILE });
  const [database, ...otherDatabases] = config.d1_databases;
  if (!database?.database_name || otherDatabases.length > 0) throw new Error("wrangler.toml must name one D1 database");
  if (config.triggers.crons?.join() !== EVERY_MINUTE) throw new Refusal(`npm start knows one cron: ${EVERY_MINUTE}`);
  const main = basename(config.main ?? "worker.ts");
  return {
    name: config.name ?? "worker",
    cron: EVERY_MINUTE,
    bundleFile: `${basename(main, extname(main))}.js`,
    options: runtimeOptions(),
    database: {
      binding: database.binding,
      name: database.database_name,
      migrationsDir: join(PROJECT_ROOT, database.migrations_dir ?? "migrations"),
    },
  };
}

type KnownOption = "assets" | "bindings" | "d1Databases" | "queueConsumers" | "rootPath" | "serviceBindings";

/** Wrangler's type has lost the names of the options; these are read here, the others only passed on. */
function runtimeOptions(): Pick<V4WorkerOptions, KnownOption> {
  // The runtime gets a finished bundle, so rules for finding modules have nothing left to do; it refuses them.
  const { modulesRules: _, ...options } = unstable_getMiniflareWorkerOptions(CONFIG_FILE).workerOptions;
  return options;
}
