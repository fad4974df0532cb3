import { describe, expect, it } from "vitest";
import { HOP_HEADER, installationId } from "../installation.ts";
import { buildEgress, type Purpose } from "./guard.ts";

const ROOT_SECRET = "a secret of sufficient length for tests";

/** What names resolve to; a name that is missing does not exist. */
const ZONE: Record<string, string[]> = {
  "example.com": ["93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c"],
  "xn--bcher-kva.example": ["93.184.215.14"],
  "a_b.example.com": ["93.184.215.14"],
  "ten.example": ["10.1.2.3"],
  "loop.example": ["127.0.0.1"],
  "loop6.example": ["::1"],
  "mapped.example": ["::ffff:169.254.169.254"],
  "mixed.example": ["93.184.215.14", "192.168.1.1"],
  "mixed6.example": ["93.184.215.14", "fd00::1"],
  "nat64.example": ["64:ff9b::a9fe:a9fe"],
  "metadata.example": ["169.254.169.254"],
  "broken.example": ["not an address"],
  "status.vigil.example": ["93.184.215.14"],
};

const ALLOW = ["127.0.0.1", "::1", "localhost", "sink.test", "10.0.0.0/8", "fd12::/16", "intranet"];

interface Sent {
  url: string;
  init: RequestInit;
}

function outsideOf(zone: Record<string, string[]>, sent: Sent[] = []) {
  const doh = (url: URL): Response => {
    const type = url.searchParams.get("type") === "A" ? 1 : 28;
    const records = zone[url.searchParams.get("name") ?? ""];
    const data = (records ?? []).filter((address) => address.includes(":") === (type === 28));
    const answer = data.map((address) => ({ name: "", type, TTL: 300, data: address }));
    return Response.json({ Status: records ? 0 : 3, Answer: answer });
  };
  return {
    now: () => 0,
    fetch: async (url: URL, init: RequestInit) => {
      if (url.hostname === "doh.test") return doh(url);
      sent.push({ url: url.href, init });
      return new Response("hello", { status: 200 });
    },
  };
}

function egress(allow: string[], sent?: Sent[]) {
  const settings = {
    EGRESS_ALLOW: allow,
    DOH_RESOLVERS: ["https://doh.test/resolve"],
    PUBLIC_URL: "https://status.vigil.example",
    ROOT_SECRET,
  };
  return buildEgress(settings, outsideOf(ZONE, sent));
}

const SIGNAL = new AbortController().signal;

async function judge(url: string, allow: string[], purpose: Purpose): Promise<string> {
  if (!URL.canParse(url)) return "no URL";
  const verdict = await egress(allow).checkResolved(new URL(url), purpose, SIGNAL);
  return verdict.ok ? "passes" : verdict.fault === "dns" ? "does not resolve" : verdict.reason;
}

const LOOPBACK = "a loopback address";
const PRIVATE = "a private address";
const LINK_LOCAL = "a link-local address";
const RESERVED = "a reserved address";
const NO_HOST = "it has no valid host name";
const NOT_PUBLIC = "is not a public host name";

