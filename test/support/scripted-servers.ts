import { createHash, createHmac, pbkdf2Sync } from "node:crypto";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { decode, streamEncode } from "dns-packet";

/**
 * Servers on loopback that speak as much of their protocol as a check needs, for places where no real one can run. All
 * know the user `ann` with the password `secret`; PostgreSQL asks for SCRAM-SHA-256.
 */
export interface ServerPorts {
  smtp: number;
  pop3: number;
  imap: number;
  telnet: number;
  redis: number;
  postgres: number;
  mysql: number;
  dns: number;
  /** A resolver that answers questions by HTTP, in JSON. */
  doh: number;
}

const PASSWORD = "secret";
const ADDRESS = "192.0.2.1";

export async function startScriptedServers(): Promise<{ ports: ServerPorts; stop(): Promise<void> }> {
  const servers = {
    smtp: lines("220 ready", { EHLO: "250-localhost\r\n250 HELP", QUIT: "221 bye" }),
    pop3: lines("+OK", { CAPA: "+OK\r\nUSER\r\n.", "USER ann": "+OK", [`PASS ${PASSWORD}`]: "+OK" }, "-ERR"),
    imap: lines(
      "* OK",
      { "a CAPABILITY": "* CAPABILITY IMAP4rev1\r\na OK", [`a LOGIN "ann" "${PASSWORD}"`]: "a OK" },
      "a NO",
    ),
    telnet: createServer((socket) => void socket.write(Buffer.from([255, 253, 24]))),
    redis: createServer((socket) => void socket.on("data", (data) => socket.write(redisAnswer(String(data))))),
    postgres: createServer(speakPostgres),
    mysql: createServer(speakMysql),
    dns: createServer((socket) => void socket.on("data", (data: Buffer) => socket.write(dnsAnswer(data)))),
    doh: createHttpServer((request, response) => {
      const { searchParams } = new URL(request.url ?? "", "http://localhost");
      const exists = searchParams.get("name") === "www.example.test" && searchParams.get("type") === "A";
      const Answer = exists ? [{ name: "www.example.test", type: 1, TTL: 60, data: ADDRESS }] : [];
      response.end(JSON.stringify({ Status: exists ? 0 : 3, Answer }));
    }),
  } satisfies Record<keyof ServerPorts, Server>;
  const sockets = new Set<Socket>();
  const listening = Object.entries(servers).map(async ([name, server]): Promise<[string, number]> => {
    server.on("connection", (socket: Socket) => sockets.add(socket.on("error", () => {})));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return [name, (server.address() as AddressInfo).port];
  });
  return {
    // One entry for each key of `servers`, which has the names of ServerPorts.
    ports: Object.fromEntries(await Promise.all(listening)) as unknown as ServerPorts,
    async stop() {
      const closed = Object.values(servers).map((server) => new Promise((resolve) => server.close(resolve)));
      for (const socket of sockets) socket.destroy();
      await Promise.all(closed);
    },
  };
}

/** Answers each line by the first entry that it begins with. */
function lines(greeting: string, answers: Record<string, string>, otherwise = "500 what"): Server {
  return createServer((socket) => {
    socket.write(`${greeting}\r\n`);
    socket.on("data", (data) => {
      const key = Object.keys(answers).find((start) => String(data).startsWith(start));
      socket.write(`${key === undefined ? otherwise : answers[key]}\r\n`);
    });
  });
}

function redisAnswer(command: string): string {
  if (command.includes("PING")) return "+PONG\r\n";
  return command.includes(`ann\r\n$6\r\n${PASSWORD}\r\n`) ? "+OK\r\n" : "-WRONGPASS no\r\n";
}

function dnsAnswer(question: Buffer): Buffer {
  const { id, questions = [] } = decode(question.subarray(2));
  const [asked] = questions;
  const exists = asked?.name === "www.example.test" && asked.type === "A";
  const answers = exists ? [{ type: "A" as const, name: asked.name, ttl: 60, data: ADDRESS }] : [];
  const reply = { type: "response" as const, id, flags: exists ? 0 : 3, questions, answers };
  return streamEncode(reply);
}

