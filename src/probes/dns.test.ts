import { describe, expect, it } from "vitest";
import { type Script, scriptedIo } from "../../test/support/scripted-io.ts";
import type { DnsRecordType } from "../contract/dns-check.ts";
import { IoFault } from "../lib/io-fault.ts";
import { normalRecord } from "../net/dns-answer.ts";
import { dnsProbe } from "./dns.ts";
import { prepareCheck, runProbe } from "./run.ts";

async function run(script: Script, fields = {}, target = "www.example.com") {
  const io = scriptedIo(script);
  const result = await runProbe(dnsProbe, { target, fields, timeout_seconds: 5, latency_threshold_ms: null }, io);
  return { result, requests: io.requests };
}

const answer = (Status: number, ...records: [type: number, data: string][]) => ({
  body: JSON.stringify({ Status, Answer: records.map(([type, data]) => ({ name: "x", type, TTL: 60, data })) }),
});
const A = (...addresses: string[]) => answer(0, ...addresses.map((data): [number, string] => [1, data]));
const SERVFAIL = answer(2);

describe("targets of dns monitors", () => {
  it.each([
    ["www.example.com", "www.example.com"],
    [" WWW.Example.com. ", "www.example.com"],
    ["_dmarc.example.com", "_dmarc.example.com"],
    ["münchen.example", "xn--mnchen-3ya.example"],
    ["1.2.0.192.in-addr.arpa", "1.2.0.192.in-addr.arpa"],
    ["com", "com"],
  ])("%j is taken", (text, value) => {
    expect(dnsProbe.parseTarget(text)).toEqual({ ok: true, value });
  });

  it.each([
    "",
    "192.0.2.1",
    "[::1]",
    "a..example",
    "https://example.com",
    "a b",
    "example.com:53",
    `${"a".repeat(64)}.x`,
  ])("%j is refused", (text) => {
    expect(dnsProbe.parseTarget(text)).toEqual({ ok: false, reason: "must be a domain name" });
  });

  it.each([
    [{}, null],
    [{ dns_server: "ns1.example.com" }, { host: "ns1.example.com", port: 53 }],
    [{ dns_server: "192.0.2.53:5353" }, { host: "192.0.2.53", port: 5353 }],
  ])("with %j, the guard has to judge %j", (fields, destination) => {
    expect(prepareCheck(dnsProbe, "example.com", fields)).toMatchObject({ ok: true, value: { destination } });
  });

  it.each([
    [{ dns_server: "https://dns.example/" }, "dns_server"],
    [{ dns_record_type: "ANY" }, "dns_record_type"],
    [{ dns_expected: [""] }, "dns_expected.0"],
    [{ dns_match_type: "regex" }, "dns_match_type"],
  ])("%j is refused by its name", (fields, path) => {
    expect(prepareCheck(dnsProbe, "example.com", fields)).toMatchObject({ ok: false, path });
  });
});

describe("a dns check by resolvers", () => {
  it("asks the first resolver alone when that has an answer", async () => {
    const { result, requests } = await run({ fetch: [A("192.0.2.2", "192.0.2.1")] });
    expect(result).toEqual({
      outcome: "success",
      message: "A 192.0.2.1, 192.0.2.2",
      latency_ms: 5,
      details: { rcode: "NOERROR", records: ["192.0.2.1", "192.0.2.2"], ttl_seconds: 60, resolver: "one.example" },
    });
    expect(requests.map(({ url }) => url.href)).toEqual(["https://one.example/dns-query?name=www.example.com&type=A"]);
  });

  it.each([
    ["fails on the name", SERVFAIL],
    ["refuses", answer(5)],
    ["answers HTTP 500", { status: 500 }],
    ["talks nonsense", { body: "<html>" }],
    ["cannot be reached", new IoFault("connect", "connection refused")],
  ])("asks the second one when the first %s", async (_name, first) => {
    const { result } = await run({ fetch: [first, A("192.0.2.1")] });
    expect(result).toMatchObject({ outcome: "success", details: { resolver: "two.example" } });
  });

  it.each([
    ["all fail", [SERVFAIL, SERVFAIL], "failure", "the name server failed to find an answer (SERVFAIL)"],
    [
      "one fails, the other is silent",
      [SERVFAIL, { status: 500 }],
      "failure",
      "the name server failed to find an answer (SERVFAIL)",
    ],
    ["the name does not exist", [answer(3)], "failure", "the name does not exist (NXDOMAIN)"],
    ["there is an alias to nothing", [answer(0, [5, "other.example.com."])], "failure", "the name has no A record"],
    ["nobody can be asked", [{ status: 500 }, { status: 502 }], "error", "no DNS resolver is reachable"],
  ])("where %s", async (_name, fetch, outcome, message) => {
    expect((await run({ fetch })).result).toMatchObject({ outcome, message });
  });
});

