import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { unstable_readConfig } from "wrangler";
import { RATE_LIMITS } from "../../src/access/rate-limit.ts";

/** Wrangler's type has lost what its options are. */
interface Limiter {
  name: string;
  simple: { limit: number; period: number };
}

describe("wrangler.toml", () => {
  it("has one limiter for each size that the platform counts, and no other", () => {
    const config: { ratelimits: Limiter[] } = unstable_readConfig({
      config: join(import.meta.dirname, "../../wrangler.toml"),
    });
    const counted = Object.values(RATE_LIMITS).filter(
      ({ window_seconds, when_uncounted }) => window_seconds === 60 && when_uncounted === "open",
    );
    const wanted = [...new Set(counted.map(({ limit }) => limit))].map((limit) => [`RATE_${limit}`, limit, 60]);
    expect(config.ratelimits.map(({ name, simple }) => [name, simple.limit, simple.period]).sort()).toEqual(
      wanted.sort(),
    );
  });
});
