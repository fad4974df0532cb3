import { parseSuffixes, type Suffixes } from "../lib/public-suffixes.ts";
import type { Env } from "./env.ts";

let loaded: Promise<Suffixes> | undefined;

/** All public suffixes, those of companies included: too long a list for the Worker, and seldom asked for. */
export function loadPublicSuffixes(env: Pick<Env, "ASSETS">): Promise<Suffixes> {
  loaded ??= readPublicSuffixes(env).catch((error: unknown) => {
    loaded = undefined;
    throw error;
  });
  return loaded;
}

async function readPublicSuffixes({ ASSETS }: Pick<Env, "ASSETS">): Promise<Suffixes> {
  const response = await ASSETS.fetch("https://assets.invalid/public-suffixes.txt");
  if (!response.ok) throw new Error(`the list of public suffixes answers ${response.status}`);
  return parseSuffixes(await response.text());
}