/** Spelling, verdict with nothing allowed, verdict under ALLOW where it differs. Reasons are compared by their end. */
const CHECKS: [url: string, plain: string, allowed?: string][] = [
  // Public destinations.
  ["http://example.com", "passes"],
  ["https://example.com/path?x=1#y", "passes"],
  ["https://EXAMPLE.com:8443/", "passes"],
  ["https://example.com./", "passes"],
  ["https://bücher.example/", "passes"],
  ["https://example。com/", "passes"],
  ["https://exa%6dple.com/", "passes"],
  ["https://a_b.example.com/", "passes"],
  ["http://8.8.8.8/", "passes"],
  ["http://134744072/", "passes"],
  ["http://[2606:4700:4700::1111]/", "passes"],
  ["http://[2001:4860:4860::8888]:8080/", "passes"],
  ["http://[::ffff:8.8.8.8]/", "passes"],
  ["http://172.15.255.255/", "passes"],
  ["http://172.32.0.0/", "passes"],
  ["http://100.63.255.255/", "passes"],
  ["http://100.128.0.0/", "passes"],
  ["http://169.253.255.255/", "passes"],
  ["http://11.0.0.1/", "passes"],
  ["http://223.255.255.255/", "passes"],
  // Loopback in every spelling.
  ["http://127.0.0.1/", LOOPBACK, "passes"],
  ["https://127.0.0.1:8443/", LOOPBACK, "passes"],
  ["http://127.1/", LOOPBACK, "passes"],
  ["http://127.0.1/", LOOPBACK, "passes"],
  ["http://2130706433/", LOOPBACK, "passes"],
  ["http://0x7f000001/", LOOPBACK, "passes"],
  ["http://0x7f.1/", LOOPBACK, "passes"],
  ["http://0x7f.0x0.0x0.0x1/", LOOPBACK, "passes"],
  ["http://0177.0.0.1/", LOOPBACK, "passes"],
  ["http://017700000001/", LOOPBACK, "passes"],
  ["http://00000177.0.0.01/", LOOPBACK, "passes"],
  ["http://①②⑦.0.0.1/", LOOPBACK, "passes"],
  ["http://127。0。0。1/", LOOPBACK, "passes"],
  ["http://127%2e0%2e0%2e1/", LOOPBACK, "passes"],
  ["http://127.0.0.1./", LOOPBACK, "passes"],
  ["http:127.0.0.1", LOOPBACK, "passes"],
  ["http:\\\\127.0.0.1\\x", LOOPBACK, "passes"],
  ["http:////127.0.0.1/", LOOPBACK, "passes"],
  ["http://\t127.0.0.1/", LOOPBACK, "passes"],
  ["http://127.0.0.1#@example.com/", LOOPBACK, "passes"],
  ["http://127.0.0.1?@example.com/", LOOPBACK, "passes"],
  ["http://127.0.0.1\\@example.com/", LOOPBACK, "passes"],
  ["http://[::1]/", LOOPBACK, "passes"],
  ["http://[0:0:0:0:0:0:0:1]/", LOOPBACK, "passes"],
  ["http://[0000::0001]/", LOOPBACK, "passes"],
  ["http://[::ffff:127.0.0.1]/", LOOPBACK, "passes"],
  ["http://[::ffff:7f00:1]/", LOOPBACK, "passes"],
  ["http://[0:0:0:0:0:ffff:7f00:1]/", LOOPBACK, "passes"],
  ["http://[::127.0.0.1]/", RESERVED],
  ["http://[::7f00:1]/", RESERVED],
  ["http://127.0.0.2/", LOOPBACK],
  ["http://127.255.255.255/", LOOPBACK],
  // Private, link-local, shared and other special ranges, at their edges.
  ["http://10.0.0.0/", PRIVATE, "passes"],
  ["http://10.255.255.255/", PRIVATE, "passes"],
  ["http://0xa.1/", PRIVATE, "passes"],
  ["http://[::ffff:10.0.0.1]/", PRIVATE, "passes"],
  ["http://[::ffff:a00:1]/", PRIVATE, "passes"],
  ["http://172.16.0.0/", PRIVATE],
  ["http://172.31.255.255/", PRIVATE],
  ["http://192.168.0.1/", PRIVATE],
  ["http://192.168.255.255/", PRIVATE],
  ["http://3232235777/", PRIVATE],
  ["http://[fc00::1]/", PRIVATE],
  ["http://[fd12:3456::1]/", PRIVATE, "passes"],
  ["http://[fd00:ec2::254]/", PRIVATE],
  ["http://169.254.169.254/latest/meta-data/", LINK_LOCAL],
  ["http://2852039166/", LINK_LOCAL],
  ["http://0xa9fea9fe/", LINK_LOCAL],
  ["http://0251.0376.0251.0376/", LINK_LOCAL],
  ["http://169.254.43518/", LINK_LOCAL],
  ["http://[::ffff:169.254.169.254]/", LINK_LOCAL],
  ["http://[::ffff:a9fe:a9fe]/", LINK_LOCAL],
  ["http://[::a9fe:a9fe]/", RESERVED],
  ["http://[fe80::1]/", LINK_LOCAL],
  ["http://[febf::1]/", LINK_LOCAL],
  ["http://100.64.0.1/", "a carrier-grade NAT address"],
  ["http://100.100.100.200/", "a carrier-grade NAT address"],
  ["http://100.127.255.255/", "a carrier-grade NAT address"],
  ["http://224.0.0.1/", "a multicast address"],
  ["http://239.255.255.255/", "a multicast address"],
  ["http://[ff02::1]/", "a multicast address"],
  ["http://255.255.255.255/", "a broadcast address"],
  ["http://0.0.0.0/", RESERVED],
  ["http://0/", RESERVED],
  ["http://0.1.2.3/", RESERVED],
  ["http://[::]/", RESERVED],
  ["http://192.0.0.192/", RESERVED],
  ["http://192.0.2.1/", RESERVED],
  ["http://192.88.99.1/", RESERVED],
  ["http://198.18.0.1/", RESERVED],
  ["http://198.19.255.255/", RESERVED],
  ["http://198.51.100.1/", RESERVED],
  ["http://203.0.113.1/", RESERVED],
  ["http://240.0.0.1/", RESERVED],
  ["http://168.63.129.16/", RESERVED],
  ["http://[64:ff9b::127.0.0.1]/", RESERVED],
  ["http://[64:ff9b::a9fe:a9fe]/", RESERVED],
  ["http://[64:ff9b::8.8.8.8]/", RESERVED],
  ["http://[64:ff9b:1::a00:1]/", RESERVED],
  ["http://[2002:7f00:1::]/", RESERVED],
  ["http://[2002:a00:1::1]/", RESERVED],
  ["http://[2001::1]/", RESERVED],
  ["http://[2001:db8::1]/", RESERVED],
  ["http://[3fff::1]/", RESERVED],
  ["http://[100::1]/", RESERVED],
  ["http://[fec0::1]/", RESERVED],
  ["http://[4000::1]/", RESERVED],
  ["http://[::ffff:0:127.0.0.1]/", RESERVED],
  // Names that mean this machine or this network.
  ["http://localhost/", NOT_PUBLIC, "passes"],
  ["http://LOCALHOST./", NOT_PUBLIC, "passes"],
  ["http://%6c%6f%63alhost/", NOT_PUBLIC, "passes"],
  ["http://intranet/", NOT_PUBLIC, "passes"],
  ["http://db/", NOT_PUBLIC],
  ["http://api.localhost/", NOT_PUBLIC],
  ["http://printer.local/", NOT_PUBLIC],
  ["http://metadata.google.internal/", NOT_PUBLIC],
  ["http://metadata.google.internal./", NOT_PUBLIC],
  ["http://router.home.arpa/", NOT_PUBLIC],
  ["http://hidden.onion/", NOT_PUBLIC],
  ["http://status.vigil.example/", '"status.vigil.example" is this service itself'],
  ["https://Status.Vigil.Example.:8443/x", '"status.vigil.example" is this service itself'],
  // Names by what they resolve to.
  ["http://ten.example/", PRIVATE, "passes"],
  ["http://loop.example/", LOOPBACK, "passes"],
  ["http://loop6.example/", LOOPBACK, "passes"],
  ["http://mapped.example/", LINK_LOCAL],
  ["http://metadata.example/", LINK_LOCAL],
  ["http://mixed.example/", PRIVATE],
  ["http://mixed6.example/", PRIVATE],
  ["http://nat64.example/", RESERVED],
  ["http://broken.example/", "something that is not an address"],
  ["http://missing.example/", "does not resolve"],
  ["http://sink.test/", "does not resolve", "passes"],
  ["http://nothing.invalid/", "does not resolve"],
  // Everything else about the address.
  ["http://user:secret@example.com/", "it must not contain a user name or password"],
  ["http://user@127.0.0.1/", "it must not contain a user name or password"],
  ["http://example.com@127.0.0.1/", "it must not contain a user name or password"],
  ["http://example.com:25/", "port 25 cannot be reached from here: use 587 or 465, or an agent"],
  ["http://127.0.0.1:25/", "port 25 cannot be reached from here: use 587 or 465, or an agent"],
  ["ftp://example.com/", "only http and https can be reached"],
  ["file:///etc/passwd", "only http and https can be reached"],
  ["gopher://127.0.0.1/", "only http and https can be reached"],
  ["data:text/html,hello", "only http and https can be reached"],
  ["javascript:alert(1)", "only http and https can be reached"],
  ["ws://example.com/", "only http and https can be reached"],
  ["http://a..example/", NO_HOST],
  ["http://example.com../", NO_HOST],
  ["http://./", NO_HOST],
  [`http://${"a".repeat(64)}.example/`, NO_HOST],
  [`http://${"a.".repeat(130)}example/`, NO_HOST],
  ["http://foo.123/", "no URL"],
  ["http://256.256.256.256/", "no URL"],
  ["http://127.0.0.1%00.example.com/", "no URL"],
  ["http://[fe80::1%25eth0]/", "no URL"],
  ["http://[::1/", "no URL"],
  ["http://exa mple.com/", "no URL"],
];

