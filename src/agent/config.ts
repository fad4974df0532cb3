import { chmodSync, existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { MONITOR_TYPES, type MonitorType } from "../contract/monitor-values.ts";
import { isLoopbackUrl } from "../lib/loopback.ts";
import { readJsonFile, writePrivateFile } from "./files.ts";
import { parseNetwork, type ReachSettings } from "./reach.ts";

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
  /** What monitors may make it reach, as reach.ts has it. */
  allow: z.array(z.string().refine(isNetwork, "must be networks such as 10.0.0.0/8")).nullable().default(null),
  types: z.array(z.enum(MONITOR_TYPES)).nullable().default(null),
  read_only: z.boolean().default(false),
});

function isNetwork(text: string): boolean {
  try {
    return parseNetwork(text).prefix >= 0;
  } catch {
    return false;
  }
}

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
  if (!parsed.success) {
    const member = parsed.error.issues[0]?.path[0];
    const hint =
      member === undefined ? "enrol this agent again" : `correct ${String(member)}, or enrol this agent again`;
    throw new Error(`${path} is not valid; ${hint}`);
  }
  return parsed.data;
}

export function writeConfig(dir: string, config: AgentConfig): void {
  writePrivateFile(pathsOf(dir).config, `${JSON.stringify(config, null, 2)}\n`);
}

/** Reads the address that a person typed; plain HTTP would show the credential to everybody on the way. */
export function parseServiceUrl(text: string): { ok: true; value: string } | { ok: false; reason: string } {
  if (!URL.canParse(text)) return { ok: false, reason: "must be an address such as https://status.example.com" };
  const url = new URL(text);
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isLoopbackUrl(url.href))) {
    return { ok: false, reason: "must start with https:// (http:// is for this host alone)" };
  }
  return { ok: true, value: `${url.origin}${url.pathname.replace(/\/+$/, "")}` };
}

/** What the host allows, as its options say; what they leave out stays as it was before a new enrolment. */
export function reachFrom(
  given: { allow?: string[]; types?: string; "read-only"?: boolean },
  dir: string,
): ReachSettings {
  const { allow, types } = given;
  const before = readConfigIfValid(dir);
  for (const network of allow ?? []) parseNetwork(network);
  return {
    allow: allow ?? before?.allow ?? null,
    types: types === undefined ? (before?.types ?? null) : types.split(",").map((type) => parseType(type.trim())),
    read_only: given["read-only"] ?? before?.read_only ?? false,
  };
}

/** A broken file is what a new enrolment repairs. */
function readConfigIfValid(dir: string): AgentConfig | undefined {
  try {
    return readConfig(dir);
  } catch {
    return undefined;
  }
}

function parseType(text: string): MonitorType {
  const type = MONITOR_TYPES.find((each) => each === text);
  if (type === undefined) throw new Error(`--types ${text} is no type of monitors`);
  return type;
}
