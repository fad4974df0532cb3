import { existsSync, rmSync } from "node:fs";
import { REGIONS, type Region } from "../../src/contract/monitor-values.ts";
import { REGION_PLACES } from "../../src/contract/regions.ts";
import type { WorkersPlan } from "../../src/contract/workers-plan.ts";
import { FREE_FLEET, FREE_INTERVAL_DEFAULT_S } from "../../src/domain/free-plan.ts";
import { oneLine } from "../../src/lib/one-line.ts";
import { writeObjects } from "../backup/objects.ts";
import { createFirstOwner, issueSignInLink, needsSetUp } from "../local/accounts.ts";
import { Refusal } from "../local/command-error.ts";
import * as account from "./account.ts";
import { formatMonthlyCost } from "./cost.ts";
import { EMPTY_ACCOUNT } from "./empty-account.ts";
import { formatDailyBudget, refuseBeyondFreePlan } from "./free-plan.ts";
import { type DeployOptions, parseRegions } from "./options.ts";
import { listPlacements, refuseForeign, refuseTakenHost } from "./ownership.ts";
import { NotSignedIn, type Platform } from "./platform.ts";
import type { DeploymentFiles, DeploymentRecord } from "./record.ts";
import { checkerName } from "./regions.ts";
import { remoteDatabase } from "./remote-database.ts";
import { goBack, rollOut } from "./rollout.ts";
import { choicesIn, chooseSettings, newRootSecret, refuseBadSettings, varsOf } from "./settings.ts";
import { checkService, type SmokeTest, waitForAnswer, waitForTick } from "./smoke-test.ts";
import { buildCheckerConfig, buildWorkerConfig, type ConfigInput, queueNames, type Release } from "./worker-config.ts";
import { fallbackOrigin, getZoneId, setUpZone } from "./zone.ts";

export interface Deployment {
  options: DeployOptions;
  platform: Platform;
  files: DeploymentFiles;
  release: Release;
  env: NodeJS.ProcessEnv;
  /** An address that the deployed service shall check. */
  target: string;
  print(line: string): void;
}

/** What the account holds before a deployment, and what shall be. */
interface Situation {
  account_id: string;
  record: DeploymentRecord;
  database_id: string | undefined;
  namespace_id: string | undefined;
  missingQueues: string[];
  url: string;
  /** Where it answered before this run. */
  formerUrl: string | undefined;
  /** The version of the Worker that served before this run, once another one does. */
  formerVersion?: string | undefined;
  /** Those with a checker. */
  regions: Region[];
  /** Chosen regions near which Cloudflare places no Worker. */
  unplaced: Region[];
  /** Checker Workers that are there. */
  checkers: string[];
  hasRootSecret: boolean;
  secrets: Record<string, string>;
  vars: Record<string, string>;
}

/** One step of the plan; a step that is done already has no place in it. */
interface Step {
  title: string;
  run(): Promise<void>;
}

/**
 * From an account to a running service. Every step finds out by itself what is there, so a run that broke off is repeated
 * as it was; migrations come before the code that needs them.
 */
export async function deploy(deployment: Deployment): Promise<void> {
  const { options, print } = deployment;
  if (options.dryRun) return await printPlan(deployment);
  const situation = await findSituation(deployment);
  const steps = planSteps(deployment, situation);
  for (const line of describeUnplaced(situation)) print(line);
  for (const { title, run } of steps) {
    print(title);
    await run();
  }
  print(`ready ${situation.url}`);
}

/** Before anybody has signed in, the plan is that for an empty account. */
async function printPlan(deployment: Deployment): Promise<void> {
  const { options, print } = deployment;
  const situation = await findSituation(deployment).catch((error: unknown) => {
    if (!(error instanceof NotSignedIn)) throw error;
    print("Not signed in to Cloudflare, so this is the plan for an account that has nothing of it yet.");
    return findSituation({ ...deployment, platform: EMPTY_ACCOUNT });
  });
  print(`Deployment ${options.name} to ${situation.url} would:`);
  for (const { title } of planSteps(deployment, situation)) print(`  ${title}`);
  for (const line of describeUnplaced(situation)) print(`  ${line}`);
  print(`Permissions of its API token: ${permissionsFor(situation).join(", ")}`);
  print(formatCost(options, situation.record.plan ?? "paid"));
}

