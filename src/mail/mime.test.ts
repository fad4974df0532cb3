import PostalMime from "postal-mime";
import { describe, expect, it } from "vitest";
import { parseMailbox, withAsciiDomain } from "../lib/mailbox.ts";
import { composeLetter, type MimeMessage, quotedPrintable } from "./mime.ts";

const letter = (changes: Partial<MimeMessage> = {}): MimeMessage => ({
  id: "0190-aa",
  from: { name: "", address: "vigil@example.com" },
  to: "ann@example.org",
  subject: "Hello",
  text: "One line.\n",
  created_at: Date.UTC(2026, 10, 20, 9, 5, 7),
  ...changes,
});
const parse = (changes: Partial<MimeMessage>) => PostalMime.parse(composeLetter(letter(changes)));

describe("a letter", () => {
  it("is this, byte by byte, whenever it is composed", () => {
    expect(composeLetter(letter()).split("\r\n")).toEqual([
      "From: vigil@example.com",
      "To: ann@example.org",
      "Subject: Hello",
      "Date: Fri, 20 Nov 2026 09:05:07 +0000",
      "Message-ID: <0190-aa@example.com>",
      "Auto-Submitted: auto-generated",
      "MIME-Version: 1.0",
      "Content-Type: text/plain; charset=utf-8",
      "Content-Transfer-Encoding: quoted-printable",
      "",
      "One line.",
      "",
      "",
    ]);
  });

  it("carries text and HTML side by side, each as it was written", async () => {
    const text = "Grüße,\n.\n..two\n.three 🎈\n\ttab and trailing space \nFrom here = there\n-- \nVigil\n";
    const html = `<p>Grüße &amp; <a href="https://example.com/?a=1&amp;b=2">Köln</a> ${"lang ".repeat(60)}</p>\n`;
    const parsed = await parse({ text, html });
    // The parser ends what it gives with one line feed more.
    expect([parsed.text, parsed.html]).toEqual([`${text}\n`, `${html}\n`]);
    expect(parsed.headers.find(({ key }) => key === "content-type")?.value).toContain("multipart/alternative");
  });

  it.each([
    ["plain", "Incident on Shop: new"],
    ["with umlauts", "Störung bei Müller & Söhne: behoben"],
    ["with letters beyond the first plane", "🎈".repeat(60)],
    ["long and plain", "word ".repeat(60).trim()],
    ["without a space to fold at", "x".repeat(2000)],
    ["that looks like an encoded word", "=?utf-8?Q?caf=C3=A9?="],
    ["with an umlaut at every place of a word's end", `${"a".repeat(38)}ä${"b".repeat(37)}ää${"c".repeat(39)}é`],
  ])("keeps a subject %s", async (_name, subject) => {
    expect((await parse({ subject })).subject).toBe(subject);
  });

  it("has a subject in one line, with any characters in it", async () => {
    const parsed = await parse({ subject: "Hello\r\nBcc: all@example.org\n\u2028 x\u0000y" });
    expect(parsed.bcc).toBeUndefined();
    expect(parsed.subject).toBe("Hello Bcc: all@example.org x\u0000y");
  });

  it("lets no header value begin another header or leave ASCII", async () => {
    const headers = { "List-Unsubscribe": "<https://stätus.example/a>\r\nBcc: all@example.org" };
    const parsed = await parse({ headers });
    expect(parsed.bcc).toBeUndefined();
    expect(parsed.headers.find(({ key }) => key === "list-unsubscribe")?.value).toBe(
      "<https://st%C3%A4tus.example/a>%0D%0ABcc: all@example.org",
    );
  });

  it("has short lines of ASCII only", () => {
    const composed = composeLetter(
      letter({
        from: { name: "Überwachung ".repeat(10), address: "vigil@example.com" },
        subject: "Ä ".repeat(200),
        text: `${"日本語 ".repeat(200)}\n${"x".repeat(500)}\n`,
        html: `<p>${"é".repeat(500)}</p>`,
      }),
    );
    expect(composed).toMatch(/^[\x20-\x7e\r\n]*$/);
    expect(composed.replaceAll("\r\n", "")).not.toMatch(/[\r\n]/);
    expect(Math.max(...composed.split("\r\n").map((line) => line.length))).toBeLessThanOrEqual(76);
  });

  it.each([
    "Vigil",
    'The "Vigil", Inc.',
    "Überwachung der Schürenhöfe und Übergänge zu Köln am Rhein",
  ])("is from %s", async (name) => {
    const parsed = await parse({ from: { name, address: "vigil@example.com" } });
    expect(parsed.from).toMatchObject({ name, address: "vigil@example.com" });
  });
});

describe("quotedPrintable", () => {
  it.each([
    ["", ""],
    ["a=b", "a=3Db"],
    ["end \n", "end=20\r\n"],
    ["tab\t", "tab=09"],
    ["ä", "=C3=A4"],
    ["x".repeat(75), "x".repeat(75)],
    ["x".repeat(76), `${"x".repeat(75)}=\r\nx`],
    [`${"x".repeat(74)}ä`, `${"x".repeat(74)}=\r\n=C3=A4`],
    ["a\r\nb\rc\nd", "a\r\nb\r\nc\r\nd"],
  ])("%j", (text, encoded) => {
    expect(quotedPrintable(text)).toBe(encoded);
  });
});

describe("parseMailbox", () => {
  it.each([
    ["ann@example.com", { name: "", address: "ann@example.com" }],
    [" <ann@example.com> ", { name: "", address: "ann@example.com" }],
    ["Ann Lee <ann@example.com>", { name: "Ann Lee", address: "ann@example.com" }],
    ['"Lee, Ann" <ann@example.com>', { name: "Lee, Ann", address: "ann@example.com" }],
    ["Status Köln <status@köln.example>", { name: "Status Köln", address: "status@köln.example" }],
    ["ann", null],
    ["Ann ann@example.com", null],
    ["ann@example.com, bob@example.com", null],
    ["Ann <ann@example.com>\r\nBcc: x@example.com", null],
    ["A\u0007 <ann@example.com>", null],
    ["a@b@c", null],
  ])("%j", (text, mailbox) => {
    expect(parseMailbox(text)).toEqual(mailbox);
  });
});

describe("withAsciiDomain", () => {
  it.each([
    ["ann@example.com", "ann@example.com"],
    ["status@köln.example", "status@xn--kln-sna.example"],
    ["jörg@köln.example", "jörg@xn--kln-sna.example"],
    ["ann@[192.0.2.1", "ann@[192.0.2.1"],
  ])("%s", (address, expected) => {
    expect(withAsciiDomain(address)).toBe(expected);
  });
});
