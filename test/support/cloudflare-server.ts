import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import type { ListPage } from "../../scripts/deploy/platform.ts";
import { PlatformError } from "../../scripts/deploy/platform.ts";
import { type FakeCloudflare, Listed, type WorkerConfig } from "./cloudflare.ts";
import { findMistake, findOperation, Metadata, type Operation, patternOf } from "./cloudflare-api.ts";

/**
 * Cloudflare's API over HTTP, for the real wrangler and our own client: it takes the operations of `cloudflare-api.ts` and
 * notes every other request as a mistake, and keeps its state in the account of the tests.
 */

const BASE = "/client/v4";
/** Where the API has wrangler put a file: no part of the API. */
const UPLOADS = "/uploads/";
const TOKEN = "a token of the account";
const ASSETS_PER_BUCKET = 50;

interface Call {
  operation: Operation;
  path: string;
  /** By the names in the operation's path. */
  at: Record<string, string>;
  query: URLSearchParams;
  body: unknown;
  form: FormData | undefined;
  authorization: string;
}

interface Answer {
  status?: number;
  result: unknown;
  info?: ListPage["info"];
}

export class CloudflareServer {
  /** Requests that the documented API has not, or not so. */
  readonly mistakes: string[] = [];
  /** Method and path of each request, as the operation has it. */
  readonly requests: string[] = [];
  /** What was uploaded last, by Worker. */
  readonly uploads = new Map<string, Metadata>();
  readonly crons = new Map<string, string[]>();
  readonly #account: FakeCloudflare;
  readonly #migrationTags = new Map<string, string>();
  readonly #assets = new Map<string, number>();
  /** SQL files that wait for their import, by their hash. */
  readonly #files = new Map<string, string>();
  #asked = new Map<string, number>();
  #server: Server | undefined;

  constructor(account: FakeCloudflare) {
    this.#account = account;
  }

