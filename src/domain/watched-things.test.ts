import { describe, expect, it } from "vitest";
import { readWatchedThings, WATCHED_MAX } from "./watched-things.ts";

const shortly = (text: string) =>
  readWatchedThings(text).things.map(({ type, name, target, fields }) => [type, name, target, fields]);

describe("one field takes", () => {
  it.each([
    ["example.com", "https", "example.com", "https://example.com", {}],
    ["http://example.com/shop?a=1", "http", "example.com", "http://example.com/shop?a=1", {}],
    ["example.com/health", "https", "example.com", "https://example.com/health", {}],
    ["bücher.example", "https", "bücher.example", "https://bücher.example", {}],
    ["localhost:3000", "tcp", "localhost:3000", "localhost:3000", {}],
    ["localhost", "http", "localhost", "http://localhost", {}],
    ["192.0.2.7", "http", "192.0.2.7", "http://192.0.2.7", {}],
    ["192.0.2.7:8443", "https", "192.0.2.7", "https://192.0.2.7:8443", {}],
    ["2001:db8::1", "http", "[2001:db8::1]", "http://[2001:db8::1]", {}],
    ["db.example.com:5432", "postgres", "db.example.com:5432", "db.example.com:5432", {}],
    ["host.example:22", "tcp", "host.example:22", "host.example:22", { tcp_protocol: "ssh" }],
    ["postgres://db.example/orders", "postgres", "db.example", "postgres://db.example/orders", {}],
    ["smtp.example.com", "smtp", "smtp.example.com", "smtp.example.com", {}],
    ["imap.example.com", "imap", "imap.example.com", "imap.example.com", {}],
    ["@example.com", "dns", "Mail of example.com", "example.com", { dns_record_type: "MX" }],
    ["anna@example.com", "dns", "Mail of example.com", "example.com", { dns_record_type: "MX" }],
    ["0 3 * * *", "heartbeat", "Scheduled job", null, { schedule: "0 3 * * *" }],
    ["*/5 8-18 * * mon-fri", "heartbeat", "Scheduled job", null, { schedule: "*/5 8-18 * * mon-fri" }],
    ["@daily", "heartbeat", "Scheduled job", null, { schedule: "@daily" }],
    ["0,30 3 * * * /usr/local/bin/backup.sh --all", "heartbeat", "backup.sh", null, { schedule: "0,30 3 * * *" }],
    ["cron", "heartbeat", "Nightly job", null, {}],
  ])("%s", (text, type, name, target, fields) => {
    expect(shortly(text)).toEqual([[type, name, target, fields]]);
  });

  it.each([
    "please watch my shop",
    "shop",
    "ftp://example.com",
    "999999",
    "example.com:99999",
    "javascript:alert(1)",
  ])("nothing from %j, and says so", (text) => {
    expect(readWatchedThings(text)).toEqual({ things: [], more: 0, unread: [text] });
  });

  it("nothing from nothing", () => {
    expect(readWatchedThings(" \n\n# a remark\n")).toEqual({ things: [], more: 0, unread: [] });
  });
});

describe("a pasted list", () => {
  it("is one a line, or beside each other, each thing once", () => {
    expect(shortly("a.example\r\n\nb.example:6379\na.example\n").map(([type]) => type)).toEqual(["https", "redis"]);
    expect(shortly("a.example b.example, c.example").length).toBe(3);
    expect(shortly("a.example, b.example").map(([, name]) => name)).toEqual(["a.example", "b.example"]);
    expect(shortly("a.example b.example").map(([, name]) => name)).toEqual(["a.example", "b.example"]);
  });

  it("may be CSV, whose names are kept", () => {
    const csv = 'name,url,owner\nShop,https://shop.example/,ops\n"Mail";smtp.shop.example\n';
    expect(readWatchedThings(csv).unread).toEqual(["name,url,owner"]);
    expect(shortly(csv).map(([type, name]) => [type, name])).toEqual([
      ["https", "Shop"],
      ["smtp", "Mail"],
    ]);
  });

  it("may be the bookmarks of a browser", () => {
    const file = `<!DOCTYPE NETSCAPE-Bookmark-file-1>
      <DT><A HREF="https://a.example/?x=1&amp;y=2" ADD_DATE="1">A &amp; B</A>
      <DT><A HREF="javascript:void(0)">Script</A>`;
    expect(shortly(file)).toEqual([["https", "A & B", "https://a.example/?x=1&y=2", {}]]);
  });

  it("may be a sitemap", () => {
    const file = "<urlset><url><loc>https://a.example/</loc></url><url><loc> https://a.example/b </loc></url></urlset>";
    expect(shortly(file).map(([, , target]) => target)).toEqual(["https://a.example/", "https://a.example/b"]);
  });

  it("may be a zone file: hosts are websites, mail exchangers are asked for mail", () => {
    const file = `$ORIGIN shop.example.
@ 3600 IN SOA ns1.shop.example. admin.shop.example. 1 2 3 4 5
@ IN A 192.0.2.1
www 300 IN CNAME @
* IN A 192.0.2.2
_dmarc IN TXT "v=DMARC1"
@ IN MX 10 mail.other.example.`;
    expect(shortly(file).map(([type, , target]) => [type, target])).toEqual([
      ["https", "https://shop.example"],
      ["https", "https://www.shop.example"],
      ["smtp", "smtp://mail.other.example"],
    ]);
  });

  it(`holds ${WATCHED_MAX} things, and says how many more there are`, () => {
    const { things, more } = readWatchedThings(Array.from({ length: 53 }, (_, n) => `h${n}.example`).join("\n"));
    expect([things.length, more]).toEqual([WATCHED_MAX, 3]);
  });
});

describe("beside a website", () => {
  it("its certificate and its registered domain can be watched, where it has them", () => {
    const besides = (text: string) =>
      readWatchedThings(text).things.map(({ certificate, domain }) => [certificate, domain]);
    expect(besides("www.shop.co.uk")).toEqual([["www.shop.co.uk", "shop.co.uk"]]);
    expect(besides("http://shop.com")).toEqual([[null, "shop.com"]]);
    expect(besides("https://192.0.2.1")).toEqual([[null, null]]);
    expect(besides("db.shop.com:5432")).toEqual([[null, null]]);
  });
});
