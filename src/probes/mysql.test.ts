import { describe, expect, it } from "vitest";
import { scriptedIo } from "../../test/support/scripted-io.ts";
import { mysqlProbe } from "./mysql.ts";
import { loginAnswer } from "./mysql-login.ts";
import { runProbe } from "./run.ts";

const packet = (sequence: number, ...parts: (string | number[])[]) => {
  const body = Buffer.concat(
    parts.map((part) => (typeof part === "string" ? Buffer.from(part, "latin1") : Buffer.from(part))),
  );
  return Buffer.concat([Buffer.from([body.length & 255, body.length >> 8, 0, sequence]), body]);
};
const SCRAMBLE = "0123456789abcdefghij";
const error = (code: number, sequence = 2) => packet(sequence, [255, code & 255, code >> 8], "#28000canary");
const OK = packet(2, [0, 0, 0, 2, 0, 0, 0]);

function greeting({ version = "8.4.3", method = "caching_sha2_password", offersTls = true } = {}) {
  const capabilities = [0xff, offersTls ? 0xff : 0xf7];
  const start = [`\x0a${version}\0`, [1, 0, 0, 0], SCRAMBLE.slice(0, 8), [0], capabilities, [255, 2, 0, 255, 193, 21]];
  return packet(0, ...start, new Array(10).fill(0), SCRAMBLE.slice(8), [0], `${method}\0`);
}

async function run(reads: (string | Uint8Array)[], login = "", fields = {}) {
  const io = scriptedIo({ connect: [reads] });
  const job = { target: `mysql://${login}db.example/shop`, fields, timeout_seconds: 5, latency_threshold_ms: null };
  const result = await runProbe(mysqlProbe, job, io);
  expect(JSON.stringify({ ...result, evidence: null, observation: null })).not.toMatch(/canary|secret/);
  return { result, said: io.written.join("") };
}

describe("a mysql check without credentials", () => {
  it.each([
    ["a refusal of nobody", [greeting(), error(1045)], "success", "MySQL server ready"],
    ["a welcome to nobody", [greeting(), OK], "success", "MySQL server ready"],
    ["a host that may not log in", [error(1130, 0)], "success", "MySQL server ready"],
    ["a server that is full", [error(1040, 0)], "failure", "too many connections (error 1040)"],
    ["a host that is blocked", [error(1129, 0)], "failure", "the server has blocked this host (error 1129)"],
    ["a protocol of long ago", [packet(0, [9], "3.20\0")], "failure", "the answer is not valid MySQL"],
    ["a greeting cut short", [packet(0, "\x0a8.4.3\0", [1, 0, 0, 0])], "failure", "the answer is not valid MySQL"],
    ["an empty packet", [packet(0)], "failure", "the answer is not valid MySQL"],
  ])("judges %s", async (_name, reads, outcome, message) => {
    expect((await run(reads)).result).toMatchObject({ outcome, message });
  });

  it.each([
    ["8.4.3-0ubuntu0.24.04.1", "8.4.3"],
    ["5.5.5-10.11.6-MariaDB-0+deb12u1", "10.11.6-MariaDB"],
    ["canary", "unknown"],
  ])("shows of the version %j no more than %j", async (version, shown) => {
    expect((await run([greeting({ version }), OK])).result.details.version).toBe(shown);
  });

  it("says when TLS is wanted and not offered", async () => {
    const { result } = await run([greeting({ offersTls: false })], "", { tls_mode: "on" });
    expect(result).toMatchObject({ cause: "tls", message: "the server does not offer TLS" });
  });
});

describe("a mysql check with credentials", () => {
  const LOGIN = "ann:secret@";
  const ROWS = packet(1, [1]);
  const FULL_LOGIN = packet(2, [1, 4]);
  const switchTo = (method: string) => packet(2, [254], `${method}\0${SCRAMBLE}\0`);

  it.each([
    ["the method of the greeting", [greeting(), packet(2, [1, 3]), OK, ROWS]],
    ["another method", [greeting({ method: "unheard_of" }), switchTo("mysql_native_password"), OK, ROWS]],
  ])("logs in by %s and runs a query", async (_name, reads) => {
    const { result, said } = await run(reads, LOGIN);
    expect(result).toMatchObject({ outcome: "success", message: "SELECT 1 succeeded", details: { version: "8.4.3" } });
    expect(said).toMatch(/ann\0.*shop\0.*SELECT 1/s);
    expect(said).not.toContain("secret");
  });

  it("gives the whole password to an encrypted connection only", async () => {
    const reads = [greeting(), FULL_LOGIN, OK, ROWS];
    const open = await run(reads, LOGIN);
    expect(open.result).toMatchObject({ outcome: "error", message: expect.stringContaining("tls_mode on") });
    expect(open.said).not.toContain("secret");
    const encrypted = await run(reads, LOGIN, { tls_mode: "on" });
    expect(encrypted.result).toMatchObject({ outcome: "success", details: { tls: true } });
    expect(encrypted.said).toContain("secret\0");
  });

  const NEEDS_TLS = "; an account that requires TLS needs tls_mode on";
  it.each([
    ["without TLS, which the server offers", { offersTls: true }, {}, NEEDS_TLS],
    ["without TLS, which the server does not offer", { offersTls: false }, {}, ""],
    ["over TLS", { offersTls: true }, { tls_mode: "on" }, ""],
  ])("names the account that requires TLS where a login is refused %s", async (_name, server, fields, hint) => {
    const reads = [greeting({ ...server, method: "mysql_native_password" }), error(1045)];
    const message = `login refused${hint} (error 1045)`;
    expect((await run(reads, LOGIN, fields)).result).toMatchObject({ outcome: "failure", cause: "status", message });
  });

  it("says that a server accepts TLS connections only", async () => {
    const message = "the server accepts TLS connections only: set tls_mode to on (error 3159)";
    expect((await run([greeting(), error(3159)], LOGIN)).result).toMatchObject({ outcome: "failure", message });
  });

  it("is never talked into giving the password in clear", async () => {
    for (const method of ["mysql_clear_password", "sha256_password", "unheard_of"]) {
      const { result, said } = await run([greeting(), switchTo(method), OK, ROWS], LOGIN);
      expect(result.outcome).toBe("error");
      expect(said).not.toContain("secret");
    }
  });

  it.each([
    [error(1049), "there is no such database (error 1049)"],
    [error(1698), "login refused (error 1698)"],
    [packet(2, [7]), "the answer is not valid MySQL"],
  ])("fails when the login is answered otherwise", async (answer, message) => {
    expect((await run([greeting(), answer], LOGIN)).result).toMatchObject({ outcome: "failure", message });
  });
});

describe("proofs of a MySQL password", () => {
  // As the client library mysql2 computes them.
  it.each([
    ["mysql_native_password", "17b1c9eb218fc265b6365cd254fa6217933b79ed"],
    ["caching_sha2_password", "325f5600e59382fcf9ae3c166f4a49cd559d0dd0242cc4ab54a65740bede2e1a"],
  ])("%s", (method, proof) => {
    const answer = loginAnswer(method)?.("pass word", Buffer.from(SCRAMBLE), false) ?? [];
    expect(Buffer.from(answer).toString("hex")).toBe(proof);
  });
});
