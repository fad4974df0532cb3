import { execFile } from "node:child_process";
import { createHash, createPublicKey, verify } from "node:crypto";
import { chmodSync, copyFileSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { promisify } from "node:util";
import type { AgentConfig } from "./config.ts";
import type { Uplink } from "./uplink.ts";

const DOWNLOAD_TIMEOUT_MS = 120_000;
const TRIAL_TIMEOUT_MS = 20_000;
const PROGRAM_MAX = 32 * 1024 * 1024;

export interface UpdateParts {
  uplink: Uplink;
  config: Pick<AgentConfig, "update_public_key">;
  /** The file that runs now, and that is replaced. */
  programPath: string;
}

export type Update = { updated: false; version: string } | { updated: true; version: string };

/**
 * Replaces the program by the one that the service offers, if that is another one. Nothing is replaced unless the
 * checksum matches, the signature does where a key is pinned, and the new program starts on this host.
 */
export async function installUpdate({ uplink, config, programPath }: UpdateParts): Promise<Update> {
  const { version, sha256, url } = await uplink.latestProgram();
  if (sha256 === sha256Of(readFileSync(programPath))) return { updated: false, version };
  // The address may be any: the checksum came from the service.
  const program = await download(url);
  if (sha256Of(program) !== sha256) throw new Error("the checksum of the downloaded program does not match");
  if (config.update_public_key) await requireSignature(url, program, config.update_public_key);
  // By its name Node knows that it is a module.
  const candidate = `${programPath}.new.mjs`;
  writeFileSync(candidate, program, { mode: 0o700 });
  try {
    await promisify(execFile)(process.execPath, [candidate, "version"], { timeout: TRIAL_TIMEOUT_MS });
  } catch (error) {
    rmSync(candidate, { force: true });
    throw new Error("the new program does not start on this host", { cause: error });
  }
  copyFileSync(programPath, `${programPath}.previous`);
  chmodSync(candidate, 0o755);
  renameSync(candidate, programPath);
  return { updated: true, version };
}

async function requireSignature(url: string, program: Uint8Array, publicKey: string): Promise<void> {
  const signature = await download(`${url}.sig`).catch(() => null);
  if (!signature) throw new Error("the program is not signed, and this agent installs signed programs only");
  const bytes = Buffer.from(new TextDecoder().decode(signature).trim(), "base64");
  if (!verify(null, program, createPublicKey(publicKey), bytes)) {
    throw new Error("the signature of the downloaded program does not match");
  }
}

async function download(url: string): Promise<Uint8Array> {
  const response = await fetch(url, { signal: AbortSignal.timeout(DOWNLOAD_TIMEOUT_MS), redirect: "error" });
  if (!response.ok) throw new Error(`the program could not be downloaded: HTTP ${response.status}`);
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (bytes.length > PROGRAM_MAX) throw new Error("the downloaded program is too large");
  return bytes;
}

function sha256Of(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