describe("the way out for checks", () => {
  it.each(CHECKS)("%s: %s", async (url, plain, allowed = plain) => {
    expect((await judge(url, [], "check")).endsWith(plain)).toBe(true);
    expect((await judge(url, ALLOW, "check")).endsWith(allowed)).toBe(true);
  });

  it("is judged by at least 120 spellings", () => {
    expect(CHECKS.length).toBeGreaterThanOrEqual(120);
  });
});

describe("the way out for deliveries", () => {
  it.each([
    ["https://example.com/hook", "passes", "passes"],
    ["http://example.com/hook", "it must be an https address", "it must be an https address"],
    ["http://8.8.8.8/hook", "it must be an https address", "it must be an https address"],
    ["http://127.0.0.1:9000/hook", '"127.0.0.1" is a loopback address', "passes"],
    ["http://sink.test/hook", "it must be an https address", "passes"],
    ["https://sink.test/hook", "does not resolve", "passes"],
    ["https://metadata.example/hook", '"metadata.example" resolves to a link-local address', null],
    ["https://user:pw@example.com/", "it must not contain a user name or password", null],
  ])("%s: %s", async (url, plain, allowed) => {
    expect(await judge(url, [], "delivery")).toBe(plain);
    expect(await judge(url, ALLOW, "delivery")).toBe(allowed ?? plain);
  });
});

