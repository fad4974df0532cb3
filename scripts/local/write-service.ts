/**
 * Writes what the Workers runtime reads to run the service that stdin describes. A process of its own, because Miniflare
 * and the schema of the settings stay in the memory of the process that loads them.
 */
import { writeFileSync } from "node:fs";
import { json } from "node:stream/consumers";
import { SETTING_NAMES, settingsOf } from "../../src/platform/settings.ts";
import { Refusal, runCommand } from "./command-error.ts";
import { compileService, type ServiceInput } from "./compile-service.ts";

/** The operator's settings that the environment names. An empty value is a value. */
function settingsIn(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    SETTING_NAMES.flatMap((name) => {
      const value = env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

function refuseBadSettings(bindings: object): void {
  try {
    settingsOf(bindings);
  } catch (error) {
    throw new Refusal(error instanceof Error ? error.message : String(error));
  }
}

await runCommand(async () => {
  const input = (await json(process.stdin)) as ServiceInput;
  const bindings = { ...input.bindings, ...settingsIn(process.env) };
  refuseBadSettings({ ...input.config.options.bindings, ...bindings });
  writeFileSync(input.stateDir.runtimeConfig, await compileService({ ...input, bindings }), { mode: 0o600 });
});
