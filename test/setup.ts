import { reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, beforeAll, vi } from "vitest";

// Files take turns in one runtime, which costs seconds to start: each begins with empty storage and its own globals.
beforeAll(async () => {
  await reset();
  await env.DB.batch(env.TEST_SCHEMA.map((statement) => env.DB.prepare(statement)));
});
afterAll(() => void vi.restoreAllMocks());
