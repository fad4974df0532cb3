import { join } from "node:path";
import { experimental_readRawConfig } from "wrangler";
import { z } from "zod";
import type { Region } from "../../src/contract/monitor-values.ts";
import { REGION_PLACES } from "../../src/contract/regions.ts";
import type { WorkersPlan } from "../../src/contract/workers-plan.ts";
import { CONFIG_FILE, PROJECT_ROOT } from "../local/paths.ts";
import { checkerName } from "./regions.ts";

/** What a deployment changes of wrangler.toml; everything else passes through. */
const BaseConfig = z.looseObject({
  main: z.string(),
  build: z.looseObject({}).optional(),
  compatibility_date: z.string(),
  compatibility_flags: z.array(z.string()),
  alias: z.record(z.string(), z.string()),
  vars: z.record(z.string(), z.unknown()).default({}),
  d1_databases: z.tuple([z.looseObject({ migrations_dir: z.string() })]),
  kv_namespaces: z.tuple([z.looseObject({})]),
  queues: z.object({
    producers: z.array(z.looseObject({ queue: z.string() })),
    consumers: z.array(z.looseObject({ queue: z.string(), dead_letter_queue: z.string().optional() })),
  }),
  ratelimits: z.array(z.looseObject({ namespace_id: z.string().regex(/^\d+$/) })),
  assets: z.looseObject({ directory: z.string() }),
  limits: z.looseObject({}).optional(),
});
export type BaseConfig = z.infer<typeof BaseConfig>;

/** The code that is deployed. */
export interface Release {
  config: BaseConfig;
  root: string;
  /** Entry point of the checker Workers. */
  checkerEntry: string;
}

export function readRelease(): Release {
  const config = BaseConfig.parse(experimental_readRawConfig({ config: CONFIG_FILE }).rawConfig);
  return { config, root: PROJECT_ROOT, checkerEntry: join(PROJECT_ROOT, "src/checker.ts") };
}

export interface ConfigInput {
  name: string;
  account_id: string;
  database_id: string;
  namespace_id: string;
  domain: string | undefined;
  regions: readonly Region[];
  /** Of Cloudflare. */
  plan: WorkersPlan;
  vars: Record<string, string>;
}

/** Queues belong to the account, so those of a deployment carry its name; the Worker knows them by what follows it. */
export function queueName(deployment: string, queue: string): string {
  return `${deployment}-${queue}`;
}

/** The names of all queues of a deployment, dead-letter queues included. */
export function queueNames({ queues }: BaseConfig, deployment: string): string[] {
  const consumed = queues.consumers.flatMap(({ queue, dead_letter_queue }) => [queue, dead_letter_queue ?? queue]);
  const all = new Set([...queues.producers.map(({ queue }) => queue), ...consumed]);
  return [...all].sort().map((queue) => queueName(deployment, queue));
}

/** The configuration of the service's Worker. Its file lies elsewhere, so paths become absolute. */
export function buildWorkerConfig({ config, root }: Release, input: ConfigInput): object {
  const { name, regions, domain } = input;
  const [namespace] = config.kv_namespaces;
  return {
    ...config,
    // Cloudflare refuses a Worker with limits of its own on the free plan.
    limits: input.plan === "free" ? undefined : config.limits,
    name,
    account_id: input.account_id,
    main: join(root, config.main),
    // A release from before the Worker was split has no such step.
    ...(config.build && { build: { ...config.build, cwd: root } }),
    alias: Object.fromEntries(Object.entries(config.alias).map(([from, to]) => [from, join(root, to)])),
    assets: { ...config.assets, directory: join(root, config.assets.directory) },
    vars: { ...config.vars, ...input.vars },
    d1_databases: describeDatabase({ config, root }, input),
    kv_namespaces: [{ ...namespace, id: input.namespace_id }],
    queues: {
      producers: config.queues.producers.map((entry) => ({ ...entry, queue: queueName(name, entry.queue) })),
      consumers: config.queues.consumers.map(({ dead_letter_queue, ...entry }) => ({
        ...entry,
        queue: queueName(name, entry.queue),
        ...(dead_letter_queue && { dead_letter_queue: queueName(name, dead_letter_queue) }),
      })),
    },
    ratelimits: config.ratelimits.map((entry) => ({ ...entry, namespace_id: limiterId(name, entry.namespace_id) })),
    services: regions.map((region) => ({ binding: REGION_PLACES[region].binding, service: checkerName(name, region) })),
    ...(domain ? { workers_dev: false, routes: [{ pattern: domain, custom_domain: true }] } : { workers_dev: true }),
  };
}

/** As much of it as an import into the database needs, before anything else of the deployment is there. */
export function buildDatabaseConfig(
  release: Pick<Release, "config" | "root">,
  input: Pick<ConfigInput, "name" | "account_id" | "database_id">,
): object {
  const { compatibility_date } = release.config;
  const { name, account_id } = input;
  return { name, account_id, compatibility_date, d1_databases: describeDatabase(release, input) };
}

function describeDatabase(
  { config, root }: Pick<Release, "config" | "root">,
  { name, database_id }: Pick<ConfigInput, "name" | "database_id">,
): object[] {
  const [database] = config.d1_databases;
  const migrations_dir = join(root, database.migrations_dir);
  return [{ ...database, database_name: name, database_id, migrations_dir }];
}

/** Counters of rate limits belong to the account too; two deployments must not share one. */
function limiterId(name: string, id: string): string {
  let hash = 0;
  for (const letter of name) hash = (hash * 31 + letter.charCodeAt(0)) % 100_000;
  return `${hash + 1}${id.padStart(4, "0")}`;
}

/** A checker Worker: the probes alone, pinned near a cloud region, reached by the service and nobody else. */
export function buildCheckerConfig({ config, root, checkerEntry }: Release, input: ConfigInput, region: Region) {
  return {
    name: checkerName(input.name, region),
    account_id: input.account_id,
    main: checkerEntry,
    compatibility_date: config.compatibility_date,
    compatibility_flags: config.compatibility_flags,
    alias: Object.fromEntries(Object.entries(config.alias).map(([from, to]) => [from, join(root, to)])),
    minify: true,
    keep_names: false,
    placement: { region: REGION_PLACES[region].placement },
    vars: input.vars,
    workers_dev: false,
    observability: config.observability,
  };
}