/** What is not named is a fleet that suits the plan. */
function formatCost({ monitors, interval }: DeployOptions, plan: WorkersPlan): string {
  if (plan === "paid") return formatMonthlyCost({ monitors: monitors ?? 100, interval: interval ?? 60 });
  return formatDailyBudget({
    monitors: monitors ?? FREE_FLEET.monitors,
    interval: interval ?? FREE_INTERVAL_DEFAULT_S,
  });
}

function describeUnplaced({ unplaced }: Situation): string[] {
  return unplaced.map((region) => {
    return `leave the region ${region} out: Cloudflare places no Worker near ${REGION_PLACES[region].placement}`;
  });
}

function permissionsFor({ record }: Situation): string[] {
  const account = ["D1 (edit)", "Workers KV Storage (edit)", "Queues (edit)", "Workers Scripts (edit)"];
  const zone = ["DNS (edit)", "Workers Routes (edit)", "SSL and Certificates (edit)"];
  return [
    ...account,
    "Account Settings (read)",
    "Account Analytics (read, to watch a new version)",
    ...(record.zone ? zone : []),
  ];
}

async function findSituation({ options, platform, files, release, env }: Deployment): Promise<Situation> {
  const { account_id, ...kept } = await findKept({ options, platform, files, env });
  const record = { ...kept, ...withoutUndefined({ domain: options.domain, zone: options.zone, owner: options.owner }) };
  const { name } = options;
  const plan = options.plan ?? kept.plan ?? "paid";
  const chosenRegions = options.regions ?? regionsIn(env) ?? kept.regions ?? [...REGIONS];
  const wanted = plan === "free" ? regionsOnFreePlan(options) : chosenRegions;
  const placements = await listPlacements(platform, account_id);
  const isPlaced = (region: Region) => placements?.includes(REGION_PLACES[region].placement) ?? true;
  const regions = wanted.filter(isPlaced);
  const host = record.domain ?? `${name}.${await account.findWorkersDevHost(platform, account_id)}`;
  const zone_id = record.zone && (await getZoneId(platform, record.zone));
  const { chosen, secrets } = chooseSettings(env, kept, files.readSecrets());
  const vars = varsOf(chosen, {
    PUBLIC_URL: `https://${host}`,
    ...(record.zone && zone_id && { CF_ZONE_ID: zone_id, CUSTOM_DOMAIN_TARGET: fallbackOrigin(record.zone) }),
    REGIONS: regions.join(","),
    ...(plan === "free" && { PLAN: plan }),
  });
  refuseBadSettings({ ...vars, ROOT_SECRET: newRootSecret(), ...secrets });
  if (plan === "free") refuseBeyondFreePlan(release.config, { ...vars, ROOT_SECRET: "", ...secrets });
  const queues = new Set((await account.listQueues(platform, account_id)).map(({ queue_name }) => queue_name));
  const checkers = await account.listCheckers(platform, account_id, name);
  const database_id = await account.findDatabaseId(platform, account_id, name);
  const namespace_id = await account.findNamespaceId(platform, account_id, `${name}-pages`);
  await refuseForeign(platform, { name, account_id, record: kept, database_id, namespace_id });
  if (record.domain && !options.takeOver) {
    await refuseTakenHost(platform, { account_id, worker: name, host: record.domain });
  }
  return {
    account_id,
    record: {
      ...record,
      account_id,
      regions: chosenRegions,
      plan: plan === "free" ? plan : undefined,
      settings: chosen,
      ...(zone_id && { zone_id }),
    },
    database_id,
    namespace_id,
    missingQueues: queueNames(release.config, name).filter((queue) => !queues.has(queue)),
    url: `https://${host}`,
    regions,
    unplaced: wanted.filter((region) => !isPlaced(region)),
    formerUrl: kept.url,
    checkers,
    hasRootSecret: (await account.listSecretNames(platform, account_id, name)).includes("ROOT_SECRET"),
    secrets,
    vars,
  };
}

/** Each region would take a message of its own for each round of checks, and the operations of queues are what is scarce. */
function regionsOnFreePlan({ regions }: DeployOptions): Region[] {
  if (regions?.length)
    throw new Refusal("--plan free checks from one place: leave --regions out, or deploy with --plan paid");
  return [];
}

