/**
 * `npm run restore`: a service from a backup. Nothing is touched before the whole backup was read and found to be what
 * was put in, and no data is ever written over. --check restores it into a folder that it removes again.
 */

import { remoteOf } from "./backup/deployments.ts";
import { checkBackup, restoreLocal } from "./backup/local.ts";
import { readBackupOptions } from "./backup/options.ts";
import { Refusal, runCommand, withUsage } from "./local/command-error.ts";
import { commandOf } from "./local/paths.ts";
import { stateDirOf } from "./local/settings.ts";

const USAGE = `usage: ${commandOf("restore", "FILE [--passphrase-file FILE] [--replace|--check] [--remote [--deployment NAME]]")}`;

const options = withUsage(USAGE, () => {
  const read = readBackupOptions(process.argv.slice(2), process.env);
  if (read.file === undefined) throw new Error("which file?");
  return { ...read, file: read.file };
});
await runCommand(async () => {
  const { file, passphrase, deployment, replace, check } = options;
  if (check) {
    const { made_at, databases } = checkBackup(file, passphrase);
    console.log(`${file} can be restored: the state of ${made_at} in ${databases} whole databases`);
    return;
  }
  if (deployment === undefined) {
    const restored = restoreLocal(stateDirOf(process.env), file, { passphrase, replace });
    if (restored.replaced) console.log(`what was there before is in ${restored.replaced}`);
    console.log(`restored the state of ${restored.made_at}: ${commandOf("serve")}`);
    return;
  }
  if (replace) throw new Refusal("--replace is for local services: restore to another --deployment");
  const { restoreRemote } = await import("./backup/remote.ts");
  const made_at = await restoreRemote(await remoteOf(deployment), file, passphrase);
  console.log(`restored the database of ${made_at}; its objects follow with npm run deploy -- --name ${deployment}`);
});
