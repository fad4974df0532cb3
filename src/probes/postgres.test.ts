import { describe, expect, it } from "vitest";
import { scriptedIo } from "../../test/support/scripted-io.ts";
import { postgresProbe } from "./postgres.ts";
import { runProbe } from "./run.ts";

/** A message of the server: its letter, its length, its body. */
function message(type: string, ...parts: (string | number[])[]): Uint8Array {
  const body = Buffer.concat(
    parts.map((part) => (typeof part === "string" ? Buffer.from(part, "latin1") : Buffer.from(part))),
  );
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(type), length, body]);
}
const asks = (kind: number, rest = "") => message("R", [0, 0, 0, kind], rest);
const error = (code: string) => message("E", `SFATAL\0C${code}\0Mcanary\0\0`);

async function run(reads: (string | Uint8Array)[], login = "", fields = {}) {
  const io = scriptedIo({ connect: [reads] });
  const job = { target: `postgres://${login}db.example/shop`, fields, timeout_seconds: 5, latency_threshold_ms: null };
  const result = await runProbe(postgresProbe, job, io);
  expect(JSON.stringify({ ...result, evidence: null, observation: null })).not.toMatch(/canary|secret/);
  return { result, said: io.written.join("") };
}

describe("a postgres check without credentials", () => {
  it.each([
    ["a request for a password", asks(10, "SCRAM-SHA-256\0\0"), "success", "PostgreSQL server ready"],
    ["a welcome", asks(0), "success", "PostgreSQL server ready"],
    ["a refusal of its user", error("28000"), "success", "PostgreSQL server answers"],
    ["a database that does not exist", error("3D000"), "success", "PostgreSQL server answers"],
    ["a server that starts", error("57P03"), "failure", "the server is starting or stopping (SQLSTATE 57P03)"],
    ["a server that is full", error("53300"), "failure", "too many connections (SQLSTATE 53300)"],
    ["an error without a code", message("E", "Mcanary\0\0"), "failure", "the answer is not valid PostgreSQL"],
    ["a length beyond reason", Uint8Array.from([82, 127, 0, 0, 0]), "failure", "the answer is not valid PostgreSQL"],
    ["a length below zero", Uint8Array.from([82, 255, 255, 255, 255]), "failure", "the answer is not valid PostgreSQL"],
    ["a message that has no place here", message("D", "canary"), "failure", "the answer is not valid PostgreSQL"],
  ])("judges %s", async (_name, answer, outcome, words) => {
    expect((await run([answer])).result).toMatchObject({ outcome, message: words });
  });

  it("skips notices", async () => {
    expect((await run([message("N", "Mcanary\0"), asks(0)])).result.outcome).toBe("success");
  });

  it.each([
    ["S", "success", "PostgreSQL server ready"],
    ["N", "failure", "the server does not offer TLS"],
    ["E", "failure", "the answer is not valid PostgreSQL"],
  ])("over TLS takes the answer %j for a %s", async (answer, outcome, words) => {
    const { result } = await run([answer, asks(0)], "", { tls_mode: "on" });
    expect(result).toMatchObject({ outcome, message: words });
  });
});

describe("a postgres check with credentials", () => {
  const LOGIN = "ann:secret@";
  const READY = message("Z", "I");
  const ROW = [message("T", "\0\0"), message("D", "\0\0"), message("C", "SELECT 1\0"), READY];

  it("answers md5 with the password's digest and not with the password", async () => {
    const { result, said } = await run([asks(5, "salt"), asks(0), READY, ...ROW], LOGIN);
    expect(result).toMatchObject({ outcome: "success", message: "SELECT 1 succeeded", details: { logged_in: true } });
    // md5(md5("secretann") + "salt"), as `printf` and `md5sum` have it.
    expect(said).toContain("md5b8f5ba9f485dba302ec0963f7ee9ba8f");
    expect(said).not.toContain("secret");
  });

  it("sends no password in clear unless allow_clear_password says so", async () => {
    const refused = await run([asks(3)], LOGIN);
    expect(refused.result).toMatchObject({
      outcome: "error",
      message: expect.stringContaining("allow_clear_password"),
    });
    expect(refused.said).not.toContain("secret");
    const sent = await run([asks(3), asks(0), READY, ...ROW], LOGIN, { allow_clear_password: true });
    expect([sent.result.outcome, sent.said.includes("secret")]).toEqual(["success", true]);
  });

  it.each([
    ["a method that it does not know", [asks(7)], "error", /asks for a login other than/],
    ["SCRAM with other digests only", [asks(10, "SCRAM-SHA-1\0\0")], "error", /asks for a login other than/],
    ["a wrong password", [asks(5, "salt"), error("28P01")], "failure", /^login refused/],
    ["a query that fails", [asks(0), READY, error("42501")], "failure", /^the server answers with an error/],
    ["an end in the middle", [asks(0)], "failure", /^connection closed/],
  ])("judges %s", async (_name, reads, outcome, words) => {
    expect((await run(reads, LOGIN)).result).toMatchObject({ outcome, message: expect.stringMatching(words) });
  });
});
