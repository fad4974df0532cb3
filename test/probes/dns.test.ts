import { afterAll, beforeAll, expect, it } from "vitest";
import { dnsProbe } from "../../src/probes/dns.ts";
import { describeProbe } from "../support/probe-contract.ts";
import { startBind } from "../support/servers/bind.ts";
import { checkInNode } from "../support/servers/checks.ts";
import { describeServer, type RunningServer } from "../support/servers/run-server.ts";

describeProbe({
  probe: dnsProbe,
  target: () => "www.example.test",
  fields: (port) => ({ dns_server: `127.0.0.1:${port}` }),
});

describeServer("named", "a dns check against BIND", () => {
  let server: RunningServer;
  beforeAll(async () => {
    server = await startBind();
  }, 60_000);
  afterAll(() => server.stop());

  const check = (name: string, fields: object) =>
    checkInNode(dnsProbe, name, { dns_server: `127.0.0.1:${server.ports.dns}`, ...fields });

  it.each([
    ["A", "www.shop.test", ["192.0.2.1", "192.0.2.2"]],
    ["AAAA", "www.shop.test", ["2001:db8::1"]],
    ["CAA", "shop.test", ["0 issue ca.example"]],
    ["CNAME", "shop.shop.test", ["www.shop.test"]],
    ["MX", "shop.test", ["10 mail.shop.test"]],
    ["NS", "shop.test", ["ns1.shop.test"]],
    ["PTR", "1.2.0.192.shop.test", ["www.shop.test"]],
    ["SOA", "shop.test", ["ns1.shop.test admin.shop.test 7 3600 600 86400 60"]],
    ["SRV", "_sip._tcp.shop.test", ["1 2 5060 sip.shop.test"]],
    ["TXT", "shop.test", ["v=spf1 -all"]],
  ])("reads %s records", async (dns_record_type, name, records) => {
    const fields = { dns_record_type, dns_expected: records, dns_match_type: "exact" };
    expect(await check(name, fields)).toMatchObject({ outcome: "success", details: { rcode: "NOERROR", records } });
  });

  it("follows an alias to the records behind it", async () => {
    expect(await check("shop.shop.test", { dns_record_type: "A" })).toMatchObject({
      message: "A 192.0.2.1, 192.0.2.2",
      details: { ttl_seconds: 60 },
    });
  });

  it("reads an answer of several thousand bytes and shows its beginning", async () => {
    const result = await check("long.shop.test", { dns_record_type: "TXT", dns_expected: [LONG_TEXT] });
    expect(result).toMatchObject({ outcome: "success", details: { records: [LONG_TEXT.slice(0, 255)] } });
    expect(result.message.length).toBeLessThan(100);
  });

  it.each([
    ["a name that does not exist", "none.shop.test", {}, "the name does not exist (NXDOMAIN)"],
    ["a name without such a record", "www.shop.test", { dns_record_type: "MX" }, "the name has no MX record"],
    ["a zone that is broken", "broken.test", {}, "the name server failed to find an answer (SERVFAIL)"],
    ["a zone that is not its own", "example.com", {}, "the name server refuses to answer (REFUSED)"],
  ])("fails on %s", async (_name, name, fields, message) => {
    expect(await check(name, fields)).toMatchObject({ outcome: "failure", cause: "dns", message });
  });

  it("fails on another answer than the expected one, and shows both", async () => {
    expect(await check("www.shop.test", { dns_expected: ["192.0.2.9"] })).toMatchObject({
      outcome: "failure",
      cause: "body",
      message: "A is 192.0.2.1, 192.0.2.2 instead of 192.0.2.9",
    });
  });
});

const LONG_TEXT = Array.from({ length: 14 }, (_, n) => String.fromCharCode(97 + n).repeat(220)).join("");
