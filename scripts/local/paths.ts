import { join, resolve } from "node:path";

export const PROJECT_ROOT = resolve(import.meta.dirname, "../..");
export const WRANGLER = join(PROJECT_ROOT, "node_modules/wrangler/bin/wrangler.js");
export const CONFIG_FILE = join(PROJECT_ROOT, "wrangler.toml");
