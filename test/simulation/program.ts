import { join } from "node:path";
import { Script } from "node:vm";
import { build } from "esbuild";
import type { Program } from "./isolate.ts";

const ROOT = join(import.meta.dirname, "../..");

/** Names of the global scope that the program gets from the simulation instead. */
const REPLACED = [
  "require",
  "Date",
  "Math",
  "AbortSignal",
  "crypto",
  "scheduler",
  "performance",
  "fetch",
  "caches",
  "WebSocketRequestResponsePair",
  "setTimeout",
  "setInterval",
  "clearTimeout",
  "clearInterval",
];

/** A change of one place of the bundled product, to see that a simulation notices what it breaks. */
export interface Mutation {
  from: string;
  to: string;
}

export async function buildProgram(mutation: Mutation | null = null): Promise<Program> {
  return loadProgram(await bundleProgram(mutation));
}

/** One function that makes a copy of the product with every call. */
export async function bundleProgram(mutation: Mutation | null = null): Promise<string> {
  bundled ??= bundleProduct();
  const code = mutation === null ? await bundled : mutate(await bundled, mutation);
  return `(({ ${REPLACED.join(", ")} }) => { const module = { exports: {} };\n${code}\nreturn module.exports; })`;
}

/** Mutations change the text of the bundle, so that all programs come from one. */
let bundled: Promise<string> | undefined;

/** Bundles the product as a deployment does (wrangler.toml, alias). */
async function bundleProduct(): Promise<string> {
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: ["test/simulation/product.ts"],
    bundle: true,
    write: false,
    format: "cjs",
    platform: "neutral",
    mainFields: ["module", "main"],
    external: ["node:*", "cloudflare:*"],
    target: "es2024",
    alias: { zod: "./src/lib/zod.ts" },
    logLevel: "error",
  });
  return outputFiles[0]?.text ?? "";
}

export function loadProgram(bundled: string): Program {
  return new Script(bundled, { filename: "vigil.js" }).runInThisContext() as Program;
}

function mutate(code: string, { from, to }: Mutation): string {
  if (code.split(from).length !== 2) throw new Error(`the product does not have "${from}" in one place`);
  return code.replace(from, () => to);
}
