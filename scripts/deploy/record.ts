import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Region } from "../../src/contract/monitor-values.ts";
import type { WorkersPlan } from "../../src/contract/workers-plan.ts";
import { Refusal } from "../local/command-error.ts";
import { PROJECT_ROOT } from "../local/paths.ts";
import { holdsKeysOf } from "../local/root-keys.ts";

/** Git ignores it. */
export const DEPLOYMENTS_DIR = join(PROJECT_ROOT, ".deploy");

/** What is known of one deployment between two runs. Everything but the secrets can be found on the account again. */
export interface DeploymentRecord {
  account_id?: string;
  database_id?: string;
  namespace_id?: string;
  zone_id?: string;
  url?: string;
  owner?: string | undefined;
  domain?: string | undefined;
  zone?: string | undefined;
  regions?: Region[] | undefined;
  /** Of Cloudflare; absent for Workers Paid. */
  plan?: WorkersPlan | undefined;
  /** When the backup was made whose import began and is not known to have ended. */
  restoring?: string | undefined;
  /** Settings of the Worker that are no secrets. */
  settings?: Record<string, string>;
}

/** The untracked files of one deployment. */
export interface DeploymentFiles {
  config: string;
  secrets: string;
  /** The state of objects that a restore brought and the next deployment writes; removed then. */
  objects: string;
  keepObjects(file: string): void;
  checkerConfig(region: Region): string;
  readRecord(): DeploymentRecord;
  writeRecord(record: DeploymentRecord): void;
  readSecrets(): Record<string, string>;
  writeSecrets(secrets: Record<string, string>): void;
  /** Keeps the secrets of a file beside those that are known already; fails when they lack a root key of the file. */
  adoptSecrets(file: string): void;
  write(file: string, content: object): void;
  remove(): void;
}

/** Under `dir`, readable by its owner alone. */
export function deploymentFiles(dir: string, name: string): DeploymentFiles {
  const path = join(dir, name);
  const record = join(path, "deployment.json");
  const secrets = join(path, "secrets.json");
  const objects = join(path, "objects.jsonl");
  const read = (file: string) => (existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {});
  const write = (file: string, content: object) => {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    // A crash leaves the old file or the new one, never half of it.
    writeFileSync(`${file}.new`, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600, flush: true });
    renameSync(`${file}.new`, file);
  };
  const adoptSecrets = (file: string) => {
    const [ours, theirs] = [read(secrets), read(file)];
    if (ours.ROOT_SECRET && !holdsKeysOf(ours.ROOT_SECRET, theirs.ROOT_SECRET)) {
      throw new Refusal(`${secrets} holds another root secret: restore to another --deployment`);
    }
    write(secrets, { ...theirs, ...ours });
  };
  return {
    adoptSecrets,
    config: join(path, "wrangler.json"),
    secrets,
    objects,
    keepObjects(file) {
      mkdirSync(path, { recursive: true, mode: 0o700 });
      copyFileSync(file, `${objects}.new`);
      renameSync(`${objects}.new`, objects);
    },
    checkerConfig: (region) => join(path, `checker-${region}.json`),
    readRecord: () => read(record),
    writeRecord: (content) => write(record, content),
    readSecrets: () => read(secrets),
    writeSecrets: (content) => write(secrets, content),
    write,
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}
