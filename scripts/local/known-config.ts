import { readFileSync } from "node:fs";
import type { WorkerConfig } from "./config.ts";
import { IS_PACKAGED, PACKAGED, PROJECT_ROOT } from "./paths.ts";

/** Of wrangler.toml, or what a package was made with. Wrangler takes seconds to load. */
export async function readConfig(): Promise<WorkerConfig> {
  if (!IS_PACKAGED) return (await import("./config.ts")).readWorkerConfig();
  const config: WorkerConfig = JSON.parse(readFileSync(PACKAGED.config, "utf8"));
  const { assets } = config.options;
  return {
    ...config,
    options: {
      ...config.options,
      rootPath: PROJECT_ROOT,
      ...(assets && { assets: { ...assets, directory: PACKAGED.assets } }),
    },
    database: { ...config.database, migrationsDir: PACKAGED.migrations },
  };
}
