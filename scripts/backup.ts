/**
 * `npm run backup`: everything that a service cannot be made without, in one file: the local one while it runs or not,
 * with --remote the database, the objects and the secrets of a deployment.
 */
import { remoteOf } from "./backup/deployments.ts";
import { backUpLocal } from "./backup/local.ts";
import { readBackupOptions } from "./backup/options.ts";
import { runCommand, withUsage } from "./local/command-error.ts";
import { commandOf } from "./local/paths.ts";
import { createStateDir, stateDirOf } from "./local/settings.ts";

const USAGE = `usage: ${commandOf("backup", "[FILE] [--passphrase-file FILE] [--remote [--deployment NAME]]")}`;

const options = withUsage(USAGE, () => readBackupOptions(process.argv.slice(2), process.env));
await runCommand(async () => {
  const { passphrase, deployment } = options;
  const file = options.file ?? `vigil-${new Date().toISOString().slice(0, 19).replaceAll(":", "-")}.backup`;
  if (deployment === undefined) {
    const stateDir = stateDirOf(process.env);
    createStateDir(stateDir);
    const count = await backUpLocal(stateDir, file, passphrase);
    console.log(`${file}: ${count} databases`);
  } else {
    const { backUpRemote } = await import("./backup/remote.ts");
    const count = await backUpRemote(await remoteOf(deployment), file, passphrase);
    console.log(`${file}: the database and ${count} objects of ${deployment}`);
  }
  if (passphrase === undefined)
    console.log("It is not encrypted and holds the root secret: keep it where nobody else reads.");
});
