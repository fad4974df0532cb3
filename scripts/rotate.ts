/**
 * `npm run rotate`: adds a key to the root secret of the local service, or with --deployment of a deployment, which signs
 * and encrypts from the next start on; --drop removes an earlier one.
 */
import { parseArgs } from "node:util";
import { Refusal, runCommand, withUsage } from "./local/command-error.ts";
import { commandOf } from "./local/paths.ts";
import { addRootKey, dropRootKey } from "./local/root-keys.ts";
import { loadSecrets, saveSecrets } from "./local/secrets.ts";
import { createStateDir, stateDirOf } from "./local/settings.ts";

const USAGE = `usage: ${commandOf("rotate", "[--drop KEY] [--deployment NAME]")}`;

interface SecretsFile {
  path: string;
  read(): Record<string, string>;
  write(secrets: Record<string, string>): void;
  /** What brings the change to the service. */
  next: string;
}

const options = withUsage(USAGE, () => {
  const text = { type: "string" } as const;
  const { values } = parseArgs({ options: { drop: text, deployment: text } });
  const drop = values.drop === undefined ? undefined : Number(values.drop);
  if (drop !== undefined && !Number.isInteger(drop)) throw new Error("--drop takes the number of a key");
  return { drop, deployment: values.deployment };
});

await runCommand(async () => {
  const { drop, deployment } = options;
  if (process.env.ROOT_SECRET !== undefined) {
    throw new Refusal("ROOT_SECRET is set in the environment: change it there, see docs/operate.md");
  }
  const file = deployment === undefined ? localFile() : await fileOfDeployment(deployment);
  const secrets = file.read();
  if (secrets.ROOT_SECRET === undefined) throw new Refusal(`${file.path} has no ROOT_SECRET`);
  if (drop !== undefined) {
    file.write({ ...secrets, ROOT_SECRET: dropRootKey(secrets.ROOT_SECRET, drop) });
    console.log(`key ${drop} is removed from ${file.path}: ${file.next}`);
    return;
  }
  const { rootSecret, id } = addRootKey(secrets.ROOT_SECRET);
  file.write({ ...secrets, ROOT_SECRET: rootSecret });
  console.log(`key ${id} is added to ${file.path}: ${file.next}, and make a new backup`);
});

function localFile(): SecretsFile {
  const stateDir = stateDirOf(process.env);
  createStateDir(stateDir);
  return {
    path: stateDir.secrets,
    read: () => loadSecrets(stateDir),
    write: (secrets) => saveSecrets(stateDir, secrets),
    next: "restart the service",
  };
}

async function fileOfDeployment(name: string): Promise<SecretsFile> {
  const { DEPLOYMENTS_DIR, deploymentFiles } = await import("./deploy/record.ts");
  const files = deploymentFiles(DEPLOYMENTS_DIR, name);
  return {
    path: files.secrets,
    read: files.readSecrets,
    write: files.writeSecrets,
    next: `run npm run deploy -- --at-once --name ${name}`,
  };
}
