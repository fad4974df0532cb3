import { z } from "zod";

/**
 * The operations of Cloudflare's API that a deployment may use, as https://developers.cloudflare.com/api/ documents them, and
 * those that only wrangler calls, as its source has them. A query or a body with anything else is a mistake.
 */

export interface Operation {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** With the account's id as `{account}`. */
  path: string;
  query?: z.ZodType;
  body?: z.ZodType;
  isMultipart?: boolean;
}

const page = z.coerce.number().int().min(1).optional();
const paged = (min: number, max: number) => ({ page, per_page: z.coerce.number().int().min(min).max(max).optional() });
/** These lists have no pages: the API overlooks the question for one and gives the whole. */
const UNPAGED = { page, per_page: z.coerce.number().optional() };
const Hash = z.string().regex(/^[0-9a-f]{32}$/);
const QueueName = z.string().regex(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/);
const Statement = z.strictObject({
  // https://developers.cloudflare.com/d1/platform/limits/
  sql: z.string().min(1).max(100_000),
  params: z
    .array(z.union([z.string(), z.number(), z.boolean(), z.null()]))
    .max(100)
    .optional(),
});
const Consumer = z.strictObject({
  type: z.literal("worker"),
  script_name: z.string(),
  dead_letter_queue: QueueName.optional(),
  settings: z.strictObject({
    batch_size: z.number().int().min(1).max(100).optional(),
    max_retries: z.number().int().min(0).max(100).optional(),
    max_wait_time_ms: z.number().int().min(0).max(60_000).optional(),
    max_concurrency: z.number().int().min(1).max(250).nullish(),
    retry_delay: z.number().int().min(0).max(86_400).optional(),
  }),
});

const named = <Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) =>
  z.strictObject({ type: z.literal(type), name: z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), ...shape });
const Binding = z.discriminatedUnion("type", [
  named("plain_text", { text: z.string().max(5 * 1024) }),
  named("secret_text", { text: z.string().max(5 * 1024) }),
  named("kv_namespace", { namespace_id: Hash }),
  named("d1", { id: z.string().min(1) }),
  named("durable_object_namespace", { class_name: z.string() }),
  named("queue", { queue_name: QueueName }),
  named("ratelimit", {
    namespace_id: z.string().regex(/^\d+$/),
    simple: z.strictObject({ limit: z.number().int().positive(), period: z.union([z.literal(10), z.literal(60)]) }),
  }),
  named("service", { service: z.string() }),
  named("assets", {}),
  named("version_metadata", {}),
]);

const Migrations = z.strictObject({
  old_tag: z.string().optional(),
  new_tag: z.string(),
  steps: z.array(z.strictObject({ new_sqlite_classes: z.array(z.string()) })),
});

