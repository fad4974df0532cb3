import { describe, expect, it } from "vitest";
import { currentColo } from "../colo.ts";
import { dohResolver } from "./dns.ts";

type Reply = { Status: number; Answer?: { type: number; TTL: number; data: string }[] } | Error;
const SIGNAL = new AbortController().signal;
const address = (data: string, TTL = 300) => ({ Status: 0, Answer: [{ type: 1, TTL, data }] });
const NOTHING = { Status: 3 };
const SERVER_FAILURE = { Status: 2 };

/** Resolvers by host name, each with its reply to A; to AAAA they answer nothing found. */
function resolver(replies: Record<string, Reply>) {
  const asked: string[] = [];
  let time = 0;
  const resolve = dohResolver({
    resolvers: Object.keys(replies).map((host) => `https://${host}/dns-query`),
    now: () => time,
    async fetch(url) {
      const type = url.searchParams.get("type");
      asked.push(`${url.hostname} ${type}`);
      const reply = replies[url.hostname];
      if (!reply || reply instanceof Error) throw reply ?? new Error("unexpected");
      return Response.json(type === "A" ? reply : { Status: reply.Status });
    },
  });
  return { asked, resolve, advance: (ms: number) => (time += ms) };
}

describe("looking up a name", () => {
  it("reports which data centre this runs in, where the resolver is Cloudflare's", async () => {
    const answer = (ray: string) => {
      const headers = { "cf-ray": ray };
      const parts = { resolvers: ["https://one.test/dns-query"], now: () => 0 };
      return dohResolver({ ...parts, fetch: async () => Response.json(address("8.8.8.8"), { headers }) });
    };
    await answer("8f2d3c4b5a69-FRA")("a.example", SIGNAL);
    expect(currentColo()).toBe("FRA");
    await answer("no ray at all")("b.example", SIGNAL);
    expect(currentColo()).toBe("FRA");
  });

  it("collects addresses of both families and skips aliases", async () => {
    const { resolve } = resolver({
      "one.test": { Status: 0, Answer: [{ type: 5, TTL: 300, data: "alias.example." }, ...address("8.8.8.8").Answer] },
    });
    expect(await resolve("a.example", SIGNAL)).toEqual({
      kind: "addresses",
      addresses: ["8.8.8.8"],
      asked: { server: "one.test", latency_ms: 0 },
    });
  });

  it.each<[name: string, replies: Record<string, Reply>, kind: string]>([
    ["believes the first resolver that knows there is nothing", { a: NOTHING, b: address("8.8.8.8") }, "nothing"],
    ["goes on to the next when one cannot be reached", { a: new Error("down"), b: address("8.8.8.8") }, "addresses"],
    ["goes on to the next when one fails", { a: SERVER_FAILURE, b: address("8.8.8.8") }, "addresses"],
    ["finds nothing when all fail", { a: SERVER_FAILURE, b: SERVER_FAILURE }, "nothing"],
    ["says so when none can be reached", { a: new Error("down"), b: new Error("down") }, "unavailable"],
    ["says so when there is none", {}, "unavailable"],
  ])("%s", async (_name, replies, kind) => {
    expect((await resolver(replies).resolve("a.example", SIGNAL)).kind).toBe(kind);
  });

  it("asks nobody for a name reserved never to exist", async () => {
    const { resolve, asked } = resolver({ a: address("8.8.8.8") });
    expect(await resolve("a.invalid", SIGNAL)).toEqual({ kind: "nothing" });
    expect(asked).toEqual([]);
  });

  it.each([
    [300, 59_999, 2],
    [300, 60_000, 4],
    [5, 4999, 2],
    [5, 5000, 4],
    [0, 0, 4],
  ])("remembers an answer with a TTL of %i s for a minute at most: asked again after %i ms", async (ttl, wait, times) => {
    const { resolve, asked, advance } = resolver({ a: address("8.8.8.8", ttl) });
    await resolve("a.example", SIGNAL);
    advance(wait);
    await resolve("a.example", SIGNAL);
    expect(asked).toHaveLength(times);
  });

  it("does not remember that there was nothing", async () => {
    const { resolve, asked } = resolver({ a: NOTHING });
    await resolve("a.example", SIGNAL);
    await resolve("a.example", SIGNAL);
    expect(asked).toHaveLength(4);
  });
});