/** Another machine, or each run of a workflow, has no record: the deployed Worker shows what was chosen. */
export async function findKept({
  options,
  platform,
  files,
  env,
}: Pick<Deployment, "options" | "platform" | "files" | "env">): Promise<DeploymentRecord & { account_id: string }> {
  const own = files.readRecord();
  const account_id = own.account_id ?? (await account.findAccountId(platform, env));
  await account.refuseMissingPermissions(platform, account_id, options.name);
  const chosen = own.url ? {} : choicesIn(await account.listVars(platform, account_id, options.name));
  return { ...chosen, ...own, account_id };
}

/** The setting of the Worker names the regions that have a checker, so it chooses them too. */
function regionsIn({ REGIONS: text }: NodeJS.ProcessEnv): Region[] | undefined {
  return text === undefined ? undefined : parseRegions(text);
}

function planSteps(deployment: Deployment, situation: Situation): Step[] {
  const { options, platform, files } = deployment;
  const { account_id, record, missingQueues } = situation;
  const { name, location } = options;
  const steps: Step[] = [];
  const keep = (found: DeploymentRecord) => files.writeRecord(Object.assign(record, found));

  steps.push({ title: `keep its settings in ${files.config}`, run: async () => keep({ url: situation.url }) });
  if (situation.database_id) record.database_id = situation.database_id;
  else {
    const body = { name, ...(location && { primary_location_hint: location }) };
    const run = async () => keep({ database_id: await account.createDatabase(platform, account_id, body) });
    steps.push({ title: `create the database ${name}${location ? ` in ${location}` : ""}`, run });
  }
  if (situation.namespace_id) record.namespace_id = situation.namespace_id;
  else {
    const title = `${name}-pages`;
    const run = async () => keep({ namespace_id: await account.createNamespace(platform, account_id, title) });
    steps.push({ title: `create the namespace ${title}`, run });
  }
  for (const queue of missingQueues) {
    steps.push({ title: `create the queue ${queue}`, run: () => account.createQueue(platform, account_id, queue) });
  }
  steps.push({ title: secretsTitle(situation), run: () => keepSecrets(deployment, situation) });
  steps.push(...codeSteps(deployment, situation), ...openingSteps(deployment, situation));
  steps.push(...clearingSteps(deployment, situation));
  return steps;
}

function secretsTitle({ hasRootSecret, secrets }: Situation): string {
  return hasRootSecret || secrets.ROOT_SECRET ? "keep the root secret" : "make the root secret";
}

/** A new root secret beside old data would make every stored secret unreadable and every push address invalid. */
async function keepSecrets({ platform, files }: Deployment, situation: Situation): Promise<void> {
  const { hasRootSecret, secrets, record } = situation;
  if (!hasRootSecret && !secrets.ROOT_SECRET) {
    const [tables] = await database(
      platform,
      record,
    )([{ sql: "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'users'", params: [] }]);
    if (tables?.length) {
      throw new Refusal(
        `the database holds data sealed under a root secret that neither ${files.secrets} nor the Worker has: run again with it as ROOT_SECRET`,
      );
    }
    secrets.ROOT_SECRET = newRootSecret();
  }
  files.writeSecrets(secrets);
}

/** Migrations, the checkers that the service binds, then the service. */
function codeSteps(deployment: Deployment, situation: Situation): Step[] {
  const { options, platform, files, release } = deployment;
  const { name } = options;
  const input = (): ConfigInput => ({
    name,
    account_id: situation.account_id,
    database_id: required(situation.record.database_id),
    namespace_id: required(situation.record.namespace_id),
    domain: situation.record.domain,
    regions: situation.regions,
    plan: situation.record.plan ?? "paid",
    vars: situation.vars,
  });
  const migrate = async () => {
    files.write(files.config, buildWorkerConfig(release, input()));
    await platform.wrangler(["d1", "migrations", "apply", name, "--remote", "--config", files.config]);
  };
  const deployChecker = (region: Region) => async () => {
    const config = files.checkerConfig(region);
    files.write(config, buildCheckerConfig(release, input(), region));
    try {
      await platform.wrangler(["deploy", "--config", config]);
    } catch (error) {
      // One region must not keep the service from the others.
      if (!(error instanceof Refusal)) throw error;
      if (situation.checkers.includes(checkerName(name, region))) {
        deployment.print(`  stays as it was, run again to deploy it: ${oneLine(error.message)}`);
        return;
      }
      deployment.print(`  left out: ${oneLine(error.message)}`);
      situation.regions = situation.regions.filter((other) => other !== region);
      situation.vars.REGIONS = situation.regions.join(",");
    }
  };
  const deployService = async () => {
    files.write(files.config, buildWorkerConfig(release, input()));
    situation.formerVersion = await rollOut({
      platform,
      account_id: situation.account_id,
      worker: name,
      config: files.config,
      secrets: files.secrets,
      url: situation.formerUrl === situation.url && !options.atOnce ? situation.url : undefined,
      print: deployment.print,
      use: async (tried) => void (await useService(deployment, situation, tried)),
    });
  };
  return [
    { title: "apply the migrations", run: migrate },
    ...situation.regions.map((region) => ({
      title: `deploy ${checkerName(name, region)} near ${REGION_PLACES[region].placement}`,
      run: deployChecker(region),
    })),
    { title: `deploy ${name} with its cron, queues and secrets`, run: deployService },
    ...objectSteps(deployment, situation),
  ];
}

