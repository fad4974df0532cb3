import { z } from "zod";
import type { Env } from "../../platform/env.ts";

/** The agent program and its installation script, as scripts/agent.ts put them among the static assets. */
const Manifest = z.object({ version: z.string(), sha256: z.string() });

export async function readProgramManifest(env: Pick<Env, "ASSETS">): Promise<z.infer<typeof Manifest>> {
  return Manifest.parse(await (await requireAsset(env, "vigil-agent.json")).json());
}

/** The program is a megabyte, so it is passed on as it comes. */
export async function readProgram(env: Pick<Env, "ASSETS">): Promise<ReadableStream> {
  const { body } = await requireAsset(env, "vigil-agent.mjs");
  if (!body) throw new Error("the agent program is empty");
  return body;
}

/** Null where the operator does not sign the program. */
export async function readProgramSignature(env: Pick<Env, "ASSETS">): Promise<string | null> {
  const response = await fetchAsset(env, "vigil-agent.mjs.sig");
  if (response.ok) return response.text();
  await response.body?.cancel();
  return null;
}

/** The script knows the address of the service that serves it. */
export async function readInstallScript(env: Pick<Env, "ASSETS">, publicUrl: string): Promise<string> {
  const script = await (await requireAsset(env, "vigil-agent-install.txt")).text();
  return script.replace("@VIGIL_URL@", () => publicUrl.replaceAll("'", "%27"));
}

async function requireAsset(env: Pick<Env, "ASSETS">, name: string): Promise<Response> {
  const response = await fetchAsset(env, name);
  if (!response.ok) throw new Error(`the static asset ${name} is missing; scripts/setup.sh builds it`);
  return response;
}

function fetchAsset({ ASSETS }: Pick<Env, "ASSETS">, name: string): Promise<Response> {
  return ASSETS.fetch(`https://assets.invalid/${name}`);
}
