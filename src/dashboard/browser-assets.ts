import { z } from "zod";
import type { Env } from "../platform/env.ts";
import { language } from "./words.ts";

/** Addresses of what scripts/dashboard.ts bundled; they contain the hash of the content. */
const Addresses = z.object({
  script: z.string(),
  style: z.string(),
  sign_in_script: z.string(),
  wall_script: z.string(),
  move_script: z.string(),
  service_worker: z.string(),
});
export type BrowserAssets = z.infer<typeof Addresses>;
/** By language: scripts hold their texts. */
const Manifest = z.object({ en: Addresses }).catchall(Addresses);

/** Of this isolate's version of the service, which never changes while it runs. */
let known: z.infer<typeof Manifest> | undefined;

/** In the language of the request. */
export async function loadBrowserAssets({ ASSETS }: Pick<Env, "ASSETS">): Promise<BrowserAssets> {
  known ??= await readManifest(ASSETS);
  return known[language()] ?? known.en;
}

async function readManifest(ASSETS: Env["ASSETS"]): Promise<z.infer<typeof Manifest>> {
  const response = await ASSETS.fetch("https://assets.invalid/dashboard.json");
  if (!response.ok) throw new Error("the static asset dashboard.json is missing; scripts/setup.sh builds it");
  return Manifest.parse(await response.json());
}

/** One bundled file, or undefined where there is none of that name. */
export async function findBrowserAsset({ ASSETS }: Pick<Env, "ASSETS">, file: string): Promise<Response | undefined> {
  if (!/^[a-z]+-[0-9a-f]{16}\.(js|css)$/.test(file)) return undefined;
  const response = await ASSETS.fetch(`https://assets.invalid/assets/dashboard/${file}`);
  if (response.ok) return response;
  await response.body?.cancel();
  return undefined;
}
