import { describe, expect, it } from "vitest";
import { scriptedIo } from "../../test/support/scripted-io.ts";
import { type Conversation, converse } from "./conversation.ts";

type Talk = (conversation: Conversation, details: Record<string, unknown>) => Promise<string>;

async function run(reads: (string | Uint8Array)[], talk: Talk) {
  const io = scriptedIo({ connect: [reads] });
  const request = { host: "a.example", port: 1, tls: "starttls" } as const;
  const result = await converse(request, io, new AbortController().signal, talk);
  return { result, written: io.written, open: io.openSockets() };
}

describe("a conversation", () => {
  it("joins what comes in pieces and keeps what comes too early", async () => {
    const talk: Talk = async (server) =>
      [await server.readLine(), await server.readLine(), String(await server.readBytes(3))].join("|");
    const { result } = await run(["a", "b\r", "\ncd\n\x01\x02", "\x03"], talk);
    expect(result).toMatchObject({ outcome: "success", message: "ab|cd|1,2,3" });
  });

  it.each<[name: string, reads: string[], talk: Talk, expected: object]>([
    [
      "the end",
      ["half"],
      (server) => server.readLine(),
      { cause: "connect", message: "connection closed before a valid answer" },
    ],
    [
      "a line without end",
      ["x".repeat(8193)],
      (server) => server.readLine(),
      { message: "the answer has a line without end" },
    ],
    [
      "too many lines",
      Array.from({ length: 300 }, () => `${"x".repeat(1000)}\n`),
      drain,
      { message: "the answer is too long" },
    ],
    [
      "a length beyond reason",
      [],
      async (server) => String(await server.readBytes(2 ** 31)),
      { message: "the answer is too long" },
    ],
    [
      "words before TLS begins",
      ["220 go\r\ninjected\r\n"],
      startTls,
      { message: "the server talked on before TLS began" },
    ],
  ])("fails at %s and closes", async (_name, reads, talk, expected) => {
    const { result, open } = await run(reads, talk);
    expect(result).toMatchObject({ outcome: "failure", latency_ms: null, ...expected });
    expect(open).toBe(0);
  });

  it("keeps what was learned before a failure", async () => {
    const { result } = await run([], async (server, details) => {
      details.step = 1;
      return server.readLine();
    });
    expect(result).toMatchObject({ outcome: "failure", details: { step: 1 } });
  });

  it("gives back a finding as it is, with the time it took", async () => {
    const io = scriptedIo({ connect: [[]] });
    const finding = { outcome: "failure", cause: "body", message: "differs" } as const;
    const request = { host: "a.example", port: 1, tls: "off" } as const;
    const result = await converse(request, io, new AbortController().signal, async () => finding);
    expect(result).toEqual({ ...finding, latency_ms: 5, details: {} });
  });
});

async function drain(server: Conversation): Promise<string> {
  for (;;) await server.readLine();
}

async function startTls(server: Conversation): Promise<string> {
  await server.readLine();
  await server.startTls();
  return "encrypted";
}