/** The part `metadata` of an uploaded Worker. */
export const Metadata = z.strictObject({
  main_module: z.string(),
  bindings: z.array(Binding),
  compatibility_date: z.iso.date(),
  compatibility_flags: z.array(z.string()),
  migrations: Migrations.optional(),
  keep_bindings: z.array(z.enum(["secret_text", "secret_key"])).optional(),
  limits: z.strictObject({ cpu_ms: z.number().int().optional(), subrequests: z.number().int().optional() }).optional(),
  placement: z.strictObject({ mode: z.literal("targeted"), region: z.string() }).optional(),
  observability: z
    .strictObject({ enabled: z.boolean(), logs: z.strictObject({ invocation_logs: z.boolean() }).optional() })
    .optional(),
  assets: z
    .strictObject({
      jwt: z.string().min(1),
      config: z.strictObject({
        run_worker_first: z.union([z.boolean(), z.array(z.string().regex(/^!?\//)).max(100)]).optional(),
        _headers: z.string().optional(),
      }),
    })
    .optional(),
  annotations: z.partialRecord(z.enum(["workers/message", "workers/tag", "workers/alias"]), z.string()).optional(),
  code_update_strategy: z.unknown().optional(),
  package_dependencies: z.unknown().optional(),
});
export type Metadata = z.infer<typeof Metadata>;

const CustomDomain = z.strictObject({ hostname: z.hostname() });
const Route = z.strictObject({ pattern: z.string(), script: z.string().optional() });
const DnsRecord = z.strictObject({
  type: z.enum(["A", "AAAA", "CNAME"]),
  name: z.hostname(),
  content: z.string(),
  proxied: z.boolean().optional(),
  comment: z.string().max(100).optional(),
});

const A = "/accounts/{account}";
const SCRIPT = `${A}/workers/scripts/{script}`;
const ZONE = "/zones/{zone}";

const OPERATIONS: readonly Operation[] = [
  { method: "GET", path: "/accounts", query: z.strictObject({ ...paged(5, 50), name: z.string().optional() }) },
  { method: "GET", path: "/user" },
  {
    method: "POST",
    path: "/graphql",
    body: z.strictObject({ query: z.string(), variables: z.record(z.string(), z.string()) }),
  },

  { method: "GET", path: `${A}/d1/database`, query: z.strictObject({ ...paged(10, 10_000), name: z.string() }) },
  {
    method: "POST",
    path: `${A}/d1/database`,
    body: z.strictObject({ name: z.string(), primary_location_hint: z.string().optional() }),
  },
  { method: "DELETE", path: `${A}/d1/database/{database}` },
  {
    method: "POST",
    path: `${A}/d1/database/{database}/query`,
    body: z.union([Statement, z.strictObject({ batch: z.array(Statement).min(1) })]),
  },
  {
    method: "POST",
    path: `${A}/d1/database/{database}/import`,
    body: z.discriminatedUnion("action", [
      z.strictObject({ action: z.literal("init"), etag: Hash }),
      z.strictObject({ action: z.literal("ingest"), etag: Hash, filename: z.string() }),
      z.strictObject({ action: z.literal("poll"), current_bookmark: z.string() }),
    ]),
  },

  { method: "GET", path: `${A}/storage/kv/namespaces`, query: z.strictObject(paged(1, 1_000)) },
  { method: "POST", path: `${A}/storage/kv/namespaces`, body: z.strictObject({ title: z.string().max(512) }) },
  { method: "DELETE", path: `${A}/storage/kv/namespaces/{namespace}` },
  {
    method: "GET",
    path: `${A}/storage/kv/namespaces/{namespace}/keys`,
    query: z.strictObject({ limit: z.coerce.number().min(10).max(1_000).optional() }),
  },

  { method: "GET", path: `${A}/queues`, query: z.strictObject({ ...paged(1, 100), name: z.string().optional() }) },
  { method: "POST", path: `${A}/queues`, body: z.strictObject({ queue_name: QueueName }) },
  { method: "DELETE", path: `${A}/queues/{queue}` },
  { method: "GET", path: `${A}/queues/{queue}/consumers` },
  { method: "POST", path: `${A}/queues/{queue}/consumers`, body: Consumer },
  { method: "PUT", path: `${A}/queues/{queue}/consumers/{consumer}`, body: Consumer },
  { method: "DELETE", path: `${A}/queues/{queue}/consumers/{consumer}` },

  { method: "GET", path: `${A}/workers/subdomain` },
  { method: "GET", path: `${A}/workers/placement/regions` },
  { method: "GET", path: `${A}/workers/domains`, query: z.strictObject({ ...UNPAGED, hostname: z.hostname() }) },
  { method: "GET", path: `${A}/workers/scripts`, query: z.strictObject(UNPAGED) },
  { method: "GET", path: `${A}/workers/services/{script}` },
  { method: "GET", path: `${A}/workers/workers/{script}` },
  {
    method: "POST",
    path: `${A}/workers/assets/upload`,
    query: z.strictObject({ base64: z.literal("true") }),
    isMultipart: true,
  },
  {
    method: "PUT",
    path: SCRIPT,
    query: z.strictObject({ excludeScript: z.literal("true"), bindings_inherit: z.literal("strict") }),
    isMultipart: true,
  },
  { method: "DELETE", path: SCRIPT },
  { method: "GET", path: `${SCRIPT}/settings` },
  { method: "GET", path: `${SCRIPT}/secrets` },
  { method: "GET", path: `${SCRIPT}/deployments` },
  {
    method: "POST",
    path: `${SCRIPT}/deployments`,
    body: z.looseObject({
      strategy: z.literal("percentage"),
      versions: z
        .array(z.strictObject({ version_id: z.guid(), percentage: z.number().min(0).max(100) }))
        .min(1)
        .max(2),
    }),
  },
  {
    method: "GET",
    path: `${SCRIPT}/versions`,
    query: z.strictObject({ deployable: z.literal("true") }),
  },
  { method: "GET", path: `${SCRIPT}/versions/{version}` },
  {
    method: "POST",
    path: `${SCRIPT}/versions`,
    query: z.strictObject({ bindings_inherit: z.literal("strict") }),
    isMultipart: true,
  },
  { method: "PATCH", path: `${SCRIPT}/script-settings`, body: z.looseObject({}) },
  {
    method: "POST",
    path: `${SCRIPT}/assets-upload-session`,
    body: z.strictObject({
      // https://developers.cloudflare.com/workers/platform/limits/#static-assets
      manifest: z.record(
        z.string().startsWith("/"),
        z.strictObject({
          hash: Hash,
          size: z
            .number()
            .int()
            .max(25 * 1024 * 1024),
        }),
      ),
    }),
  },
  {
    method: "POST",
    path: `${SCRIPT}/subdomain`,
    body: z.strictObject({ enabled: z.boolean(), previews_enabled: z.boolean().optional() }),
  },
  { method: "PUT", path: `${SCRIPT}/schedules`, body: z.array(z.strictObject({ cron: z.string() })) },
  {
    method: "POST",
    path: `${SCRIPT}/domains/changeset`,
    query: z.strictObject({ replace_state: z.literal("true") }),
    body: z.array(CustomDomain),
  },
  {
    method: "PUT",
    path: `${SCRIPT}/domains/records`,
    body: z.strictObject({
      override_scope: z.boolean(),
      override_existing_origin: z.boolean(),
      override_existing_dns_record: z.boolean(),
      origins: z.array(CustomDomain),
    }),
  },

  { method: "GET", path: "/zones", query: z.strictObject({ ...paged(5, 50), name: z.string() }) },
  { method: "GET", path: `${ZONE}/dns_records`, query: z.strictObject({ ...paged(1, 5_000_000), name: z.hostname() }) },
  { method: "POST", path: `${ZONE}/dns_records`, body: DnsRecord },
  { method: "DELETE", path: `${ZONE}/dns_records/{record}` },
  { method: "GET", path: `${ZONE}/workers/routes`, query: z.strictObject(UNPAGED) },
  { method: "POST", path: `${ZONE}/workers/routes`, body: Route },
  { method: "DELETE", path: `${ZONE}/workers/routes/{route}` },
  { method: "GET", path: `${ZONE}/custom_hostnames/fallback_origin` },
  {
    method: "PUT",
    path: `${ZONE}/custom_hostnames/fallback_origin`,
    body: z.strictObject({ origin: z.hostname() }),
  },
  { method: "DELETE", path: `${ZONE}/custom_hostnames/fallback_origin` },
];

export function patternOf({ path }: Operation): RegExp {
  return new RegExp(`^${path.replaceAll(/\{(\w+)\}/g, "(?<$1>[^/]+)")}$`);
}

export function findOperation(method: string, path: string): Operation | undefined {
  return OPERATIONS.find((each) => each.method === method && patternOf(each).test(path));
}

/** Why the API would not take a request of this operation. */
export function findMistake({ query, body, isMultipart }: Operation, sent: { query: URLSearchParams; body: unknown }) {
  const asked = Object.fromEntries(sent.query);
  const ofQuery = query ? query.safeParse(asked).error?.message : Object.keys(asked).join();
  if (ofQuery) return `query ${ofQuery}`;
  if (isMultipart) return undefined;
  const ofBody = body ? body.safeParse(sent.body).error?.message : sent.body && "none is taken";
  return ofBody ? `body ${ofBody}` : undefined;
}
