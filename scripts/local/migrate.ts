/**
 * Reads wrangler.toml, brings the local database to the present schema and releases what a killed service had claimed;
 * prints the configuration as JSON. A process of its own, because wrangler stays in the memory of the process that loads it:
 * `npm start` runs it and waits for its end.
 */

import { RELEASE_ABANDONED } from "../../src/data/outbox/abandoned.ts";
import { runCommand } from "./command-error.ts";
import { guardRuntimes } from "./guard.ts";
import { readConfig } from "./known-config.ts";
import { applyMigrations } from "./migrations.ts";
import { openDatabase } from "./open-database.ts";
import { stateDirOf } from "./settings.ts";

// The pipe ends when the holder of the lock dies; from then on somebody else may write to the database.
process.stdin.on("end", () => process.exit(1)).resume();
process.once("SIGTERM", () => process.exit(1));
guardRuntimes();
await runCommand(async () => {
  const config = await readConfig();
  await using database = await openDatabase(stateDirOf(process.env), config);
  await applyMigrations(database.execute, config.database.migrationsDir);
  await database.execute(RELEASE_ABANDONED.map((sql) => ({ sql, params: [] })));
  process.stdout.write(JSON.stringify(config));
});
process.stdin.destroy();
