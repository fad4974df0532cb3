import { applyD1Migrations, reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, beforeAll, vi } from "vitest";

// Files take turns in one runtime, which costs seconds to start: each begins with empty storage and its own globals.
beforeAll(async () => {
  await reset();
  await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);
});
afterAll(() => void vi.restoreAllMocks());
