/**
 * `npm run upgrade`: deploys this checkout over a deployment, after saying what that changes; `--check` only says it, with
 * exit status 3 where something would change.
 */
import { parseArgs } from "node:util";
import { deploy } from "./deploy/deployment.ts";
import { readOptions } from "./deploy/options.ts";
import { realDeployment } from "./deploy/real-deployment.ts";
import { planUpgrade, readCheckout } from "./deploy/upgrade.ts";
import { runCommand, withUsage } from "./local/command-error.ts";

const USAGE = "usage: npm run upgrade -- [--check] [--name NAME]";
const CHANGES = 3;

const { check, options } = withUsage(USAGE, () => {
  const { values } = parseArgs({ options: { check: { type: "boolean", default: false }, name: { type: "string" } } });
  return { check: values.check, options: readOptions(values.name === undefined ? [] : ["--name", values.name]) };
});
await runCommand(async () => {
  const deployment = realDeployment(options);
  const checkout = readCheckout();
  const { deployed, changes } = await planUpgrade(deployment, checkout);
  console.log(`${options.name} is ${deployed}, this is ${checkout.version}`);
  for (const line of changes) console.log(line);
  if (!check) await deploy(deployment);
  else if (changes.length > 0) process.exitCode = CHANGES;
});
