import { appendFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { restoredEpoch } from "../../src/domain/epoch.ts";
import * as account from "../deploy/account.ts";
import type { Platform } from "../deploy/platform.ts";
import type { DeploymentFiles } from "../deploy/record.ts";
import { remoteDatabase } from "../deploy/remote-database.ts";
import { buildDatabaseConfig, type Release } from "../deploy/worker-config.ts";
import { Refusal } from "../local/command-error.ts";
import { createArchive, openArchive } from "./archive.ts";
import { readObjects } from "./objects.ts";
import { refuseNewerRelease } from "./releases.ts";
import { dumpDatabase } from "./remote-dump.ts";

/** Apart, because in a dump of both a row can come before the table that it refers to. */
const DUMPS = { schema: "schema.sql", rows: "rows.sql" };
/** Releases without the table had no epochs. */
const HAS_INSTALLATION = /CREATE TABLE[^(]*\binstallation\b/;
const SECRETS = "secrets.json";
const OBJECTS = "objects.jsonl";

interface Remote {
  name: string;
  platform: Platform;
  files: DeploymentFiles;
  release: Release;
  env: NodeJS.ProcessEnv;
  /** For files that live as long as the command. */
  tmpDir: string;
}

/**
 * Reads the state of a deployment's objects, its database, and the secrets that this machine knows of it, while the service
 * goes on. Objects come before the database, as in a local backup; gives their number.
 */
export async function backUpRemote(remote: Remote, file: string, passphrase: string | undefined): Promise<number> {
  const { name, platform, files } = remote;
  const { account_id, database_id, url } = files.readRecord();
  if (!account_id || !database_id || !url) throw new Refusal(`no deployment ${name} is known here: npm run deploy`);
  const execute = remoteDatabase(platform, { account_id, database_id });
  const [rows] = await execute([{ sql: "SELECT name FROM d1_migrations ORDER BY id", params: [] }]);
  const migrations = (rows ?? []).map((row) => String(row.name));
  const secrets = files.readSecrets();
  if (!secrets.ROOT_SECRET) throw new Refusal(`${files.secrets} has no ROOT_SECRET: without it no backup can be used`);
  const dir = mkdtempSync(join(remote.tmpDir, "backup-"));
  const manifest = { kind: "remote" as const, made_at: new Date().toISOString(), migrations, was_running: true };
  const archive = createArchive(file, manifest, passphrase);
  try {
    archive.add(SECRETS, files.secrets);
    const objects = join(dir, OBJECTS);
    const count = await readObjects({ platform, url, rootSecret: secrets.ROOT_SECRET }, execute, objects);
    archive.add(OBJECTS, objects);
    await dumpDatabase(execute, { schema: join(dir, DUMPS.schema), rows: join(dir, DUMPS.rows) });
    for (const dump of Object.values(DUMPS)) archive.add(dump, join(dir, dump));
    archive.finish();
    return count;
  } catch (error) {
    archive.discard();
    throw error;
  } finally {
    rmSync(dir, { recursive: true });
  }
}

/**
 * Fills the empty database of a new deployment and keeps the secrets and the state of objects for it; `npm run deploy` makes
 * a service of them. A database that holds data is never written to.
 */
export async function restoreRemote(remote: Remote, file: string, passphrase: string | undefined): Promise<string> {
  const { name, platform, files, env, release } = remote;
  const dir = mkdtempSync(join(remote.tmpDir, "restore-"));
  try {
    const archive = openArchive(file, passphrase);
    if (archive.manifest.kind !== "remote")
      throw new Refusal(`${file} is of a local service: restore it without --remote`);
    refuseNewerRelease(archive.manifest);
    for (const { path } of archive.files) archive.extract(path, join(dir, path));
    const record = files.readRecord();
    const account_id = record.account_id ?? (await account.findAccountId(platform, env));
    const database_id =
      (await account.findDatabaseId(platform, account_id, name)) ??
      (await account.createDatabase(platform, account_id, { name }));
    const [tables] = await remoteDatabase(platform, { account_id, database_id })([
      { sql: "SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'd1_migrations'", params: [] },
    ]);
    const { made_at } = archive.manifest;
    // An import is one transaction: what is there of one that lost its answer is all of it.
    if (tables?.length && record.restoring === made_at) return made_at;
    if (tables?.length) throw new Refusal(`the database ${name} holds data already: restore to another --deployment`);
    files.adoptSecrets(join(dir, SECRETS));
    // A backup of an older release has none.
    if (archive.files.some(({ path }) => path === OBJECTS)) files.keepObjects(join(dir, OBJECTS));
    files.writeRecord({ ...record, account_id, database_id, restoring: made_at });
    files.write(files.config, buildDatabaseConfig(release, { name, account_id, database_id }));
    const dump = join(dir, "database.sql");
    for (const part of Object.values(DUMPS)) appendFileSync(dump, readFileSync(join(dir, part)), { mode: 0o600 });
    // The service that was exported went on and sent what was pending; the new one ends it.
    if (HAS_INSTALLATION.test(readFileSync(join(dir, "schema.sql"), "utf8"))) {
      appendFileSync(dump, `\nUPDATE installation SET epoch = '${restoredEpoch(Date.now())}';\n`);
    }
    await platform.wrangler(["d1", "execute", name, "--remote", "--config", files.config, "--file", dump, "--yes"]);
    files.writeRecord({ ...record, account_id, database_id });
    return made_at;
  } finally {
    rmSync(dir, { recursive: true });
  }
}