  /** Gives the environment that leads wrangler and our own client here. */
  async start(): Promise<NodeJS.ProcessEnv> {
    this.#server = createServer(async (request, response) => {
      if (request.url?.startsWith(UPLOADS)) {
        response.setHeader("etag", `"${this.#keepFile(await readBytes(request))}"`).end();
        return;
      }
      const { status, body } = await this.#answer(request);
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    });
    await once(this.#server.listen(0, "127.0.0.1"), "listening");
    const { port } = this.#server.address() as AddressInfo;
    return { CLOUDFLARE_API_BASE_URL: `http://127.0.0.1:${port}${BASE}`, CLOUDFLARE_API_TOKEN: TOKEN };
  }

  stop(): void {
    this.#server?.close();
    this.#server?.closeAllConnections();
  }

  async #answer(request: IncomingMessage): Promise<{ status: number; body: object }> {
    try {
      const call = await this.#read(request);
      this.requests.push(`${call.operation.method} ${call.operation.path}`);
      if (call.operation.path === "/graphql") {
        const { query, variables } = call.body as { query: string; variables: Record<string, string> };
        const data = await this.#account.analytics(query, variables);
        const errors = data ? null : [{ message: "not authorized for that account" }];
        return { status: 200, body: { data: data ?? null, errors } };
      }
      const { status = 200, result, info } = await this.#carryOut(call);
      const result_info = info && { page: 1, count: 0, ...info };
      return { status, body: { success: true, errors: [], messages: [], result, ...(info && { result_info }) } };
    } catch (error) {
      const { status, codes } = error instanceof PlatformError ? error : { status: 500, codes: [10_001] };
      if (!(error instanceof PlatformError)) this.mistakes.push(String(error instanceof Error ? error.stack : error));
      const errors = codes.map((code) => ({ code, message: error instanceof Error ? error.message : String(error) }));
      return { status, body: { success: false, errors, messages: [], result: null } };
    }
  }

  /** Refuses, and notes, what the API does not document. */
  async #read(request: IncomingMessage): Promise<Call> {
    const { method = "", headers } = request;
    const url = new URL(request.url ?? "", "http://127.0.0.1");
    const path = url.pathname.slice(BASE.length);
    const bytes = await readBytes(request);
    const refuse = (reason: string): never => {
      this.mistakes.push(`${method} ${path}${url.search}: ${reason}`);
      throw new PlatformError(reason, { status: 400, codes: [7003] });
    };
    const operation = findOperation(method, path);
    if (!operation) return refuse("no such operation");
    const authorization = headers.authorization ?? "";
    if (authorization !== `Bearer ${TOKEN}` && operation.path !== "/accounts/{account}/workers/assets/upload") {
      return refuse(`authorization ${authorization}`);
    }
    const type = headers["content-type"] ?? "";
    const isForm = type.startsWith("multipart/form-data");
    const body = isForm || bytes.length === 0 ? undefined : JSON.parse(bytes.toString("utf8"));
    const mistake = findMistake(operation, { query: url.searchParams, body });
    if (mistake) refuse(mistake);
    if (isForm !== (operation.isMultipart ?? false)) refuse(`content type ${type}`);
    const form = isForm ? await new Response(bytes, { headers: { "content-type": type } }).formData() : undefined;
    const at = patternOf(operation).exec(path)?.groups ?? {};
    return { operation, path, at, query: url.searchParams, body, form, authorization };
  }

  async #carryOut(call: Call): Promise<Answer> {
    const { operation, path, at, query, body } = call;
    const script = at.script ?? "";
    switch (`${operation.method} ${operation.path}`) {
      case "GET /accounts/{account}/queues":
        return this.#listQueues(call);
      case "POST /accounts/{account}/queues/{queue}/consumers":
      case "PUT /accounts/{account}/queues/{queue}/consumers/{consumer}":
        return { result: this.#consume(at.queue ?? "", body as { script_name: string; dead_letter_queue?: string }) };
      case "POST /accounts/{account}/d1/database/{database}/query":
        if (!("sql" in (body as object))) break;
        return { result: this.#account.executeSql(at.database ?? "", (body as { sql: string }).sql) };
      case "POST /accounts/{account}/d1/database/{database}/import":
        return { result: this.#import(at.database ?? "", body as Import) };
      case "GET /accounts/{account}/workers/services/{script}": {
        this.#workerOf(script, 10090);
        const migration_tag = this.#migrationTags.get(script);
        return {
          result: {
            id: script,
            default_environment: {
              environment: "production",
              script: { id: script, last_deployed_from: "wrangler", migration_tag },
            },
          },
        };
      }
      case "GET /accounts/{account}/workers/workers/{script}": {
        const { workers_dev: enabled } = this.#workerOf(script);
        return { result: { id: script, name: script, subdomain: { enabled, previews_enabled: enabled } } };
      }
      case "GET /accounts/{account}/workers/scripts/{script}/versions": {
        this.#workerOf(script);
        const ids = [...(this.#account.workers.get(script)?.versions.keys() ?? [])];
        return { result: { items: ids.map(describeVersion) } };
      }
      case "GET /accounts/{account}/workers/scripts/{script}/versions/{version}":
        this.#workerOf(script);
        return { result: describeVersion(at.version ?? "") };
      case "POST /accounts/{account}/workers/scripts/{script}/assets-upload-session":
        return { result: this.#openSession(body as Session) };
      case "POST /accounts/{account}/workers/assets/upload":
        return this.#uploadAssets(call);
      case "PUT /accounts/{account}/workers/scripts/{script}":
        return {
          result: await this.#upload(call, (config, secrets) => {
            this.#account.deployWorker(config, secrets);
            return [...(this.#account.workers.get(script)?.versions.keys() ?? [])].at(-1) ?? "";
          }),
        };
      case "POST /accounts/{account}/workers/scripts/{script}/versions":
        this.#workerOf(script);
        return {
          result: await this.#upload(call, (config, secrets) => this.#account.uploadVersion(config, secrets)),
        };
      case "POST /accounts/{account}/workers/scripts/{script}/deployments": {
        const { versions } = body as { versions: { version_id: string; percentage: number }[] };
        this.#workerOf(script);
        this.#account.serveVersions(
          script,
          Object.fromEntries(versions.map(({ version_id, percentage }) => [version_id, percentage])),
        );
        return { result: { id: "d" } };
      }
      case "PATCH /accounts/{account}/workers/scripts/{script}/script-settings":
        this.#workerOf(script);
        return { result: { id: "d" } };
      case "POST /accounts/{account}/workers/scripts/{script}/subdomain":
        this.#workerOf(script).workers_dev = (body as { enabled: boolean }).enabled;
        return { result: body };
      case "PUT /accounts/{account}/workers/scripts/{script}/schedules":
        this.#workerOf(script);
        this.#requireCrons(script, (body as unknown[]).length);
        this.crons.set(
          script,
          (body as { cron: string }[]).map(({ cron }) => cron),
        );
        return { result: { schedules: body } };
      case "POST /accounts/{account}/workers/scripts/{script}/domains/changeset":
        this.#workerOf(script);
        return { result: { added: body, removed: [], updated: [], conflicting: [] } };
      case "PUT /accounts/{account}/workers/scripts/{script}/domains/records": {
        const { origins } = body as { origins: { hostname: string }[] };
        this.#workerOf(script).routes = origins.map(({ hostname }) => ({ pattern: hostname, custom_domain: true }));
        return { result: null };
      }
    }
    const answer = await this.#account.answer(operation.method, `${path}?${query}`, (body ?? {}) as never);
    return answer instanceof Listed ? { result: answer.entries, info: answer.info } : { result: answer };
  }

  #workerOf(script: string, code = 10007): WorkerConfig {
    const worker = this.#account.workers.get(script);
    if (worker) return worker.config;
    throw new PlatformError("This Worker does not exist on your account.", { status: 404, codes: [code] });
  }

  async #listQueues({ path, query, operation }: Call): Promise<Answer> {
    const names = query.getAll("name");
    const consumersOf = (queue: string) =>
      [...this.#account.workers.values()]
        .filter(({ config }) => config.queues?.consumers.some((consumer) => consumer.queue === queue))
        .map(({ config }) => ({ consumer_id: config.name, type: "worker", script: config.name }));
    const described = (queue: { queue_id: string; queue_name: string }) => ({
      ...queue,
      producers: [],
      consumers: consumersOf(queue.queue_name),
    });
    if (names.length > 0) {
      const found = [...this.#account.queues].filter(([name]) => names.includes(name));
      return { result: found.map(([queue_name, queue_id]) => described({ queue_name, queue_id })) };
    }
    const listed = (await this.#account.answer(operation.method, `${path}?${query}`, {})) as Listed;
    return { result: (listed.entries as { queue_id: string; queue_name: string }[]).map(described), info: listed.info };
  }

  #consume(queueId: string, { script_name, dead_letter_queue }: { script_name: string; dead_letter_queue?: string }) {
    const queue = [...this.#account.queues].find(([, id]) => id === queueId)?.[0];
    const isMissing = dead_letter_queue !== undefined && !this.#account.queues.has(dead_letter_queue);
    if (!queue || isMissing) throw new PlatformError("Queue not found", { status: 404, codes: [11001] });
    const config = this.#workerOf(script_name);
    config.queues ??= { producers: [], consumers: [] };
    config.queues.consumers = config.queues.consumers.filter((consumer) => consumer.queue !== queue);
    config.queues.consumers.push({ queue, dead_letter_queue });
    return { consumer_id: script_name };
  }

  #requireCrons(script: string, count: number): void {
    const others = [...this.crons].filter(([name]) => name !== script).flatMap(([, crons]) => crons);
    const max = this.#account.plan === "free" ? 5 : 250;
    if (others.length + count > max) {
      throw new PlatformError(`This account has reached its limit of ${max} cron triggers`, {
        status: 400,
        codes: [10072],
      });
    }
  }

  #keepFile(bytes: Buffer): string {
    const hash = createHash("md5").update(bytes).digest("hex");
    this.#files.set(hash, bytes.toString("utf8"));
    return hash;
  }

  #import(database: string, { action, etag = "" }: Import): object {
    const { port } = this.#server?.address() as AddressInfo;
    if (action === "init") return { upload_url: `http://127.0.0.1:${port}${UPLOADS}${etag}`, filename: etag };
    const sql = this.#files.get(etag);
    if (sql === undefined) throw new Error("the file of the import was never uploaded");
    this.#account.importSql(database, sql);
    const meta = { duration: 1, rows_read: 0, rows_written: 0, size_after: 0 };
    const result = { num_queries: 1, final_bookmark: "b", meta };
    return { success: true, type: "import", status: "complete", messages: [], at_bookmark: "b", result };
  }

  /** Asks for those files alone that are not here yet. */
  #openSession({ manifest }: Session) {
    const files = Object.values(manifest).filter(({ hash }) => !this.#assets.has(hash));
    this.#asked = new Map(files.map(({ hash, size }) => [hash, size]));
    const hashes = [...this.#asked.keys()];
    const buckets = Array.from({ length: Math.ceil(hashes.length / ASSETS_PER_BUCKET) }, (_, n) =>
      hashes.slice(n * ASSETS_PER_BUCKET, (n + 1) * ASSETS_PER_BUCKET),
    );
    return { jwt: SESSION_TOKEN, buckets };
  }

  async #uploadAssets({ form, authorization }: Call): Promise<Answer> {
    if (authorization !== `Bearer ${SESSION_TOKEN}`)
      this.mistakes.push("assets were uploaded outside of their session");
    for (const [hash, part] of form ?? []) {
      const size = Buffer.from(typeof part === "string" ? part : await part.text(), "base64").length;
      if (size !== this.#asked.get(hash)) this.mistakes.push(`asset ${hash} has ${size} bytes`);
      this.#asked.delete(hash);
      this.#assets.set(hash, size);
    }
    const isWhole = this.#asked.size === 0;
    return { status: isWhole ? 201 : 202, result: isWhole ? { jwt: SESSION_TOKEN } : {} };
  }

  async #upload({ at, form }: Call, keep: (config: WorkerConfig, secrets: Record<string, string>) => string) {
    const script = at.script ?? "";
    const metadata = Metadata.parse(JSON.parse(String(form?.get("metadata"))));
    if (!form?.has(metadata.main_module)) throw new Error(`${script} lacks its module ${metadata.main_module}`);
    if (metadata.assets && this.#asked.size > 0) throw new Error(`${this.#asked.size} assets were never uploaded`);
    if (this.#account.plan === "free") await refuseLargeUpload(form);
    const known = this.#account.workers.get(script);
    if (known && !metadata.keep_bindings?.includes("secret_text")) throw new Error("the upload drops secrets");
    if (metadata.migrations?.old_tag !== this.#migrationTags.get(script) && metadata.migrations) {
      throw new PlatformError("the tag of the migration is not that of the Worker", { status: 412, codes: [10079] });
    }
    const id = keep(configOf(script, metadata, known?.config), secretsOf(metadata));
    if (metadata.migrations) this.#migrationTags.set(script, metadata.migrations.new_tag);
    this.uploads.set(script, metadata);
    const resources = { script: { etag: "etag" } };
    return { id, deployment_id: id, etag: "etag", startup_time_ms: 20, metadata: { has_preview: false }, resources };
  }
}

/** https://developers.cloudflare.com/workers/platform/limits/#worker-size: compressed, all modules together. */
const FREE_UPLOAD_BYTES = 3_000_000;

async function refuseLargeUpload(form: FormData | undefined): Promise<void> {
  let bytes = 0;
  for (const [name, part] of form ?? []) {
    // Source maps have a limit of their own.
    const isModule = name !== "metadata" && typeof part !== "string" && part.type !== "application/source-map";
    if (isModule) bytes += gzipSync(await part.bytes()).length;
  }
  if (bytes <= FREE_UPLOAD_BYTES) return;
  throw new PlatformError(`Your Worker exceeded the size limit of 3 MiB: it has ${bytes} bytes`, {
    status: 400,
    codes: [10027],
  });
}

interface Import {
  action: "init" | "ingest" | "poll";
  etag?: string;
}

interface Session {
  manifest: Record<string, { hash: string; size: number }>;
}

/** Its parts are read by wrangler, its signature by nobody. */
const SESSION_TOKEN = ["{}", "{}", "signature"].map((part) => Buffer.from(part).toString("base64url")).join(".");

async function readBytes(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function describeVersion(id: string) {
  const metadata = { created_on: "2026-11-01T00:00:00Z", author_email: "somebody@mail.example", source: "wrangler" };
  return { id, number: 1, metadata, annotations: {}, resources: { bindings: [], script: {}, script_runtime: {} } };
}

function secretsOf({ bindings }: Metadata): Record<string, string> {
  return Object.fromEntries(bindings.flatMap((each) => (each.type === "secret_text" ? [[each.name, each.text]] : [])));
}

/** An upload in the words of a configuration; consumers and domains come by requests of their own and stay. */
function configOf(name: string, metadata: Metadata, known: WorkerConfig | undefined): WorkerConfig {
  const { bindings, main_module: main, placement, limits } = metadata;
  const of = <Type extends (typeof bindings)[number]["type"]>(type: Type) =>
    bindings.filter((each): each is Extract<(typeof bindings)[number], { type: Type }> => each.type === type);
  return {
    name,
    account_id: "",
    main,
    vars: Object.fromEntries(of("plain_text").map((each) => [each.name, each.text])),
    workers_dev: known?.workers_dev ?? false,
    ...(known?.routes && { routes: known.routes }),
    d1_databases: of("d1").map(({ id }) => ({ database_id: id, database_name: name, migrations_dir: "" })),
    kv_namespaces: of("kv_namespace").map(({ namespace_id }) => ({ id: namespace_id })),
    durable_objects: {
      bindings: of("durable_object_namespace").map((each) => ({ name: each.name, class_name: each.class_name })),
    },
    queues: {
      producers: of("queue").map(({ queue_name }) => ({ queue: queue_name })),
      consumers: known?.queues?.consumers ?? [],
    },
    services: of("service").map((each) => ({ binding: each.name, service: each.service })),
    ...(placement && { placement }),
    ...(limits && { limits }),
  };
}
