import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { Refusal } from "./command-error.ts";
import type { ServiceInput } from "./compile-service.ts";
import { printLogs } from "./logs.ts";
import { PROGRAM_SUFFIX } from "./paths.ts";
import { type Runtime, startRuntime } from "./runtime.ts";
import type { Address } from "./settings.ts";

/** The Worker in the real Workers runtime. The settings of our environment win over the bindings. */
export async function startService(input: ServiceInput, address: Address, stopping: AbortSignal): Promise<Runtime> {
  const child = spawn(process.execPath, [join(import.meta.dirname, `write-service${PROGRAM_SUFFIX}`)], {
    signal: stopping,
  });
  child.stdin.on("error", () => {}).end(JSON.stringify(input));
  const [[code], reason] = await Promise.all([once(child, "close"), text(child.stderr)]);
  if (code !== 0) throw new Refusal(reason.trim());
  const { stateDir, config } = input;
  const print = printLogs(join(stateDir.build, config.bundleFile));
  return startRuntime({ configFile: stateDir.runtimeConfig, address, print });
}
