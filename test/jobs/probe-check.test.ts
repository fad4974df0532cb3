import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { CONNECTIONS, runJobs } from "../../src/checks/probe-check.ts";
import type { CheckerJob } from "../../src/contract/checker.ts";
import { settingsOf } from "../../src/platform/settings.ts";

const RESOLVER = "https://doh.test/resolve";

/** Another object with every test, so that no test knows what another one looked up. */
const settings = () => ({
  ...settingsOf(env),
  EGRESS_ALLOW: ["doh.test"],
  DOH_RESOLVERS: [RESOLVER],
  CANARY_TARGETS: [],
});

const jobTo = (target: string): CheckerJob => ({
  type: "http",
  target,
  fields: {},
  timeout_seconds: 30,
  latency_threshold_ms: null,
});

/** The outside: answers names by a public address, and targets as the test says. Counts what is under way. */
function outside(respond: (url: URL) => Promise<Response>) {
  const seen: string[] = [];
  const running = { now: 0, most: 0 };
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input) => {
    const url = new URL(String(input));
    const isLookUp = url.hostname === "doh.test";
    const type = url.searchParams.get("type");
    seen.push(isLookUp ? `${type} ${url.searchParams.get("name")}` : `GET ${url.hostname}`);
    running.now += 1;
    running.most = Math.max(running.most, running.now);
    try {
      if (!isLookUp) return await respond(url);
      await new Promise((resolve) => setTimeout(resolve, 1));
      return Response.json({ Status: 0, Answer: type === "A" ? [{ type: 1, TTL: 0, data: "93.184.215.14" }] : [] });
    } finally {
      running.now -= 1;
    }
  });
  return { seen, running };
}

const T0 = Date.now();
beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: T0 }));
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe("the checks of one message", () => {
  it("look up every name first, each once, and never have more than six connections", async () => {
    const { seen, running } = outside(async () => {
      await new Promise((resolve) => setTimeout(resolve, 1));
      return new Response("ok");
    });
    const names = Array.from({ length: 20 }, (_, n) => `host-${n % 10}.example`);
    const jobs = names.map((name, n) => jobTo(`http://${name}/${n}`));
    const results = await runJobs({ settings: settings() }, jobs, async ({ result }) => result.outcome);
    expect(results).toEqual(jobs.map(() => "success"));
    expect(running.most).toBe(CONNECTIONS);
    const firstCheck = seen.findIndex((each) => each.startsWith("GET"));
    expect(seen.slice(0, firstCheck).filter((each) => each.startsWith("A "))).toHaveLength(10);
    expect(seen.filter((each) => !each.startsWith("GET"))).toHaveLength(20);
  });

  it("leave no timer behind, of which a runtime permits ten thousand", async () => {
    outside(async () => new Response("ok"));
    const jobs = Array.from({ length: 10_001 }, () => jobTo("http://host.example/"));
    const outcomes = await runJobs({ settings: settings() }, jobs, async ({ result }) => result.outcome);
    expect(new Set(outcomes)).toEqual(new Set(["success"]));
  });

  it("do not count the time for which they waited for a connection as latency", async () => {
    const release = Promise.withResolvers<void>();
    let begun = 0;
    outside(async () => {
      begun += 1;
      if (begun <= CONNECTIONS) await release.promise;
      return new Response("ok");
    });
    const jobs = Array.from({ length: 12 }, (_, n) => jobTo(`http://host-${n}.example/`));
    const finished = runJobs({ settings: settings() }, jobs, async ({ result, checked_at }) => {
      return { latency_ms: result.latency_ms, begun_after: checked_at - T0 };
    });
    // Not by waitFor, which moves a clock that is set.
    while (begun < CONNECTIONS) await new Promise((resolve) => setTimeout(resolve, 1));
    vi.setSystemTime(T0 + 10_000);
    release.resolve();
    expect(await finished).toEqual([
      ...Array(6).fill({ latency_ms: 10_000, begun_after: 0 }),
      ...Array(6).fill({ latency_ms: 0, begun_after: 10_000 }),
    ]);
  });

  it("begin while the name of one of them is still looked up", async () => {
    const slow = Promise.withResolvers<void>();
    const { seen } = outside(async () => new Response("ok"));
    const answered = vi.mocked(globalThis.fetch).getMockImplementation();
    vi.mocked(globalThis.fetch).mockImplementation(async (input, init) => {
      if (String(input).includes("tarpit.example") && String(input).startsWith(RESOLVER)) await slow.promise;
      return answered?.(input, init) ?? new Response(null);
    });
    const done: number[] = [];
    const jobs = ["http://tarpit.example/", "http://quick.example/"].map(jobTo);
    const all = runJobs({ settings: settings() }, jobs, async (_outcome, place) => void done.push(place));
    await vi.waitFor(() => expect(done).toEqual([1]), { timeout: 20_000 });
    slow.resolve();
    await all;
    expect(done).toEqual([1, 0]);
    expect(seen).toContain("GET tarpit.example");
  });
});
