import { existsSync, readdirSync, readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { type ListPage, type Platform, PlatformError } from "../../scripts/deploy/platform.ts";
import { Refusal } from "../../scripts/local/command-error.ts";
import type { Row, Statement } from "../../scripts/local/database.ts";
import { REGION_PLACES } from "../../src/contract/regions.ts";
import { digestOfBody, OPERATOR_HEADER, readOperatorClaim } from "../../src/platform/operator-signature.ts";
import { WORKER_VERSION_HEADER } from "../../src/platform/worker-version.ts";
import { findMistake, findOperation } from "./cloudflare-api.ts";

/**
 * A Cloudflare account that refuses what the real one refuses: names that are taken, ids that do not exist, Workers that
 * are bound to what is not there. It records every change in order, and fails at the one that the test names.
 */

type Body = Record<string, unknown>;
export type WorkerConfig = {
  name: string;
  account_id: string;
  main: string;
  vars: Record<string, string>;
  routes?: { pattern: string; custom_domain: boolean }[];
  workers_dev: boolean;
  d1_databases?: { database_id: string; database_name: string; migrations_dir: string }[];
  kv_namespaces?: { id: string }[];
  durable_objects?: { bindings: { name: string; class_name: string }[] };
  queues?: { producers: { queue: string }[]; consumers: { queue: string; dead_letter_queue?: string }[] };
  services?: { binding: string; service: string }[];
  placement?: { region: string };
  limits?: object;
};
/** What an upload is like in use. */
interface Conduct {
  /** Whether requests get an answer. */
  isAnswering: boolean;
  /** Whether monitors can be made with it. */
  isUsable: boolean;
  /** Which part of its invocations fails. */
  failureShare: number;
}
interface Version extends Conduct {
  config: WorkerConfig;
  secrets: Map<string, string>;
  /** Of the requests. */
  percentage: number;
}
interface Worker {
  /** Those of the version that serves most; triggers are of the Worker itself. */
  config: WorkerConfig;
  secrets: Map<string, string>;
  versions: Map<string, Version>;
}
interface Zone {
  id: string;
  routes: { id: string; pattern: string; script?: string }[];
  records: { id: string; name: string; type: string; content: string }[];
  origin: string | null;
}

/** Of a running service, for tests that use the deployment. */
interface Origin {
  url: string;
  execute(statements: Statement[]): Promise<Row[][]>;
}

/** https://developers.cloudflare.com/d1/platform/limits/ */
const STATEMENT_BYTES_MAX = 100_000;
const ACCOUNT = "0123456789abcdef0123456789abcdef";
const SUBDOMAIN = "somebody";

export class FakeCloudflare implements Platform {
  readonly changes: string[] = [];
  readonly databases = new Map<string, { uuid: string; database: DatabaseSync }>();
  readonly namespaces = new Map<string, string>();
  readonly queues = new Map<string, string>();
  readonly workers = new Map<string, Worker>();
  readonly zones = new Map<string, Zone>();
  /** Keys of namespaces, by id. */
  readonly keys = new Map<string, string[]>();
  /** Cloud regions near which Workers can be placed; null where the API does not list them. */
  placements: string[] | null = Object.values(REGION_PLACES).map(({ placement }) => placement);
  /** What public DNS answers of any name. */
  resolved: string[] = [];
  /** Whether the login may read the records of zones. */
  mayReadRecords = true;
  /** Parts of the API that the login has no permission for. */
  readonly forbidden = new Set<string>();
  /** Whether cron triggers fire. */
  isTicking = true;
  /** Of what is uploaded from now on. */
  conduct: Conduct = { isAnswering: true, isUsable: true, failureShare: 0 };
  mayReadAnalytics = true;
  /** Workers that cannot be uploaded. */
  readonly refused = new Set<string>();
  /** Whether an upload brings a new kind of object. */
  hasNewObjects = false;
  /** On the free one the account refuses what only Workers Paid has. */
  plan: "paid" | "free" = "paid";
  accounts = [{ id: ACCOUNT, name: "Somebody" }];
  user: { email: string } | null = { email: "Somebody@Mail.example" };
  /** The number of the change that fails, and whether it takes effect all the same. */
  failure: { at: number; isDone: boolean } | null = null;
  /** The state of the objects of Workers, by Worker, kind and name. */
  readonly objects = new Map<string, unknown>();
  readonly #nonces = new Set<string>();
  #origin: Origin | undefined;
  #ids = 0;
  #deafFor = 0;

  constructor(origin?: Origin) {
    this.#origin = origin;
  }

  addZone(name: string): Zone {
    const zone = { id: this.#newId(), routes: [], records: [], origin: null };
    this.zones.set(name, zone);
    return zone;
  }

  async sleep(): Promise<void> {}

  async wrangler(args: readonly string[]): Promise<string> {
    const option = (name: string) => {
      const index = args.indexOf(name);
      return index === -1 ? undefined : args[index + 1];
    };
    const file = option("--config");
    if (!file || !existsSync(file)) throw new Error(`wrangler: no configuration file ${file}`);
    const config = JSON.parse(readFileSync(file, "utf8")) as WorkerConfig;
    if (config.account_id !== ACCOUNT) throw new Error("wrangler: Authentication error (10000)");
    if (config.kv_namespaces?.some(({ id }) => !id))
      throw new Error('wrangler: "kv_namespaces" should have a string "id"');
    const command = args.slice(0, args[0] === "d1" ? 4 : args[1]?.startsWith("--") ? 1 : 2).join(" ");
    if (command === "deploy" || command === "versions upload") {
      if (!existsSync(config.main)) throw new Error(`wrangler: no entry point ${config.main}`);
      const secretsFile = option("--secrets-file");
      const secrets = secretsFile ? JSON.parse(readFileSync(secretsFile, "utf8")) : {};
      if (command === "deploy") this.deployWorker(config, secrets);
      else return `Uploaded ${config.name}\nWorker Version ID: ${this.uploadVersion(config, secrets)}\n`;
    } else if (command === "versions deploy") {
      const shares = args.slice(2, args.indexOf("--yes")).map((each) => /^(\S+)@(\d+)%$/.exec(each) ?? []);
      this.serveVersions(config.name, Object.fromEntries(shares.map(([, id, share]) => [id, Number(share)])));
    } else if (command === "triggers deploy") {
      this.#change(`set triggers of ${config.name}`, () => this.#putTriggers(config));
    } else if (command === `d1 migrations apply ${config.name}` && args.includes("--remote")) {
      this.#change(`migrate ${config.name}`, () => this.#migrate(config));
    } else if (command === `d1 execute ${config.name} --remote`) {
      const sql = readFileSync(required(option("--file")), "utf8");
      this.importSql(required(config.d1_databases?.[0]?.database_id), sql);
    } else throw new Error(`wrangler: unknown command ${args.join(" ")}`);
    return "";
  }

  /** One version with failures among those that serve makes all of the Worker's invocations fail that often. */
  async analytics(query: string, variables: Record<string, unknown>): Promise<unknown> {
    if (!query.includes("workersInvocationsAdaptive")) throw new Error("the API of analytics knows nothing of it");
    if (!this.mayReadAnalytics) return undefined;
    const versions = [...(this.workers.get(String(variables.worker))?.versions.values() ?? [])];
    const errors = versions.reduce((sum, { percentage, failureShare }) => sum + percentage * failureShare, 0);
    return { viewer: { accounts: [{ workersInvocationsAdaptive: [{ sum: { requests: 100, errors } }] }] } };
  }

  async api(method: "GET" | "POST" | "PUT" | "DELETE", path: string, body?: Body): Promise<unknown> {
    requireDocumented(method, path, body);
    const answer = await this.answer(method, path, body ?? {});
    return answer instanceof Listed ? answer.entries : answer;
  }

  async list(path: string): Promise<ListPage> {
    requireDocumented("GET", path, undefined);
    const answer = await this.answer("GET", path, {});
    if (answer instanceof Listed) return answer;
    if (!Array.isArray(answer)) throw new Error(`${path} is no list`);
    return { entries: answer };
  }

  /** The result, which is Listed where the API says of its pages. */
  async answer(method: string, path: string, body: Body): Promise<unknown> {
    const url = new URL(path, "https://api.invalid");
    const parts = url.pathname.split("/").slice(1);
    if (parts[0] === "accounts" && parts.length === 1) return paged(this.accounts, url.searchParams, 50);
    if (parts[0] === "user") return this.user ?? refuse(403, 9109, "Unauthorized to access requested resource");
    if (parts[0] === "zones") return this.#zoneApi(method, parts.slice(1), url.searchParams, body);
    if (parts[0] !== "accounts" || parts[1] !== ACCOUNT) return refuse(403, 10000, "Authentication error");
    const [collection = "", ...rest] = parts.slice(2);
    if (this.forbidden.has(collection)) return refuse(403, 10000, "Authentication error");
    if (collection === "d1") return this.#databaseApi(method, rest.slice(1), url.searchParams, body);
    if (collection === "storage") return this.#namespaceApi(method, rest.slice(2), url.searchParams, body);
    if (collection === "queues") return this.#queueApi(method, rest, url.searchParams, body);
    if (collection === "workers") return this.#workerApi(method, rest, url.searchParams);
    throw new Error(`the API has no ${method} ${path}`);
  }

  /** A new name takes some time until it answers. */
  async fetch(address: string, init?: RequestInit): Promise<Response> {
    const url = new URL(address);
    const worker = [...this.workers.values()].find(({ config }) =>
      config.workers_dev
        ? url.hostname === `${config.name}.${SUBDOMAIN}.workers.dev`
        : config.routes?.some(({ pattern }) => pattern === url.hostname),
    );
    if (url.hostname === "cloudflare-dns.com")
      return Response.json({ Answer: this.resolved.map((data) => ({ data })) });
    if (!worker || this.#deafFor-- > 0) throw new TypeError("fetch failed");
    const [version, conduct] = versionFor(worker, new Headers(init?.headers));
    if (!worker.secrets.has("ROOT_SECRET") || !conduct.isAnswering) {
      return new Response("internal error", { status: 500 });
    }
    if (this.#origin) return fetch(this.#origin.url + url.pathname, init);
    if (url.pathname.startsWith("/operator/")) return this.#answerOperator(worker, url.pathname, init);
    if (url.pathname === "/health") {
      const health = { scheduler: { last_tick_age_s: this.isTicking ? 3 : null } };
      return Response.json(health, { headers: { [WORKER_VERSION_HEADER]: version } });
    }
    if (!conduct.isUsable) return Response.json({ error: "internal error" }, { status: 500 });
    return answerAsService(url.pathname, init);
  }

  /** The pages of objects, to requests that are signed as the Worker's secret demands, each once. */
  #answerOperator({ secrets, config }: Worker, path: string, init?: RequestInit): Response {
    const header = new Headers(init?.headers).get(OPERATOR_HEADER);
    const request = { method: init?.method ?? "GET", path, header, now: Date.now() };
    const claim = readOperatorClaim(secrets.get("ROOT_SECRET") ?? "", request);
    const body = String(init?.body);
    if (claim === null || claim.digest !== digestOfBody(body) || this.#nonces.has(claim.nonce)) {
      return new Response("not found", { status: 404 });
    }
    this.#nonces.add(claim.nonce);
    const { kind, name, page } = JSON.parse(body);
    const key = `${config.name} ${kind} ${name}`;
    if (path.endsWith("/write")) this.objects.set(key, page);
    return Response.json({ page: this.objects.get(key) ?? { tables: [], values: [] }, next: null });
  }

  #newId(): string {
    return (++this.#ids).toString(16).padStart(32, "0");
  }

  #change<Result>(title: string, make: () => Result): Result {
    const isFailing = this.failure?.at === this.changes.length;
    if (isFailing && !this.failure?.isDone) {
      this.failure = null;
      throw new PlatformError(`${title}: 503 try again`, { status: 503, codes: [] });
    }
    const result = make();
    this.changes.push(title);
    if (!isFailing) return result;
    this.failure = null;
    throw new PlatformError(`${title}: the connection was lost`, { status: 500, codes: [] });
  }

  /** In one transaction. */
  importSql(uuid: string, sql: string): void {
    const longest = Math.max(...sql.split(";\n").map((statement) => Buffer.byteLength(statement)));
    if (longest > STATEMENT_BYTES_MAX) refuse(400, 7500, `statement too long: SQLITE_TOOBIG (${longest} bytes)`);
    const [name, { database }] = required([...this.databases].find(([, each]) => each.uuid === uuid));
    this.#change(`import into ${name}`, () => database.exec(`BEGIN;${sql}\nCOMMIT`));
  }

  /** Several statements, as wrangler sends a migration. */
  executeSql(uuid: string, sql: string): { results: Row[]; success: true; meta: object }[] {
    const { database } = this.#databaseOf(uuid);
    const answer = (results: Row[]) => [{ results, success: true as const, meta: {} }];
    if (/^\s*SELECT\b/i.test(sql)) return answer(database.prepare(sql).all() as Row[]);
    database.exec(sql);
    return answer([]);
  }

  #databaseOf(uuid: string) {
    const found = [...this.databases.values()].find((database) => database.uuid === uuid);
    return found ?? refuse(404, 7404, `The database ${uuid} could not be found`);
  }

  #boundDatabase({ d1_databases }: WorkerConfig): DatabaseSync {
    return this.#databaseOf(required(d1_databases?.[0]?.database_id)).database;
  }

  #migrate(config: WorkerConfig): void {
    const database = this.#boundDatabase(config);
    const binding = required(config.d1_databases?.[0]);
    database.exec("CREATE TABLE IF NOT EXISTS d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE)");
    for (const name of readdirSync(binding.migrations_dir).sort()) {
      if (!name.endsWith(".sql")) continue;
      if (database.prepare("SELECT 1 FROM d1_migrations WHERE name = ?").get(name)) continue;
      database.exec(readFileSync(`${binding.migrations_dir}/${name}`, "utf8"));
      database.prepare("INSERT INTO d1_migrations (name) VALUES (?)").run(name);
    }
  }

  deployWorker(config: WorkerConfig, secrets: Record<string, string>): void {
    this.#change(`deploy ${config.name}`, () => {
      const id = this.#putVersion(config, secrets);
      this.#serve(config.name, { [id]: 100 });
      this.#putTriggers(config);
    });
  }

  uploadVersion(config: WorkerConfig, secrets: Record<string, string>): string {
    if (!this.workers.has(config.name)) refuse(404, 10007, "This Worker does not exist on your account");
    if (this.hasNewObjects) throw new Refusal("This Worker has a pending Durable Object migration");
    return this.#change(`upload ${config.name}`, () => this.#putVersion(config, secrets));
  }

  serveVersions(name: string, shares: Record<string, number>): void {
    this.#change(`serve ${name} ${Object.values(shares).join(" and ")}%`, () => this.#serve(name, shares));
  }

  /** Sources of the numbers: docs/free-plan.md. */
  #refuseBeyondFreePlan({ name, vars, limits, placement }: WorkerConfig, secrets: Record<string, string>): void {
    const variables = Object.keys({ ...vars, ...secrets }).length;
    if (limits) refuse(400, 100328, "CPU limits are not supported for the Free plan");
    // Not documented as part of the free plan, so that nothing may depend on it there.
    if (placement) refuse(400, 10021, "placement is not known to be part of the Free plan");
    if (variables > 64) refuse(400, 10021, `${variables} variables, the Free plan has 64`);
    if (!this.workers.has(name) && this.workers.size >= 100) refuse(403, 10037, "the Free plan has 100 Workers");
  }

  #serve(name: string, shares: Record<string, number>): void {
    const worker = required(this.workers.get(name));
    const sum = Object.values(shares).reduce((total, share) => total + share, 0);
    if (sum !== 100 || Object.keys(shares).length > 2) refuse(400, 10021, `shares of ${sum}% in all`);
    for (const id of Object.keys(shares)) if (!worker.versions.has(id)) refuse(404, 10021, `no version ${id}`);
    for (const [id, version] of worker.versions) version.percentage = shares[id] ?? 0;
    const [serving] = [...worker.versions.values()].toSorted((a, b) => b.percentage - a.percentage);
    const { config, secrets } = required(serving);
    worker.config = { ...config, ...triggersOf(worker.config) };
    worker.secrets = secrets;
  }

  #putTriggers(config: WorkerConfig): void {
    const worker = required(this.workers.get(config.name));
    worker.config = { ...worker.config, ...triggersOf(config) };
  }

  /** Keeps the secrets that the Worker has, as wrangler asks for. */
  #putVersion(config: WorkerConfig, secrets: Record<string, string>): string {
    if (this.refused.has(config.name)) throw new Refusal(`wrangler deploy failed: ${config.name} is refused`);
    if (this.plan === "free") this.#refuseBeyondFreePlan(config, secrets);
    const region = config.placement?.region;
    const offered =
      this.placements ??
      Object.values(REGION_PLACES)
        .map(({ placement }) => placement)
        .slice(0, 2);
    if (region && !offered.includes(region)) refuse(400, 10021, `no placement region ${region}`);
    for (const { database_id } of config.d1_databases ?? []) this.#databaseOf(database_id);
    for (const { id } of config.kv_namespaces ?? []) {
      if (![...this.namespaces.values()].includes(id)) refuse(400, 10041, `KV namespace '${id}' not found`);
    }
    const { producers = [], consumers = [] } = config.queues ?? {};
    for (const queue of [...producers, ...consumers].map((entry) => entry.queue)) {
      if (!this.queues.has(queue)) throw new Error(`wrangler: Queue "${queue}" does not exist`);
    }
    for (const { dead_letter_queue } of consumers) {
      if (dead_letter_queue && !this.queues.has(dead_letter_queue))
        refuse(400, 100127, `no queue ${dead_letter_queue}`);
    }
    for (const { service } of config.services ?? []) {
      if (!this.workers.has(service)) refuse(400, 10143, `Could not resolve service binding to ${service}`);
    }
    for (const { pattern } of config.routes ?? []) {
      if (![...this.zones.keys()].some((zone) => pattern.endsWith(zone))) refuse(400, 10082, `no zone of ${pattern}`);
    }
    const known = this.workers.get(config.name);
    const all = new Map([...(known?.secrets ?? []), ...Object.entries(secrets)]);
    const id = this.#newId().replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
    const version: Version = { config, secrets: all, percentage: 0, ...this.conduct };
    if (known) known.versions.set(id, version);
    else {
      this.workers.set(config.name, { config, secrets: all, versions: new Map([[id, version]]) });
      this.#deafFor = 3;
    }
    return id;
  }

  #databaseApi(method: string, [uuid, action]: string[], query: URLSearchParams, body: Body): unknown {
    if (method === "GET" && !uuid) {
      const wanted = query.get("name") ?? "";
      const databases = [...this.databases].map(([name, { uuid: id }]) => ({ uuid: id, name }));
      return paged(
        databases.filter(({ name }) => name.includes(wanted)),
        query,
        10_000,
      );
    }
    if (method === "POST" && uuid && action === "query") return this.#query(uuid, body.batch as Statement[]);
    if (method === "POST" && !uuid) {
      const name = String(body.name);
      if (this.plan === "free" && this.databases.size >= 10) return refuse(400, 7406, "the Free plan has 10 databases");
      if (this.databases.has(name)) return refuse(400, 7502, `Database with name '${name}' already exists`);
      return this.#change(`create database ${name}`, () => {
        const created = { uuid: this.#newId(), name };
        this.databases.set(name, { uuid: created.uuid, database: new DatabaseSync(":memory:") });
        return created;
      });
    }
    if (method === "DELETE" && uuid) return this.#delete(this.databases, ({ uuid: id }) => id === uuid, "database");
    throw new Error(`the API has no ${method} on databases`);
  }

  async #query(uuid: string, batch: Statement[]): Promise<{ results: Row[] }[]> {
    const { database } = this.#databaseOf(uuid);
    const run = ({ sql, params }: Statement) => {
      try {
        return { results: database.prepare(sql).all(...params) as Row[] };
      } catch (error) {
        return refuse(400, 7500, String(error));
      }
    };
    const isWriting = batch.some(({ sql }) => !/^\s*(?:select|pragma)\b/i.test(sql));
    const isMigrated = run({ sql: "SELECT 1 FROM sqlite_master WHERE name = 'users'", params: [] }).results.length > 0;
    if (isMigrated && this.#origin) return (await this.#origin.execute(batch)).map((results) => ({ results }));
    return isWriting ? this.#change("write to the database", () => batch.map(run)) : batch.map(run);
  }

  #namespaceApi(method: string, [id]: string[], query: URLSearchParams, body: Body): unknown {
    if (method === "GET" && id) return (this.keys.get(id) ?? []).map((name) => ({ name }));
    if (method === "GET")
      return paged(
        [...this.namespaces].map(([title, found]) => ({ id: found, title })),
        query,
      );
    if (method === "POST") {
      const title = String(body.title);
      if (this.namespaces.has(title)) return refuse(400, 10014, `a namespace with the title ${title} already exists`);
      return this.#change(`create namespace ${title}`, () => {
        const created = { id: this.#newId(), title };
        this.namespaces.set(title, created.id);
        return created;
      });
    }
    return this.#delete(this.namespaces, (found) => found === id, "namespace");
  }

  #queueApi(method: string, [id, part, consumer]: string[], query: URLSearchParams, body: Body): unknown {
    const consumersOf = (queue: string) =>
      [...this.workers.values()].filter(({ config }) =>
        config.queues?.consumers.some((entry) => entry.queue === queue),
      );
    const name = [...this.queues].find(([, found]) => found === id)?.[0];
    if (id && !name) return refuse(404, 11001, "Queue not found");
    if (name && part === "consumers") {
      const consumers = consumersOf(name).map(({ config }) => ({ consumer_id: config.name }));
      if (method === "GET") return consumers;
      return this.#change(`delete consumer ${consumer} of ${name}`, () => {
        for (const { config } of consumersOf(name)) {
          if (config.queues) config.queues.consumers = config.queues.consumers.filter(({ queue }) => queue !== name);
        }
      });
    }
    if (method === "GET") {
      return paged(
        [...this.queues].map(([queue_name, queue_id]) => ({ queue_id, queue_name })),
        query,
      );
    }
    if (method === "POST") {
      const queue = String(body.queue_name);
      if (!/^[a-z0-9][a-z0-9-]{0,62}$/.test(queue)) return refuse(400, 11003, "Queue name is invalid");
      if (this.queues.has(queue)) return refuse(409, 11009, `Queue name '${queue}' is already taken`);
      return this.#change(`create queue ${queue}`, () => {
        this.queues.set(queue, this.#newId());
        return { queue_name: queue, queue_id: this.queues.get(queue) };
      });
    }
    return this.#delete(this.queues, (found) => found === id, "queue");
  }

  #workerApi(method: string, [kind, name, part]: string[], query: URLSearchParams): unknown {
    if (kind === "subdomain") return { subdomain: SUBDOMAIN };
    if (kind === "placement") {
      if (this.placements === null) return refuse(404, 7003, "Could not route to /workers/placement/regions");
      const placed = Map.groupBy(this.placements, (placement) => placement.split(":")[0]);
      const providers = [...placed].map(([id, regions]) => ({
        id,
        regions: regions.map((region) => ({ id: region.split(":")[1] })),
      }));
      return { providers };
    }
    if (kind === "domains") {
      const served = [...this.workers.values()].flatMap(({ config }) =>
        (config.routes ?? []).map(({ pattern }) => ({ hostname: pattern, service: config.name })),
      );
      return served.filter(({ hostname }) => hostname === query.get("hostname"));
    }
    if (kind !== "scripts") throw new Error(`the API has no workers/${kind}`);
    if (!name) return [...this.workers.keys()].map((id) => ({ id }));
    const worker = this.workers.get(name) ?? refuse(404, 10007, "This Worker does not exist on your account");
    if (method === "GET" && part === "deployments") return { deployments: [deploymentOf(worker)] };
    if (method === "GET" && part === "secrets") return [...worker.secrets.keys()].map((secret) => ({ name: secret }));
    if (method === "GET" && part === "settings") {
      const vars = Object.entries(worker.config.vars).map(([variable, text]) => ({
        type: "plain_text",
        name: variable,
        text,
      }));
      const secrets = [...worker.secrets.keys()].map((secret) => ({ type: "secret_text", name: secret }));
      const objects = (worker.config.durable_objects?.bindings ?? []).map((binding) => ({
        type: "durable_object_namespace",
        ...binding,
      }));
      return { bindings: [...vars, ...secrets, ...objects] };
    }
    if (worker.config.queues?.consumers.length) return refuse(400, 10064, "This Worker consumes a queue");
    const isBound = ({ config }: Worker) => config.services?.some(({ service }) => service === name);
    if ([...this.workers.values()].some(isBound)) return refuse(400, 10130, "This Worker is bound by another one");
    return this.#delete(this.workers, ({ config }) => config.name === name, "worker");
  }

  #zoneApi(method: string, [id, ...rest]: string[], query: URLSearchParams, body: Body): unknown {
    if (!id) {
      const zones = [...this.zones].map(([name, zone]) => ({ id: zone.id, name }));
      return paged(
        zones.filter(({ name }) => name === query.get("name")),
        query,
        50,
      );
    }
    const [name, zone] = [...this.zones].find(([, found]) => found.id === id) ?? refuse(404, 7003, "no such zone");
    const kind = rest.slice(0, 2).join("/");
    if (kind === "workers/routes") return this.#routeApi(method, zone, rest[2], body);
    if (kind === "custom_hostnames/fallback_origin") {
      if (method === "GET") return zone.origin ? { origin: zone.origin } : refuse(404, 1551, "no fallback origin");
      if (method === "DELETE") return this.#change("delete fallback origin", () => setOrigin(zone, null));
      const origin = String(body.origin);
      if (!zone.records.some((entry) => entry.name === origin)) return refuse(400, 1415, "origin has no DNS record");
      return this.#change(`set fallback origin ${origin}`, () => setOrigin(zone, origin));
    }
    if (rest[0] !== "dns_records") throw new Error(`the API has no zone ${kind}`);
    if (method === "GET" && !this.mayReadRecords) return refuse(403, 10000, "Authentication error");
    if (method === "GET")
      return paged(
        zone.records.filter((entry) => entry.name === query.get("name")),
        query,
      );
    if (method === "DELETE") {
      return this.#change("delete DNS record", () => void zone.records.splice(0, zone.records.length));
    }
    if (!String(body.name).endsWith(name)) return refuse(400, 9000, "DNS name is outside of the zone");
    return this.#change(`create DNS record ${body.name}`, () => {
      zone.records.push({
        id: this.#newId(),
        name: String(body.name),
        type: String(body.type),
        content: String(body.content),
      });
    });
  }

  #routeApi(method: string, zone: Zone, id: string | undefined, body: Body): unknown {
    if (method === "GET") return zone.routes;
    if (method === "DELETE") {
      const title = `delete route ${zone.routes.find((route) => route.id === id)?.pattern}`;
      return this.#change(
        title,
        () =>
          void zone.routes.splice(
            zone.routes.findIndex((route) => route.id === id),
            1,
          ),
      );
    }
    const { pattern, script } = body as { pattern: string; script?: string };
    if (zone.routes.some((route) => route.pattern === pattern)) return refuse(409, 10020, "route already exists");
    if (script && !this.workers.has(script)) return refuse(404, 10007, `no Worker ${script}`);
    return this.#change(`create route ${pattern} ${script ?? "to no Worker"}`, () => {
      zone.routes.push({ id: this.#newId(), pattern, ...(script && { script }) });
    });
  }

  #delete<Value>(things: Map<string, Value>, isMeant: (value: Value) => boolean | undefined, kind: string): unknown {
    const [name] = [...things].find(([, value]) => isMeant(value)) ?? refuse(404, 404, `no such ${kind}`);
    return this.#change(`delete ${kind} ${name}`, () => void things.delete(name));
  }
}

