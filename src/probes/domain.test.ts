import { describe, expect, it } from "vitest";
import { type Script, scriptedIo } from "../../test/support/scripted-io.ts";
import { DAY_MS } from "../lib/durations.ts";
import { buildDomainProbe } from "./domain.ts";
import { parseDate } from "./domain-whois.ts";
import { runProbe } from "./run.ts";

const NOW = Date.parse("2026-11-21T00:00:00Z");
const inDays = (days: number) => new Date(NOW + days * DAY_MS).toISOString();

const DIRECTORY = {
  body: JSON.stringify({
    version: "1.0",
    services: [
      [
        ["com", "net"],
        ["http://plain.example/", "https://rdap.registry.example/v1"],
      ],
      [["org"], ["https://rdap.org.example/"]],
    ],
  }),
};
/** As registries answer, shortened. */
const rdap = (expires: string, more = {}) => ({
  body: JSON.stringify({
    objectClassName: "domain",
    ldhName: "EXAMPLE.COM",
    status: ["client transfer prohibited"],
    entities: [
      {
        roles: ["registrar"],
        vcardArray: [
          "vcard",
          [
            ["version", {}, "text", "4.0"],
            ["fn", {}, "text", "A Registrar"],
          ],
        ],
      },
    ],
    events: [
      { eventAction: "registration", eventDate: "1995-08-14T04:00:00Z" },
      { eventAction: "expiration", eventDate: expires },
    ],
    ...more,
  }),
});

function checks(script: Script) {
  const probe = buildDomainProbe();
  const io = { ...scriptedIo(script), now: () => NOW };
  const run = (target: string, fields = {}) =>
    runProbe(probe, { target, fields, timeout_seconds: 5, latency_threshold_ms: null }, io);
  return { io, run };
}

describe("targets of domain monitors", () => {
  const { parseTarget } = buildDomainProbe();
  it.each([
    ["example.com", "example.com"],
    [" https://www.Example.co.uk/path ", "example.co.uk"],
    ["a.b.example.com:8080", "example.com"],
    ["bücher.example", "xn--bcher-kva.example"],
    ["me.github.io", "github.io"],
  ])("%j is registered as %s", (text, value) => {
    expect(parseTarget(text)).toEqual({ ok: true, value });
  });

  it.each(["", "com", "co.uk", "192.0.2.1", "[::1]", "exa mple.com", "https://"])("%j is refused", (text) => {
    expect(parseTarget(text)).toEqual({ ok: false, reason: "must be a domain such as example.com" });
  });
});

describe("a domain whose registry has RDAP", () => {
  it.each<[name: string, expires: string, more: object, fields: object, expected: object]>([
    ["far from its end", inDays(200), {}, {}, { outcome: "success", message: "example.com expires in 200 days" }],
    ["a little more than 30 days before", inDays(30.1), {}, {}, { outcome: "success" }],
    [
      "a little less than 30 days before",
      inDays(29.9),
      {},
      {},
      { outcome: "slow", message: "example.com expires in 29 days" },
    ],
    ["within days of its own", inDays(50), {}, { domain_expiry_warning_days: 60 }, { outcome: "slow" }],
    [
      "after its end",
      inDays(-2),
      {},
      {},
      { outcome: "failure", cause: "status", message: "example.com expired 2 days ago" },
    ],
    [
      "given up by its owner",
      inDays(300),
      { status: ["Redemption Period"] },
      {},
      { outcome: "failure", cause: "status", message: "example.com was not renewed: redemption period" },
    ],
  ])("%s", async (_name, expires, more, fields, expected) => {
    const { run } = checks({ fetch: [DIRECTORY, rdap(expires, more)] });
    expect(await run("www.example.com", fields)).toMatchObject(expected);
  });

  it("shows registrar, state and date, and asks the server of its zone by https", async () => {
    const { run, io } = checks({ fetch: [DIRECTORY, rdap(inDays(200))] });
    expect(await run("example.com")).toMatchObject({
      latency_ms: 5,
      details: {
        domain: "example.com",
        source: "rdap",
        registrar: "A Registrar",
        states: ["client transfer prohibited"],
        expires_at: inDays(200),
        days_left: 200,
      },
    });
    expect(io.requests.map((request) => request.url.href)).toEqual([
      "https://data.iana.org/rdap/dns.json",
      "https://rdap.registry.example/v1/domain/example.com",
    ]);
  });

  it("that knows no such name is a failure", async () => {
    const { run } = checks({ fetch: [DIRECTORY, { status: 404 }] });
    expect(await run("example.com")).toMatchObject({ outcome: "failure", message: "example.com is not registered" });
  });

  it("is asked where it redirects to", async () => {
    const moved = { status: 302, headers: { location: "https://other.example/domain/example.com" } };
    const { run } = checks({ fetch: [DIRECTORY, moved, rdap(inDays(200))] });
    expect(await run("example.com")).toMatchObject({ outcome: "success", latency_ms: 10 });
  });

  it("is found in a directory that is read once a day", async () => {
    const answers = [DIRECTORY, rdap(inDays(200)), rdap(inDays(200)), DIRECTORY, rdap(inDays(200))];
    const script = scriptedIo({ fetch: answers });
    const probe = buildDomainProbe();
    const job = { target: "example.com", fields: {}, timeout_seconds: 5, latency_threshold_ms: null };
    for (const now of [NOW, NOW + DAY_MS - 1, NOW + DAY_MS]) {
      expect(await runProbe(probe, job, { ...script, now: () => now })).toMatchObject({ outcome: "success" });
    }
    expect(script.requests).toHaveLength(5);
  });
});

