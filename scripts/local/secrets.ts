import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import type { StateDir } from "./settings.ts";

/** Secrets that a local service makes for itself; a deployment gets them by `wrangler secret put`. */
const GENERATED = ["ROOT_SECRET"];

/** Reads the secrets of this state directory and makes the missing ones. */
export function loadSecrets({ secrets: file }: StateDir): Record<string, string> {
  const secrets: Record<string, string> = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
  const missing = GENERATED.filter((name) => secrets[name] === undefined);
  if (missing.length === 0) return secrets;
  for (const name of missing) secrets[name] = randomBytes(32).toString("base64url");
  saveSecrets({ secrets: file }, secrets);
  return secrets;
}

/** A new file that is renamed: a crash leaves the old secrets or the new ones, never half of them. */
export function saveSecrets({ secrets: file }: Pick<StateDir, "secrets">, secrets: Record<string, string>): void {
  writeFileSync(`${file}.new`, JSON.stringify(secrets, null, 2), { mode: 0o600, flush: true });
  renameSync(`${file}.new`, file);
}
