import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-pool-workers";
import { defineConfig } from "vitest/config";

/** Settings of the product under test in the Workers runtime; durations are short, the outside is loopback. */
const bindings = {
  ROOT_SECRET: "test-root-secret-test-root-secret-test",
  EGRESS_ALLOW: "127.0.0.1,localhost,sink.test",
  LOG_LEVEL: "silent",
  RATE_LIMITS: "all=off",
};

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "unit",
          include: ["src/**/*.test.ts", "test/architecture/**/*.unit.test.ts"],
          environment: "node",
        },
      },
      {
        plugins: [
          cloudflareTest(async () => ({
            wrangler: { configPath: "./wrangler.toml" },
            miniflare: { bindings: { ...bindings, TEST_MIGRATIONS: await readD1Migrations("migrations") } },
          })),
        ],
        test: {
          name: "workers",
          include: ["test/{api,durable-objects,jobs,scenarios,architecture}/**/*.test.ts"],
          exclude: ["**/*.unit.test.ts"],
          globalSetup: ["./test/global.ts"],
          setupFiles: ["./test/setup.ts"],
        },
      },
      {
        test: {
          name: "process",
          include: ["test/process/**/*.test.ts"],
          environment: "node",
          testTimeout: 120_000,
          fileParallelism: false,
        },
      },
      { test: { name: "probes", include: ["test/probes/**/*.test.ts"], environment: "node" } },
      { test: { name: "browser", include: ["test/browser/**/*.test.ts"], environment: "node", testTimeout: 60_000 } },
    ],
  },
});