const NONCE = "server-nonce";
const SALT = Buffer.from("0123456789abcdef");

function speakPostgres(socket: Socket): void {
  const signed: string[] = [];
  let hasStarted = false;
  socket.on("data", (data: Buffer) => {
    const text = String(data.subarray(5));
    const isQuery = hasStarted && data[0] === 0x51;
    if (!hasStarted) {
      hasStarted = true;
      socket.write(message("R", int32(10), "SCRAM-SHA-256\0\0"));
    } else if (isQuery) {
      socket.write(Buffer.concat([message("T", "\0\0"), message("D", "\0\0"), message("C", "SELECT 1\0"), READY]));
    } else if (signed.length === 0) {
      const first = text.slice(text.indexOf("n,,") + 3);
      const challenge = `r=${first.slice(first.indexOf("r=") + 2)}${NONCE},s=${SALT.toString("base64")},i=4096`;
      signed.push(first, challenge);
      socket.write(message("R", int32(11), challenge));
    } else {
      socket.write(scramVerdict(signed, text));
    }
  });
}

/** Knows the password only by what a server keeps of it: RFC 5802, section 3. */
function scramVerdict(signed: string[], final: string): Buffer {
  const salted = pbkdf2Sync(PASSWORD, SALT, 4096, 32, "sha256");
  const storedKey = createHash("sha256").update(hmac(salted, "Client Key")).digest();
  const [withoutProof = "", proof = ""] = final.split(",p=");
  const all = [...signed, withoutProof].join(",");
  const signature = hmac(storedKey, all);
  const key = xor(Buffer.from(proof, "base64"), signature);
  if (!createHash("sha256").update(key).digest().equals(storedKey)) return message("E", "C28P01\0\0");
  const ours = hmac(hmac(salted, "Server Key"), all).toString("base64");
  return Buffer.concat([message("R", int32(12), `v=${ours}`), message("R", int32(0)), READY]);
}

function xor(left: Buffer, right: Buffer): Buffer {
  return Buffer.from(Uint8Array.from(left, (byte, index) => byte ^ (right[index] ?? 0)));
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}

function message(type: string, ...parts: (string | Buffer)[]): Buffer {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part)));
  return Buffer.concat([Buffer.from(type), int32(body.length + 4), body]);
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

const READY = message("Z", "I");
const SCRAMBLE = "0123456789abcdefghij";

function speakMysql(socket: Socket): void {
  const capabilities = Buffer.from([0xff, 0xf7, 45, 2, 0, 0xff, 0xff, 21]);
  const start = ["\x0a8.4.3\0", Buffer.alloc(4), SCRAMBLE.slice(0, 8), "\0", capabilities, Buffer.alloc(10)];
  socket.write(packet(0, ...start, SCRAMBLE.slice(8), "\0mysql_native_password\0"));
  const sha1 = (...parts: (string | Buffer)[]) =>
    createHash("sha1")
      .update(Buffer.concat(parts.map((part) => Buffer.from(part))))
      .digest();
  const mask = sha1(SCRAMBLE, sha1(sha1(PASSWORD)));
  const proof = xor(sha1(PASSWORD), mask);
  socket.on("data", (data: Buffer) => {
    if (data.includes("SELECT 1")) socket.write(packet(1, Buffer.of(1)));
    else if (data.includes(proof)) socket.write(packet(2, Buffer.alloc(7)));
    else socket.write(packet(2, Buffer.from([255, 0x15, 0x04]), "#28000no"));
  });
}

function packet(sequence: number, ...parts: (string | Buffer)[]): Buffer {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part)));
  return Buffer.concat([Buffer.from([body.length, 0, 0, sequence]), body]);
}
