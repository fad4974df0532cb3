import { domainOf, type Mailbox } from "../lib/mailbox.ts";
import { oneLine } from "../lib/one-line.ts";

/**
 * A message as it goes over the wire: RFC 5322 with RFC 2045 to 2047, lines ended by CR LF. Every line is ASCII and short,
 * so that each server takes it as it is; only addresses may hold other letters, where the server offers SMTPUTF8.
 */
export interface MimeMessage {
  /** Makes the Message-ID and the boundary: the same letter is the same bytes, however often it is sent. */
  id: string;
  from: Mailbox;
  to: string;
  subject: string;
  text: string;
  html?: string | undefined;
  /** Values are addresses of the web or fixed words; non-ASCII characters are percent-encoded. */
  headers?: Record<string, string> | undefined;
  /** Epoch ms. */
  created_at: number;
}

const CRLF = "\r\n";
/** RFC 2047, section 2, for lines that hold encoded words; everything else keeps to it, too. */
const LINE_MAX = 76;
/** Of UTF-8 in one encoded word: its line stays within the limit even behind the longest name of a header. */
const WORD_BYTES = 39;
/** RFC 5322, section 2.1.1: a word that cannot be folded and is longer is encoded, which folds anywhere. */
const UNFOLDED_MAX = 900;

export function composeLetter({ id, from, to, subject, text, html, headers = {}, created_at }: MimeMessage): string {
  const head = [
    header("From", from.name === "" ? from.address : `${phrase(from.name)} <${from.address}>`),
    header("To", to),
    header("Subject", words(oneLine(subject))),
    header("Date", new Date(created_at).toUTCString().replace("GMT", "+0000")),
    header("Message-ID", `<${id}@${inAscii(domainOf(from.address))}>`),
    // No automatic answers, please: RFC 3834.
    header("Auto-Submitted", "auto-generated"),
    ...Object.entries(headers).map(([name, value]) => header(name, inAscii(value))),
    "MIME-Version: 1.0",
  ];
  if (html === undefined) return `${[...head, part("plain", text)].join(CRLF)}${CRLF}`;
  // No line of quoted-printable can be this one: "=_" is not part of that code.
  const boundary = `=_${id}`;
  return [
    ...head,
    `Content-Type: multipart/alternative; boundary="${boundary}"`,
    "",
    `--${boundary}`,
    part("plain", text),
    `--${boundary}`,
    part("html", html),
    `--${boundary}--`,
    "",
  ].join(CRLF);
}

function part(kind: "plain" | "html", text: string): string {
  return [
    `Content-Type: text/${kind}; charset=utf-8`,
    "Content-Transfer-Encoding: quoted-printable",
    "",
    quotedPrintable(text),
  ].join(CRLF);
}

/** Folded at spaces, which unfolding gives back. */
function header(name: string, value: string): string {
  let line = `${name}:`;
  const lines: string[] = [];
  for (const [index, word] of value.split(" ").entries()) {
    if (index > 0 && line.length + 1 + word.length > LINE_MAX) {
      lines.push(line);
      line = "";
    }
    line += ` ${word}`;
  }
  return [...lines, line].join(CRLF);
}

function phrase(text: string): string {
  const name = oneLine(text);
  return isPlain(name) ? `"${name.replace(/[\\"]/g, "\\$&")}"` : words(name);
}

/** Free text of a header. */
function words(text: string): string {
  if (isPlain(text)) return text;
  const encoded: string[] = [];
  let taken = "";
  for (const letter of text) {
    if (Buffer.byteLength(taken + letter) > WORD_BYTES) {
      encoded.push(taken);
      taken = "";
    }
    taken += letter;
  }
  return [...encoded, taken].map((word) => `=?utf-8?B?${Buffer.from(word).toString("base64")}?=`).join(" ");
}

/** Whether it may stand in a header as it is. */
function isPlain(text: string): boolean {
  return (
    /^[\x20-\x7e]*$/.test(text) && !text.includes("=?") && text.split(" ").every((word) => word.length <= UNFOLDED_MAX)
  );
}

function inAscii(value: string): string {
  return value.toWellFormed().replace(/[^\x20-\x7e]/gu, encodeURIComponent);
}

/** RFC 2045, section 6.7. */
export function quotedPrintable(text: string): string {
  return text
    .split(/\r\n|\r|\n/)
    .map(encodeLine)
    .join(CRLF);
}

function encodeLine(line: string): string {
  const bytes = new TextEncoder().encode(line);
  const tokens = Array.from(bytes, (byte, index) => {
    const isSpace = byte === 32 || byte === 9;
    const isLiteral = isSpace ? index + 1 < bytes.length : byte > 32 && byte < 127 && byte !== 61;
    return isLiteral ? String.fromCharCode(byte) : `=${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  });
  let encoded = "";
  let length = 0;
  for (const token of tokens) {
    if (length + token.length > LINE_MAX - 1) {
      encoded += `=${CRLF}`;
      length = 0;
    }
    encoded += token;
    length += token.length;
  }
  return encoded;
}
