import { describe, expect, it } from "vitest";
import { BufferedReader, bodyChunks, readHead } from "./http-message.ts";

/** The same bytes in one piece, or letter by letter. */
function sourceOf(text: string, size: number) {
  const pieces = text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];
  return { read: async () => (pieces.length > 0 ? new TextEncoder().encode(pieces.shift()) : null) };
}

async function read(text: string, size = 1e6) {
  const inbox = new BufferedReader(sourceOf(text, size));
  const head = await readHead(inbox);
  let body = "";
  for await (const chunk of bodyChunks(head, inbox)) body += new TextDecoder().decode(chunk);
  return { status: head.status, headers: Object.fromEntries(head.headers), body };
}

describe("an HTTP/1.1 answer", () => {
  it.each<[name: string, text: string, expected: object]>([
    [
      "ends with the connection",
      "HTTP/1.1 200 OK\r\nA: b\r\n\r\nall",
      { status: 200, headers: { a: "b" }, body: "all" },
    ],
    ["ends by its length", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcdef", { body: "abc" }],
    [
      "comes in chunks",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n2\r\nde\r\n0\r\n\r\n",
      { body: "abcde" },
    ],
    [
      "follows an interim one",
      "HTTP/1.1 103 Early\r\nLink: x\r\n\r\nHTTP/1.1 404 Nope\r\n\r\n",
      { status: 404, headers: {} },
    ],
    ["needs no reason phrase", "HTTP/1.0 204\r\n\r\n", { status: 204 }],
    ["may use bare line feeds", "HTTP/1.1 200 OK\na: 1\na: 2\n\nx", { headers: { a: "1, 2" }, body: "x" }],
  ])("%s", async (_name, text, expected) => {
    expect(await read(text)).toMatchObject(expected);
    expect(await read(text, 1)).toMatchObject(expected);
  });

  it.each<[name: string, text: string, kind: string]>([
    ["another protocol", "SSH-2.0-OpenSSH_9.9\r\n", "protocol"],
    ["a status that is none", "HTTP/1.1 abc\r\n\r\n", "protocol"],
    ["a header without a name", "HTTP/1.1 200 OK\r\n: x\r\n\r\n", "protocol"],
    ["a header name with a blank", "HTTP/1.1 200 OK\r\na b: x\r\n\r\n", "protocol"],
    ["a head without end", `HTTP/1.1 200 OK\r\n${"a: b\r\n".repeat(20_000)}`, "protocol"],
    ["a line without end", "x".repeat(10_000), "protocol"],
    ["a length that is none", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", "protocol"],
    ["a chunk size that is none", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", "protocol"],
    ["a chunk longer than its size", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n", "protocol"],
    ["a body shorter than its length", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc", "connect"],
    ["an end in the middle of the head", "HTTP/1.1 200 OK\r\na: ", "connect"],
  ])("is refused for %s", async (_name, text, kind) => {
    await expect(read(text)).rejects.toMatchObject({ kind });
  });
});