/** The API overlooks some of what it does not know; a deployment asks for none of it. */
function requireDocumented(method: string, path: string, body: unknown): void {
  const { pathname, searchParams: query } = new URL(path, "https://api.invalid");
  const operation = findOperation(method, pathname);
  const mistake = operation ? findMistake(operation, { query, body }) : "no such operation";
  if (mistake) throw new Error(`${method} ${path}: ${mistake}`);
}

function refuse(status: number, code: number, message: string): never {
  throw new PlatformError(`${status} ${message} (${code})`, { status, codes: [code] });
}

function required<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error("wrangler: an argument or a binding is missing");
  return value;
}

function triggersOf({ workers_dev, routes, queues }: WorkerConfig): Partial<WorkerConfig> {
  return { workers_dev, ...(routes && { routes }), ...(queues && { queues }) };
}

function deploymentOf({ versions }: Worker) {
  const serving = [...versions].map(([version_id, { percentage }]) => ({ version_id, percentage }));
  return { id: "d", versions: serving.filter(({ percentage }) => percentage > 0) };
}

/** Overrides choose among the versions of a deployment; without one most requests go to the version with most of them. */
function versionFor({ config, versions }: Worker, headers: Headers): [id: string, version: Version] {
  const wanted = headers.get("cloudflare-workers-version-overrides");
  const named = [...versions].find(([id]) => wanted === `${config.name}="${id}"`);
  const [most] = [...versions].toSorted(([, a], [, b]) => b.percentage - a.percentage);
  return required(named ?? most);
}

