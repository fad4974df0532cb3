import { describe, expect, it } from "vitest";
import { scriptedIo } from "../../test/support/scripted-io.ts";
import { Observation } from "../contract/observation.ts";
import type { NetIo } from "../net/port.ts";
import { httpProbe } from "./http.ts";
import { runProbe } from "./run.ts";
import { smtpProbe } from "./smtp.ts";

const base = { timeout_seconds: 5, latency_threshold_ms: null };
const check = async (io: NetIo, { target = "http://shop.example/", fields = {}, observes = false } = {}) => {
  const { observation } = await runProbe(httpProbe, { ...base, target, fields, observes }, io);
  return observation === undefined ? undefined : Observation.parse(observation);
};

describe("what a check saw", () => {
  it("is the request, the answer's head and the beginning of its body", async () => {
    const headers = { "content-type": "text/plain", server: "nginx" };
    const io = scriptedIo({ fetch: [{ status: 500, body: "out of order\n", headers }] });
    expect(await check(io)).toEqual({
      request: {
        line: "GET http://shop.example/",
        headers: [
          ["user-agent", "Vigil/1.0 (uptime check)"],
          ["accept", "*/*"],
        ],
      },
      response: {
        line: "HTTP 500",
        headers: [
          ["content-type", "text/plain"],
          ["server", "nginx"],
        ],
      },
      body: "out of order\n",
    });
  });

  it("holds no secret of the request, in no part of the answer either", async () => {
    const fields = { http_headers: { "x-key": "swordfish-9" }, http_method: "POST" };
    const target = "http://ann:open-sesame@shop.example/a?key=tuna-salad-1";
    const headers = { "x-echo": "swordfish-9", "set-cookie": "sid=halibut-22", location: "/b?open-sesame" };
    const io = scriptedIo({ fetch: [{ status: 500, body: "no swordfish-9 for open-sesame", headers }] });
    const seen = await check(io, { target, fields });
    expect(seen?.request?.line).toBe("POST http://shop.example/a?key=***");
    expect(seen?.body).toBe("no *** for ***");
    expect(JSON.stringify(seen)).not.toMatch(/swordfish|sesame|tuna|halibut/);
    expect(seen?.request?.headers).toContainEqual(["x-key", "***"]);
  });

  it("is kept of a success only where it is asked for", async () => {
    const script = () => scriptedIo({ fetch: [{ body: "welcome" }] });
    expect(await check(script())).toBeUndefined();
    expect((await check(script(), { observes: true }))?.body).toBe("welcome");
  });

  it("is what the place noticed, where nothing answered", async () => {
    const io: NetIo = {
      ...scriptedIo({}),
      async fetch({ notice }) {
        notice?.({ lookup: { name: "shop.example", answers: [], server: "one.example", latency_ms: 3.4 } });
        throw new Error("getaddrinfo ENOTFOUND");
      },
    };
    expect(await check(io)).toMatchObject({
      lookup: { name: "shop.example", answers: [], server: "one.example", latency_ms: 3 },
      phases: { lookup_ms: 3, connect_ms: null },
      request: { line: "GET http://shop.example/" },
    });
  });

  it("ends with the step of a journey that failed, not with what is tidied up after it", async () => {
    const step = { name: "a", method: "GET", url: "/a" };
    const steps = [step, { ...step, name: "b", url: "/tidy", always: true }];
    const io = scriptedIo({ fetch: [{ status: 500, body: "broken" }, { body: "tidied" }] });
    const seen = await check(io, { fields: { steps } });
    expect(seen).toMatchObject({ request: { line: "GET http://shop.example/a" }, response: { line: "HTTP 500" } });
    expect(seen?.body).toBe("broken");
  });

  it("has the first words of a conversation, and no bytes that are no text", async () => {
    const observed = async (first: string | Uint8Array) => {
      const job = { ...base, target: "mail.example:587", fields: {} };
      return (await runProbe(smtpProbe, job, scriptedIo({ connect: [[first]] }))).observation?.body;
    };
    expect(await observed("554 no service here\r\n")).toContain("554 no service here");
    expect(await observed(new Uint8Array(99))).toBeUndefined();
  });
});
