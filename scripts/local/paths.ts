import { extname, join, resolve } from "node:path";

export const PROJECT_ROOT = resolve(import.meta.dirname, "../..");
export const WRANGLER = join(PROJECT_ROOT, "node_modules/wrangler/bin/wrangler.js");
export const CONFIG_FILE = join(PROJECT_ROOT, "wrangler.toml");

/** The suffix of the programs that run: that of a checkout, or of a package (scripts/package.ts). */
export const PROGRAM_SUFFIX = extname(import.meta.filename);
/** A package holds what a checkout makes before it starts, and neither sources nor wrangler. */
export const IS_PACKAGED = PROGRAM_SUFFIX === ".js";
export const PACKAGED = {
  service: join(PROJECT_ROOT, "service"),
  config: join(PROJECT_ROOT, "service/config.json"),
  assets: join(PROJECT_ROOT, "assets"),
  migrations: join(PROJECT_ROOT, "migrations"),
};

/** What people type for a command, here and in messages to them. */
export function commandOf(name: string, args = ""): string {
  if (IS_PACKAGED) return `vigil ${name} ${args}`.trimEnd();
  return (name === "serve" ? "npm start" : `npm run --silent ${name}`) + (args && ` -- ${args}`);
}
