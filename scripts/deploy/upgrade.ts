import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { REGIONS } from "../../src/contract/monitor-values.ts";
import { SETTING_NAMES } from "../../src/platform/settings.ts";
import { Refusal } from "../local/command-error.ts";
import { PROJECT_ROOT } from "../local/paths.ts";
import * as account from "./account.ts";
import type { Deployment } from "./deployment.ts";
import { checkerName } from "./regions.ts";
import { remoteDatabase } from "./remote-database.ts";
import { queueNames } from "./worker-config.ts";

/** What this checkout is. */
export interface Checkout {
  version: string;
  migrations: readonly string[];
  changelog: string;
}

export function readCheckout(): Checkout {
  const read = (file: string) => readFileSync(join(PROJECT_ROOT, file), "utf8");
  return {
    version: JSON.parse(read("package.json")).version,
    migrations: readdirSync(join(PROJECT_ROOT, "migrations"))
      .filter((file) => file.endsWith(".sql"))
      .sort(),
    changelog: read("CHANGELOG.md"),
  };
}

export interface UpgradePlan {
  deployed: string;
  /** What would change, one a line; empty where nothing but the code can differ. */
  changes: string[];
}

/** What deploying this checkout would change of a deployment, read from the deployment itself. Changes nothing. */
export async function planUpgrade(deployment: Deployment, checkout: Checkout): Promise<UpgradePlan> {
  const { options, platform, files, release } = deployment;
  const { account_id, database_id, url, settings = {}, plan, regions = REGIONS } = files.readRecord();
  if (!account_id || !database_id || !url) {
    throw new Refusal(`no deployment ${options.name} is known here: npm run deploy`);
  }
  const response = await platform.fetch(`${url}/health`);
  const { version: deployed = "of unknown version" } = (await response.json()) as { version?: string };
  const [rows] = await remoteDatabase(platform, { account_id, database_id })([
    { sql: "SELECT name FROM d1_migrations ORDER BY id", params: [] },
  ]);
  const applied = (rows ?? []).map(({ name }) => String(name));
  const unknown = applied.filter((name) => !checkout.migrations.includes(name));
  if (unknown.length > 0) {
    throw new Refusal(`the deployment is of a newer release, which has ${unknown.join(", ")}: check that release out`);
  }
  const queues = new Set((await account.listQueues(platform, account_id)).map(({ queue_name }) => queue_name));
  const workers = await account.listCheckers(platform, account_id, options.name);
  const checkers = (plan === "free" ? [] : regions).map((region) => checkerName(options.name, region));
  return {
    deployed,
    changes: [
      ...(deployed === checkout.version ? [] : [`version: ${deployed} -> ${checkout.version}`]),
      ...checkout.migrations.filter((name) => !applied.includes(name)).map((name) => `migration to apply: ${name}`),
      ...queueNames(release.config, options.name)
        .filter((queue) => !queues.has(queue))
        .map((queue) => `queue to create: ${queue}`),
      ...checkers.filter((checker) => !workers.includes(checker)).map((checker) => `checker to deploy: ${checker}`),
      ...Object.keys(settings)
        .filter((name) => !SETTING_NAMES.includes(name))
        .map((name) => `setting that this release does not know: ${name}`),
      ...changesSince(checkout.changelog, deployed),
    ],
  };
}

/** The entries of the changelog above the deployed version. */
export function changesSince(changelog: string, deployed: string): string[] {
  const sections = changelog.split(/^## /m).slice(1);
  const known = sections.findIndex((section) => section.startsWith(`[${deployed}]`));
  const newer = known === -1 ? sections : sections.slice(0, known);
  return newer.flatMap((section) => {
    const [title = "", ...lines] = section.trimEnd().split("\n");
    const entries = lines.filter((line) => line.trim() !== "");
    return entries.length === 0 ? [] : [`changelog ${title}`, ...entries.map((line) => `  ${line}`)];
  });
}