describe("a domain whose registry has only whois", () => {
  const referral = ["domain: DE\r\n", "whois:        whois.zone.example\r\nstatus: ACTIVE\r\n"];

  it.each<[name: string, answer: string, expected: object]>([
    [
      "tells the date",
      `domain: x\r\nExpiry Date: ${inDays(100)}\r\n`,
      { outcome: "success", message: "shop.fr expires in 100 days" },
    ],
    ["says that it is free", "%% No entries found\r\n", { outcome: "failure", message: "shop.fr is not registered" }],
    [
      "tells no date",
      "Domain: shop.fr\r\nStatus: connect\r\n",
      {
        outcome: "error",
        message: "the registration of shop.fr is not known: its zone has no RDAP server, and whois tells no date",
      },
    ],
    ["tells nothing", "", { outcome: "error" }],
  ])("%s", async (_name, answer, expected) => {
    const { run, io } = checks({ fetch: [DIRECTORY], connect: [referral, [answer]] });
    expect(await run("shop.fr")).toMatchObject(expected);
    expect(io.written).toEqual(["fr\r\n", "shop.fr\r\n"]);
    expect(io.connections).toMatchObject([
      { host: "whois.iana.org", port: 43, tls: "off" },
      { host: "whois.zone.example", port: 43, tls: "off" },
    ]);
    expect(io.openSockets()).toBe(0);
  });

  it("is asked, too, where RDAP is out of order", async () => {
    const script = { fetch: [DIRECTORY, { status: 503 }], connect: [referral, ["paid-till: 2027.11.21\r\n"]] };
    expect(await checks(script).run("example.com")).toMatchObject({ outcome: "success", details: { source: "whois" } });
  });

  it("has no server that anyone knows of", async () => {
    const { run } = checks({ fetch: [DIRECTORY], connect: [["refer:\r\n"]] });
    expect(await run("shop.fr")).toMatchObject({
      outcome: "error",
      message: expect.stringContaining("no whois server"),
    });
  });
});

describe("a registry that cannot be asked says nothing about the domain", () => {
  it.each<[name: string, script: Script]>([
    ["no directory", { fetch: [{ status: 500 }] }],
    ["a directory of another shape", { fetch: [{ body: "[]" }] }],
    ["a directory that is no JSON", { fetch: [{ body: "<html>" }] }],
    ["an answer that is no JSON", { fetch: [DIRECTORY, { body: "<html>" }] }],
    ["a lost connection", { fetch: [DIRECTORY, new Error("Network connection lost.")] }],
  ])("%s", async (_name, script) => {
    expect(await checks(script).run("example.com")).toMatchObject({ outcome: "error", latency_ms: null });
  });
});

describe("dates that registries write", () => {
  it.each([
    ["2027-01-31T23:59:59Z", "2027-01-31T23:59:59.000Z"],
    ["2027-01-31", "2027-01-31T00:00:00.000Z"],
    ["2027.01.31", "2027-01-31T00:00:00.000Z"],
    ["20270131", "2027-01-31T00:00:00.000Z"],
    ["31.01.2027", "2027-01-31T00:00:00.000Z"],
    ["31/01/2027 10:00", "2027-01-31T00:00:00.000Z"],
    ["2027-01-31 10:00:00", "2027-01-31T00:00:00.000Z"],
  ])("%s", (text, expected) => {
    expect(new Date(parseDate(text) ?? 0).toISOString()).toBe(expected);
  });

  it.each(["", "never", "2027-13-45", "soon (maybe)"])("%j is none", (text) => {
    expect(parseDate(text)).toBeNull();
  });
});