function setOrigin(zone: Zone, origin: string | null): void {
  zone.origin = origin;
}

/** What the API answers with `result_info`. */
export class Listed {
  readonly entries: unknown[];
  readonly info: NonNullable<ListPage["info"]>;

  constructor(entries: unknown[], info: NonNullable<ListPage["info"]>) {
    this.entries = entries;
    this.info = info;
  }
}

function paged(entries: readonly unknown[], query: URLSearchParams, max = 100): Listed {
  const per_page = Number(query.get("per_page") ?? 20);
  if (!(per_page >= 1 && per_page <= max)) return refuse(400, 9015, `per_page must be between 1 and ${max}`);
  const page = Number(query.get("page") ?? 1);
  const from = (page - 1) * per_page;
  const total_pages = Math.max(1, Math.ceil(entries.length / per_page));
  return new Listed(entries.slice(from, from + per_page), { total_count: entries.length, total_pages, per_page });
}

/** As much of the service as a deployment uses of it; one test has the real one instead. */
function answerAsService(path: string, init?: RequestInit): Response {
  if (init?.method === "DELETE") return new Response(null, { status: 204 });
  if (path === "/api/uptime/v1/monitors") {
    return Response.json({ id: "1", heartbeat_token: "hb_1" }, { status: 201 });
  }
  return Response.json({ status: "up" });
}
