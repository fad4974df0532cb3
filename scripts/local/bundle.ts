import { execFile } from "node:child_process";
import { readdirSync, rmSync } from "node:fs";
import { extname, join } from "node:path";
import { promisify } from "node:util";
import { Refusal } from "./command-error.ts";
import { PROJECT_ROOT, WRANGLER } from "./paths.ts";

/** What wrangler makes of files that are no code; it does not tell which type it gave them. */
const MODULE_TYPES: Record<string, "ESModule" | "Text" | "Data" | "CompiledWasm"> = {
  ".js": "ESModule",
  ".mjs": "ESModule",
  ".txt": "Text",
  ".html": "Text",
  ".sql": "Text",
  ".bin": "Data",
  ".wasm": "CompiledWasm",
};

/** Bundles the Worker exactly as a deployment would, into a directory of its own. Needs neither account nor network. */
export async function bundleWorker(dir: string, stopping: AbortSignal): Promise<void> {
  rmSync(dir, { recursive: true, force: true });
  const quiet = { WRANGLER_SEND_METRICS: "false", WRANGLER_WRITE_LOGS: "false", WRANGLER_HIDE_BANNER: "true", CI: "1" };
  const args = [WRANGLER, "deploy", "--dry-run", "--outdir", dir];
  const options = { cwd: PROJECT_ROOT, env: { ...process.env, ...quiet }, signal: stopping };
  try {
    await promisify(execFile)(process.execPath, args, options);
  } catch (error) {
    const output = error instanceof Error && "stderr" in error ? `\n${error.stderr}` : "";
    throw new Refusal(`the Worker could not be bundled${output}`);
  }
}

/** The modules of a bundle, the main one first, as the runtime wants them. */
export function modulesOf(dir: string, bundleFile: string) {
  const others = readdirSync(dir).filter((file) => file !== bundleFile);
  return [bundleFile, ...others].flatMap((file) => {
    const type = MODULE_TYPES[extname(file)];
    return type === undefined ? [] : [{ type, path: join(dir, file) }];
  });
}
