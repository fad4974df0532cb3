import { describe, expect, it } from "vitest";
import { scriptedIo } from "../../test/support/scripted-io.ts";
import { imapProbe } from "./imap.ts";
import { pop3Probe } from "./pop3.ts";
import type { Probe } from "./port.ts";
import { runProbe } from "./run.ts";
import { smtpProbe } from "./smtp.ts";

async function run(probe: Probe, reads: string[], target = "a.example:2525", fields = {}) {
  const io = scriptedIo({ connect: [reads] });
  const result = await runProbe(probe, { target, fields, timeout_seconds: 5, latency_threshold_ms: null }, io);
  expect(io.openSockets()).toBe(0);
  return { result, said: io.written.join(""), tls: io.connections[0]?.tls };
}
const STARTTLS = { tls_mode: "starttls" };

describe("an smtp check", () => {
  it("greets, reads answers of several lines and says goodbye", async () => {
    const reads = ["220-a.example\r\n220 ready\r\n", "250-a.example hello\r\n250-STARTTLS\r\n250 HELP\r\n"];
    const { result, said } = await run(smtpProbe, reads);
    expect(result).toMatchObject({ outcome: "success", message: "SMTP server ready", latency_ms: 5 });
    expect(result.details).toEqual({ greeting: "a.example", tls: false, starttls_offered: true });
    expect(said).toBe("EHLO uptime-check.invalid\r\nQUIT\r\n");
  });

  it("keeps the beginning of a long greeting", async () => {
    const { result } = await run(smtpProbe, [`220 ${"a".repeat(400)}\r\n`, "250 a\r\n"]);
    expect(result.details.greeting).toBe("a".repeat(200));
  });

  it("greets anew after STARTTLS, because what was said in clear does not count", async () => {
    const reads = ["220 ready\r\n", "250-a\r\n250 STARTTLS\r\n", "220 go\r\n", "250 a\r\n"];
    const { result, said, tls } = await run(smtpProbe, reads, undefined, STARTTLS);
    expect(result).toMatchObject({ outcome: "success", details: { tls: true, starttls_offered: true } });
    expect(tls).toBe("starttls");
    expect(said).toBe("EHLO uptime-check.invalid\r\nSTARTTLS\r\nEHLO uptime-check.invalid\r\nQUIT\r\n");
  });

  it("says HELO to a server that knows no EHLO", async () => {
    const { result, said } = await run(smtpProbe, ["220 a\r\n", "502 what\r\n", "250 hello\r\n"]);
    expect(result.outcome).toBe("success");
    expect(said).toContain("HELO uptime-check.invalid\r\n");
  });

  it.each([
    ["421 busy, canary\r\n", "status", "SMTP 421 instead of 220"],
    ["554-no\r\n554 canary\r\n", "status", "SMTP 554 instead of 220"],
    ["SSH-2.0-canary\r\n", "protocol", "the answer is not valid SMTP"],
  ])("fails on the greeting %j and does not repeat its words", async (greeting, cause, message) => {
    const { result } = await run(smtpProbe, [greeting]);
    expect(result).toMatchObject({ outcome: "failure", cause, message });
    expect(JSON.stringify({ ...result, evidence: null, observation: null })).not.toContain("canary");
  });

  it("fails when the server refuses to greet or to start TLS", async () => {
    expect((await run(smtpProbe, ["220 a\r\n", "550 no\r\n"])).result.message).toBe("SMTP 550 instead of 250");
    const refused = ["220 a\r\n", "250-a\r\n250 STARTTLS\r\n", "454 not now\r\n"];
    expect((await run(smtpProbe, refused, undefined, STARTTLS)).result.message).toBe("SMTP 454 instead of 220");
  });
});

