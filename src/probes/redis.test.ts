import { describe, expect, it } from "vitest";
import { scriptedIo } from "../../test/support/scripted-io.ts";
import { redisProbe } from "./redis.ts";
import { runProbe } from "./run.ts";

async function run(reads: string[], target = "cache.example") {
  const io = scriptedIo({ connect: [reads] });
  const job = { target, fields: {}, timeout_seconds: 5, latency_threshold_ms: null };
  return { result: await runProbe(redisProbe, job, io), said: io.written.join("") };
}

describe("a redis check", () => {
  it.each([
    ["+PONG\r\n", "success", "PONG"],
    ["-NOAUTH Authentication required.\r\n", "success", "Redis answers, but asks for a login"],
    ["-DENIED Redis is running in protected mode\r\n", "success", "Redis answers, but asks for a login"],
    ["-LOADING Redis is loading the dataset in memory\r\n", "failure", "the server is still loading its data"],
    ["-MASTERDOWN Link with MASTER is down\r\n", "failure", "the replica has lost its master"],
    ["-CANARY\r\n", "failure", "PING is answered with an error"],
    ["HTTP/1.1 400 Bad Request\r\n", "failure", "the answer is not valid Redis"],
  ])("without credentials takes %j for a %s", async (answer, outcome, message) => {
    expect((await run([answer])).result).toMatchObject({ outcome, message });
  });

  it("counts the bytes of a password, not its characters", async () => {
    const { said } = await run(["+OK\r\n", "+PONG\r\n"], "redis://:z%C3%B6@cache.example");
    expect(said).toBe("*2\r\n$4\r\nAUTH\r\n$3\r\nzö\r\n*1\r\n$4\r\nPING\r\n");
  });

  it("fails when the login that it was given is not enough", async () => {
    const { result } = await run(["-NOAUTH canary\r\n"], "redis://ann:secret@cache.example");
    expect(result).toMatchObject({ outcome: "failure", cause: "status", message: "login needed" });
    expect(JSON.stringify({ ...result, evidence: null, observation: null })).not.toMatch(/ann|secret|canary/);
  });
});