/** The version before may be needed until the new one has worked, and it binds them. */
function clearingSteps({ platform, options }: Deployment, { account_id, checkers, regions }: Situation): Step[] {
  const stale = checkers.filter((worker) => !regions.some((region) => checkerName(options.name, region) === worker));
  return stale.map((worker) => ({
    title: `delete ${worker}`,
    run: async () => void (await platform.api("DELETE", `/accounts/${account_id}/workers/scripts/${worker}`)),
  }));
}

function useService(
  { platform, target }: Deployment,
  { record, url }: Situation,
  way: SmokeTest["platform"],
): Promise<string[]> {
  return checkService({ platform: way, url, execute: database(platform, record), target });
}

/** After a restore: the service has to run, because its objects are reached through it alone. */
function objectSteps({ platform, files, print }: Deployment, { url, secrets }: Situation): Step[] {
  if (!existsSync(files.objects)) return [];
  const run = async () => {
    await waitForAnswer({ platform, url });
    const count = await writeObjects({ platform, url, rootSecret: required(secrets.ROOT_SECRET) }, files.objects);
    rmSync(files.objects);
    print(`  ${count} objects`);
  };
  return [{ title: "bring back the state of its objects", run }];
}

/** What makes the code a service: names that lead to it, somebody who may use it, and the proof that it works. */
function openingSteps(deployment: Deployment, situation: Situation): Step[] {
  const { options, platform, print, files } = deployment;
  const { record, url } = situation;
  const { zone, zone_id, domain } = record;
  const steps: Step[] = [];
  if (zone && zone_id) {
    const run = () => setUpZone(platform, { zone, zone_id, worker: options.name, domain });
    steps.push({ title: `lead the domains of status pages over ${zone} to the Worker`, run });
  }
  const createOwner = async () => {
    record.owner ??= await findOwnEmail(platform);
    const execute = database(platform, record);
    const token = await createFirstOwner(execute, record.owner);
    if (token) print(`  API token of ${record.owner}, shown only this once: ${token}`);
    files.writeRecord(record);
    if (!(await needsSetUp(execute, record.owner))) return;
    const link = await issueSignInLink(execute, { email: record.owner });
    print(`  Open this link to choose the password; it works once, within an hour:`);
    print(`  ${url}/app/sign-in/link?token=${link}`);
  };
  const test = async () => {
    try {
      for (const line of await useService(deployment, situation, platform)) print(`  ${line}`);
    } catch (error) {
      const { formerVersion } = situation;
      if (formerVersion === undefined) throw error;
      await goBack({ platform, config: files.config }, formerVersion, error);
      throw new Refusal(`the version before serves again, because with the new one ${oneLine(String(error))}`);
    }
  };
  const tick = async () => print(`  ${await waitForTick({ platform, url })}`);
  steps.push({ title: "create the owner where nobody has an account", run: createOwner });
  steps.push({ title: `use the service at ${url} as its first user would`, run: test });
  steps.push({ title: "wait for its first minute", run: tick });
  return steps;
}

async function findOwnEmail(platform: Platform): Promise<string> {
  try {
    const { email } = (await platform.api("GET", "/user")) as { email?: string };
    if (email) return email.toLowerCase();
  } catch {
    // A token of the account alone belongs to nobody.
  }
  throw new Refusal("whose service is it? Run again with --owner you@your.example");
}

function database(platform: Platform, { account_id, database_id }: DeploymentRecord) {
  return remoteDatabase(platform, { account_id: required(account_id), database_id: required(database_id) });
}

function required<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error("a step ran before the one that it needs");
  return value;
}

function withoutUndefined(fields: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Record<
    string,
    string
  >;
}
