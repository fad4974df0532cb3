import { join } from "node:path";
import { cloudflareTest } from "@cloudflare/vitest-pool-workers";
import { defineConfig, type Plugin } from "vitest/config";
import { readMigratedSchema } from "./test/support/migrated-schema.ts";

/** Settings of the product under test in the Workers runtime; durations are short, the outside is loopback. */
const bindings = {
  ROOT_SECRET: "test-root-secret-test-root-secret-test",
  EGRESS_ALLOW: "127.0.0.1,localhost,sink.test,works.cloudflareaccess.com,token.actions.githubusercontent.com",
  LOG_LEVEL: "silent",
  PASSWORD_COST: "10",
  RATE_LIMITS: "all=off",
  TELEGRAM_API_BASE: "https://sink.test/telegram",
  TELEGRAM_BOT_TOKEN: "42:bot",
  DISCORD_API_BASE: "https://sink.test/discord",
  DISCORD_BOT_TOKEN: "discord-bot",
  BREAK_GLASS: "owner@strict.example",
  ACCESS_TEAM: "works",
  ACCESS_AUDIENCE: "vigil-audience",
  ACCESS_DOMAINS: "works.example",
  OIDC_PROVIDERS: JSON.stringify([
    {
      id: "works",
      name: "Works",
      issuer: "https://sink.test/works",
      client_id: "vigil",
      client_secret: "works-secret",
      account_domains: ["works.example", "strict.example"],
      required_domains: ["strict.example"],
    },
    {
      id: "other",
      name: "Other",
      issuer: "https://sink.test/other",
      client_id: "vigil",
      client_secret: "other-secret",
    },
    {
      id: "github",
      kind: "github",
      issuer: "https://sink.test/github",
      client_id: "vigil",
      client_secret: "github-secret",
    },
  ]),
};

/** A limit tells a hang from a slow machine and is no promise of speed. */
const PATIENCE = { testTimeout: 120_000, hookTimeout: 120_000, expect: { poll: { timeout: 60_000 } } };

/** Only the Workers runtime has these modules; no unit opens a socket, or works on after its answer. */
const NO_RUNTIME = {
  "cloudflare:sockets": join(import.meta.dirname, "test/support/no-sockets.ts"),
  "cloudflare:workers": join(import.meta.dirname, "test/support/no-workers.ts"),
};

/** What is tried in every run is the same in every run; SEED=N chooses other values. */
const seed = Number(process.env.SEED ?? 1);

/** What is tried at length varies from run to run; a run prints its seed, and SEED=N repeats it. */
const variedSeed = Number(process.env.SEED ?? Date.now() % 2 ** 31);

const ENTRY = join(import.meta.dirname, "src/entry.ts");

/**
 * The runner loads a module that is imported late as a part of the request that wants it first, and requests that come
 * meanwhile may not wait for what belongs to another one.
 */
const importAtOnce: Plugin = {
  name: "import-at-once",
  enforce: "pre",
  transform(code, id) {
    if (id !== ENTRY) return undefined;
    const late = /const (\{ \w+ \}) = await import\(("[^"]+")\);/g;
    const imports = Array.from(code.matchAll(late), ([, names, from]) => `import ${names} from ${from};`);
    return [...imports, code.replaceAll(late, "")].join("\n");
  },
};

const workersWith = (settings: Record<string, string> = {}) => ({
  // The sources instead of what is built of them.
  resolve: { alias: { "#entry": ENTRY } },
  plugins: [
    importAtOnce,
    cloudflareTest(() => ({
      wrangler: { configPath: "./wrangler.toml" },
      // Otherwise it reports each object that a file before left at work, and repeats what tests expect to fail.
      verbose: false,
      miniflare: { bindings: { ...bindings, ...settings, TEST_SCHEMA: readMigratedSchema("migrations") } },
    })),
  ],
  test: {
    ...PATIENCE,
    isolate: false,
    maxWorkers: 2,
    exclude: ["**/*.unit.test.ts"],
    globalSetup: ["./test/global.ts"],
    setupFiles: ["./test/seed.ts", "./test/setup.ts"],
  },
});
const workers = workersWith();
/** They ask agents that are not there to check. */
const sweeps = workersWith({ AGENT_CHECK_WAIT_MS: "250" });

/** Stories that the soak tells at ten times the size; where it follows, telling them small before proves nothing more. */
const SOAKED = [
  "test/scenarios/{agent-fleet,interleavings,mass-failure,mass-silence,model,rule-replay,slow-receivers}.test.ts",
  "test/durable-objects/outbox.test.ts",
];

const withoutSoaked = process.env.SOAK_FOLLOWS === undefined ? [] : SOAKED;

/** Tests in Node that start services: two at once on two cores, because most of them wait most of the time. */
const services = { ...PATIENCE, environment: "node", fileParallelism: true, maxWorkers: 2 } as const;
const starting = { ...services, globalSetup: ["./test/process/prepared.ts"] };

export default defineConfig({
  test: {
    projects: [
      {
        resolve: { alias: NO_RUNTIME },
        test: {
          ...PATIENCE,
          name: "unit",
          include: ["src/**/*.test.ts", "test/architecture/**/*.unit.test.ts"],
          environment: "node",
          setupFiles: ["./test/seed.ts"],
          provide: { seed, effort: 1 },
          maxWorkers: 2,
          // Modules are evaluated once, not for each file.
          isolate: false,
        },
      },
      {
        ...workers,
        test: {
          ...workers.test,
          name: "workers",
          include: ["test/{api,durable-objects,jobs}/**/*.test.ts"],
          exclude: [...workers.test.exclude, ...withoutSoaked],
          provide: { seed, effort: 1 },
        },
      },
      {
        ...workers,
        test: {
          ...workers.test,
          name: "stories",
          include: ["test/scenarios/**/*.test.ts"],
          exclude: [...workers.test.exclude, ...withoutSoaked],
          provide: { seed, effort: 1 },
        },
      },
      {
        ...sweeps,
        test: {
          ...sweeps.test,
          name: "sweeps",
          include: ["test/sweeps/**/*.test.ts"],
          // The soak sends all of its bodies.
          exclude: ["test/sweeps/hostile.test.ts"],
          provide: { seed, effort: 1 },
        },
      },
      {
        ...workers,
        test: {
          ...workers.test,
          name: "soak-workers",
          include: [...SOAKED, "test/sweeps/hostile.test.ts"],
          provide: { seed: variedSeed, effort: 10 },
        },
      },
      {
        ...sweeps,
        test: {
          ...sweeps.test,
          name: "fuzz",
          include: ["test/sweeps/{fuzz,hostile}.test.ts"],
          provide: { seed: variedSeed, effort: 20 },
        },
      },
      { test: { ...services, name: "probes", include: ["test/probes/**/*.test.ts"] } },
      { test: { ...starting, name: "process", include: ["test/process/**/*.test.ts"] } },
      {
        resolve: { alias: NO_RUNTIME },
        // Browsers need the machine for themselves.
        test: { ...starting, name: "browser", include: ["test/browser/**/*.test.ts"], fileParallelism: false },
      },
      { test: { ...starting, name: "soak", include: ["test/soak/**/*.test.ts"] } },
    ],
  },
});