describe("a pop3 check", () => {
  const CAPA = "+OK\r\nSTLS\r\nSASL PLAIN\r\n.\r\n";

  it("is content with a server that cannot tell its capabilities", async () => {
    const { result, said } = await run(pop3Probe, ["+OK ready\r\n", "-ERR what\r\n"]);
    expect(result).toMatchObject({ outcome: "success", message: "POP3 server ready" });
    expect(said).toBe("CAPA\r\nQUIT\r\n");
  });

  it("logs in after TLS has begun", async () => {
    const target = "pop3://ann:secret@a.example";
    const { said } = await run(pop3Probe, ["+OK\r\n", CAPA, "+OK\r\n", "+OK\r\n", "+OK\r\n"], target, STARTTLS);
    expect(said).toBe("CAPA\r\nSTLS\r\nUSER ann\r\nPASS secret\r\nQUIT\r\n");
  });

  it("sends no password where STARTTLS is wanted and not offered", async () => {
    const { result, said } = await run(pop3Probe, ["+OK\r\n", "+OK\r\n.\r\n"], "pop3://ann:secret@a.example", STARTTLS);
    expect(result).toMatchObject({ cause: "tls", message: "the server does not offer STLS" });
    expect(said).not.toContain("secret");
  });

  it.each([
    ["-ERR canary\r\n", "the server refuses to serve"],
    ["HTTP/1.1 400 canary\r\n", "the answer is not valid POP3"],
  ])("fails on the greeting %j", async (greeting, message) => {
    expect((await run(pop3Probe, [greeting])).result).toMatchObject({ outcome: "failure", message });
  });
});

describe("an imap check", () => {
  const CAPABLE = "* CAPABILITY IMAP4rev1 STARTTLS\r\na OK done\r\n";

  it("asks what the server can do and leaves", async () => {
    const { result, said } = await run(imapProbe, ["* OK ready\r\n", CAPABLE]);
    expect(result).toMatchObject({ message: "IMAP server ready", details: { starttls_offered: true } });
    expect(said).toBe("a CAPABILITY\r\nz LOGOUT\r\n");
  });

  it("quotes what would end a quoted string", async () => {
    const reads = ["* OK\r\n", CAPABLE, "* CAPABILITY IMAP4rev1\r\na OK in\r\n"];
    const { result, said } = await run(imapProbe, reads, 'imap://ann:a"b%5Cc@a.example');
    expect(result.message).toBe("IMAP login accepted");
    expect(said).toContain('a LOGIN "ann" "a\\"b\\\\c"\r\n');
  });

  it("sends no password to a server that allows no login", async () => {
    const reads = ["* OK\r\n", "* CAPABILITY IMAP4rev1 LOGINDISABLED\r\na OK\r\n"];
    const { result, said } = await run(imapProbe, reads, "imap://ann:secret@a.example");
    expect(result.message).toBe("the server allows no login over this connection");
    expect(said).not.toContain("secret");
  });

  it("believes what is said after STARTTLS, not before", async () => {
    const before = "* CAPABILITY IMAP4rev1 STARTTLS LOGINDISABLED\r\na OK\r\n";
    const reads = ["* OK\r\n", before, "a OK go\r\n", "* CAPABILITY IMAP4rev1\r\na OK\r\n", "a OK in\r\n"];
    const { result } = await run(imapProbe, reads, "imap://ann:secret@a.example", STARTTLS);
    expect(result).toMatchObject({ outcome: "success", details: { logged_in: true } });
  });

  it.each([
    ["* BYE canary\r\n", "the server refuses to serve"],
    ["220 canary\r\n", "the answer is not valid IMAP"],
  ])("fails on the greeting %j", async (greeting, message) => {
    expect((await run(imapProbe, [greeting])).result).toMatchObject({ outcome: "failure", message });
  });

  it("never repeats credentials or what the server says about them", async () => {
    const reads = ["* OK\r\n", CAPABLE, "a NO [AUTHENTICATIONFAILED] ann canary\r\n"];
    const { result } = await run(imapProbe, reads, "imap://ann:secret@a.example");
    expect(result).toMatchObject({ outcome: "failure", cause: "status", message: "login refused" });
    expect(JSON.stringify({ ...result, evidence: null, observation: null })).not.toMatch(/ann|secret|canary/);
  });
});