describe("expected records", () => {
  const cases: [matchType: string | null, expected: string[], isMet: boolean][] = [
    [null, ["192.0.2.1"], true],
    [null, ["192.0.2.1", "192.0.2.3"], false],
    ["contains", ["192.0.2.1", "192.0.2.2"], true],
    ["exact", ["192.0.2.1"], false],
    ["exact", ["192.0.2.2", "192.0.2.1"], true],
    ["any", ["192.0.2.9", "192.0.2.2"], true],
    ["any", ["192.0.2.9"], false],
    ["exact", [], true],
  ];
  it.each(cases)("%s %j: %s", async (dns_match_type, dns_expected, isMet) => {
    const { result } = await run({ fetch: [A("192.0.2.1", "192.0.2.2")] }, { dns_match_type, dns_expected });
    expect(result.outcome).toBe(isMet ? "success" : "failure");
    if (!isMet) expect(result.cause).toBe("body");
  });

  it.each<[string, string[], string, boolean]>([
    ["without its preference", ["mail.example"], "exact", true],
    ["with its preference", ["10 mail.example"], "exact", true],
    ["with another preference", ["20 mail.example"], "contains", false],
    ["of another host", ["other.example"], "any", false],
  ])("may name a mail host %s", async (_name, dns_expected, dns_match_type, isMet) => {
    const { result } = await run(
      { fetch: [answer(0, [15, "10 mail.example."])] },
      { dns_record_type: "MX", dns_expected, dns_match_type },
    );
    expect(result.outcome).toBe(isMet ? "success" : "failure");
  });

  it("are shown beside what was found", async () => {
    const { result } = await run({ fetch: [A("192.0.2.1")] }, { dns_match_type: "any", dns_expected: ["192.0.2.9"] });
    expect(result.message).toBe("A is 192.0.2.1 instead of one of 192.0.2.9");
  });

  it.each<[DnsRecordType, string, string]>([
    ["AAAA", "2001:DB8:0:0:0:0:0:1", "2001:db8::1"],
    ["CNAME", "WWW.Example.COM.", "www.example.com"],
    ["MX", "10  Mail.Example.com.", "10 mail.example.com"],
    ["SOA", "ns1.a.example. Admin.a.example. 1 2 3 4 5", "ns1.a.example admin.a.example 1 2 3 4 5"],
    ["TXT", '"v=spf1 " "Include:a.example -all"', "v=spf1 Include:a.example -all"],
    ["TXT", '"say \\"hi\\""', 'say "hi"'],
    ["TXT", 'half "quoted', 'half "quoted'],
    ["CAA", '0 ISSUE "ca.example"', "0 issue ca.example"],
    ["CAA", "0 issue ca.example", "0 issue ca.example"],
    ["CAA", "\\# 17 00 05 69 73 73 75 65 63 61 2e 65 78 61 6d 70 6c 65", "0 issue ca.example"],
  ])("%s %j is the same as %j", (type, text, normal) => {
    expect(normalRecord(type, text)).toBe(normal);
  });
});

describe("a dns check of one server", () => {
  it.each([
    ["an answer to another question", reply("other.example.com"), "the answer is not valid DNS"],
    ["a name that points to itself", reply("www.example.com", [0xc0, 0x0c]), "the answer is not valid DNS"],
    ["an answer cut short", [0, 9, 1, 2, 3], "connection closed before a valid answer"],
  ])("fails on %s", async (_name, bytes, message) => {
    const { result } = await run({ connect: [[Uint8Array.from(bytes)]] }, { dns_server: "ns1.example.com" });
    expect(result).toMatchObject({ outcome: "failure", message });
  });
});

/** A response with one question, whose name may be given as bytes. */
function reply(name: string, raw?: number[]): number[] {
  const labels = name.split(".").flatMap((label) => [label.length, ...Buffer.from(label)]);
  const body = [0, 1, 0x81, 0x80, 0, 1, 0, 0, 0, 0, 0, 0, ...(raw ?? [...labels, 0]), 0, 1, 0, 1];
  return [0, body.length, ...body];
}
