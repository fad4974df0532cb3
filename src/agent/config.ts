import { chmodSync, existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { readJsonFile, writePrivateFile } from "./files.ts";

/** What an enrolled agent knows about itself. The file holds its credential, so only its owner may read it. */
const AgentConfig = z.object({
  /** Address of the service, without a slash at the end. */
  url: z.string(),
  agent_id: z.string(),
  agent_token: z.string(),
  name: z.string(),
  /** Whether the agent installs newer versions of its program automatically. */
  auto_update: z.boolean().default(true),
  /** PEM of an Ed25519 key; where it is set, a program without its signature is not installed. */
  update_public_key: z.string().nullish(),
});
export type AgentConfig = z.infer<typeof AgentConfig>;

/** Everything that the agent writes is below its directory. */
export function pathsOf(dir: string) {
  return {
    config: join(dir, "config.json"),
    assignments: join(dir, "assignments.json"),
    buffer: join(dir, "results.jsonl"),
    status: join(dir, "status.json"),
  };
}

/** Undefined where the directory holds no agent yet. Repairs a mode that lets others read the credential. */
export function readConfig(dir: string): AgentConfig | undefined {
  const path = pathsOf(dir).config;
  if (!existsSync(path)) return undefined;
  if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600);
  const parsed = AgentConfig.safeParse(readJsonFile(path));
  if (!parsed.success) throw new Error(`${path} is not valid; enrol this agent again`);
  return parsed.data;
}

export function writeConfig(dir: string, config: AgentConfig): void {
  writePrivateFile(pathsOf(dir).config, `${JSON.stringify(config, null, 2)}\n`);
}

/** Reads the address that a person typed; plain HTTP would show the credential to everybody on the way. */
export function parseServiceUrl(text: string): { ok: true; value: string } | { ok: false; reason: string } {
  if (!URL.canParse(text)) return { ok: false, reason: "must be an address such as https://status.example.com" };
  const url = new URL(text);
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isLoopback(url.hostname))) {
    return { ok: false, reason: "must start with https:// (http:// is for this host alone)" };
  }
  return { ok: true, value: `${url.origin}${url.pathname.replace(/\/+$/, "")}` };
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "[::1]" || /^127\./.test(host);
}