describe("the way out for raw connections", () => {
  it.each([
    ["example.com", 443, "passes"],
    ["2606:4700:4700::1111", 53, "passes"],
    ["0x7f.1", 6379, '"127.0.0.1" is a loopback address'],
    ["::1", 6379, '"[::1]" is a loopback address'],
    ["[::ffff:10.0.0.1]", 80, '"[::ffff:a00:1]" is a private address'],
    ["mail.example", 25, "port 25 cannot be reached from here: use 587 or 465, or an agent"],
    ["127.0.0.1/x", 80, NO_HOST],
    ["user@127.0.0.1", 80, NO_HOST],
    ["", 80, NO_HOST],
  ])("%s port %i: %s", async (host, port, expected) => {
    const verdict = await egress([]).checkResolved({ host, port }, "check", SIGNAL);
    expect(verdict.ok ? "passes" : verdict.reason).toBe(expected);
  });
});

describe("saving an address", () => {
  it("judges a literal at once and leaves names to the time of use", () => {
    const { checkLiteral } = egress([]);
    expect(checkLiteral(new URL("http://192.168.0.1"), "check")).toEqual({
      ok: false,
      fault: "forbidden",
      reason: '"192.168.0.1" is a private address',
      allowable: "192.168.0.0/24",
    });
    expect(checkLiteral(new URL("http://loop.example"), "check").ok).toBe(true);
  });
});

describe("EGRESS_ALLOW", () => {
  it.each(["10.0.0.0/99", "http://sink.test", "a b", "sink.test:80"])("refuses the entry %s by name", (entry) => {
    expect(() => egress([entry])).toThrow(`EGRESS_ALLOW: "${entry}"`);
  });
});

describe("a guarded request", () => {
  const request = { method: "GET", purpose: "check", signal: SIGNAL } as const;

  it("marks its hop, is not redirected and bypasses caches", async () => {
    const sent: Sent[] = [];
    const { response } = await egress([], sent).guardedFetch(new URL("https://example.com/x"), {
      ...request,
      headers: { accept: "*/*" },
    });
    expect(response.status).toBe(200);
    expect(sent).toMatchObject([
      {
        url: "https://example.com/x",
        init: {
          headers: { accept: "*/*", [HOP_HEADER]: installationId(ROOT_SECRET) },
          redirect: "manual",
          cache: "no-store",
        },
      },
    ]);
  });

  it.each([
    ["http://169.254.169.254/", "forbidden"],
    ["https://mixed.example/", "forbidden"],
    ["https://missing.example/", "dns"],
  ])("to %s is not sent (%s)", async (url, kind) => {
    const sent: Sent[] = [];
    await expect(egress([], sent).guardedFetch(new URL(url), request)).rejects.toMatchObject({ kind });
    expect(sent).toEqual([]);
  });
});
