import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { Refusal } from "../local/command-error.ts";

export interface BackupOptions {
  file: string | undefined;
  passphrase: string | undefined;
  /** Name of the deployment; undefined for the service of this machine. */
  deployment: string | undefined;
  replace: boolean;
  /** Only tries whether it can be restored. */
  check: boolean;
}

/** Arguments of `backup` and `restore`. A passphrase never stands on a command line, where every process reads it. */
export function readBackupOptions(args: string[], env: NodeJS.ProcessEnv): BackupOptions {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      remote: { type: "boolean", default: false },
      deployment: { type: "string", default: "vigil" },
      "passphrase-file": { type: "string" },
      replace: { type: "boolean", default: false },
      check: { type: "boolean", default: false },
    },
  });
  if (positionals.length > 1) throw new Error(`one file, not ${positionals.length}`);
  return {
    file: positionals[0],
    passphrase: passphraseOf(values["passphrase-file"], env),
    deployment: values.remote ? values.deployment : undefined,
    replace: values.replace,
    check: values.check,
  };
}

function passphraseOf(file: string | undefined, env: NodeJS.ProcessEnv): string | undefined {
  const passphrase = file === undefined ? env.BACKUP_PASSPHRASE || undefined : readPassphrase(file);
  if (passphrase === undefined) return undefined;
  if (passphrase.length < 12) throw new Refusal("the passphrase must have at least 12 characters");
  return passphrase;
}

function readPassphrase(file: string): string {
  try {
    return readFileSync(file, "utf8").replace(/\r?\n$/, "");
  } catch (error) {
    throw new Refusal(`the passphrase cannot be read: ${error instanceof Error ? error.message : error}`);
  }
}
