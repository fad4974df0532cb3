import { createHash, randomBytes } from "node:crypto";
import { type PostgresCheck, postgresCheck, type TlsMode } from "../contract/tls-check.ts";
import { IoFault } from "../lib/io-fault.ts";
import { type Conversation, converse, protocolFault } from "../net/conversation.ts";
import type { Probe } from "./port.ts";
import { scramClient } from "./scram.ts";
import { type Credentials, parseServer, type ServerTarget } from "./server-target.ts";

const PLAIN = { port: 5432, tls: "off" } as const;
const SSL_MODES: Readonly<Record<string, TlsMode>> = {
  disable: "off",
  require: "on",
  "verify-ca": "on",
  "verify-full": "on",
};
const PROTOCOL_3_0 = 196_608;
const SSL_REQUEST = 80_877_103;
const MESSAGE_MAX = 64 * 1024;
const CLEAR_PASSWORD =
  "the server asks for the password in clear: set tls_mode on, or allow_clear_password to send it without TLS";
/** The user if the target has none; whether it exists does not matter. */
const NOBODY: Credentials = { username: "vigil", password: "" };

/**
 * Without credentials any answer to the start-up message that comes from a server in service is a success; with them the
 * server has to run a query. Choice: our own few messages in place of a client library, whose weight every start of the
 * Worker would pay. https://www.postgresql.org/docs/current/protocol-flow.html
 */
export const postgresProbe: Probe<ServerTarget, PostgresCheck> = {
  type: "postgres",
  needs: ["tcp", "tls"],
  timeout_seconds: 10,
  options: postgresCheck,
  parseTarget: (text) =>
    parseServer(text, {
      schemes: { postgres: PLAIN, postgresql: PLAIN },
      hasCredentials: true,
      path: /^[^\p{Cc}]{1,63}$/u,
      parameter: { name: "sslmode", values: Object.keys(SSL_MODES) },
    }),
  destination: ({ host, port }) => ({ host, port }),
  check({ host, port, credentials, path, query }, { tls_mode, allow_clear_password }, io, signal) {
    const usesTls = (tls_mode ?? SSL_MODES[query.get("sslmode") ?? ""] ?? "off") !== "off";
    const request = { host, port, tls: usesTls ? "starttls" : "off" } as const;
    return converse(request, io, signal, async (conversation, details) => {
      if (usesTls) await startTls(conversation);
      Object.assign(details, { tls: usesTls, logged_in: false });
      const { username, password } = credentials ?? NOBODY;
      await conversation.write(startupMessage(username, path || username));
      if (!credentials) return expectService(conversation);
      await logIn(conversation, { username, password }, usesTls || allow_clear_password);
      details.logged_in = true;
      await runQuery(conversation);
      await conversation.farewell(message("X"));
      return "SELECT 1 succeeded";
    });
  },
};

async function startTls(conversation: Conversation): Promise<void> {
  await conversation.write(Buffer.concat([int32(8), int32(SSL_REQUEST)]));
  const [answer] = await conversation.readBytes(1);
  if (answer === 0x4e) throw new IoFault("tls", "the server does not offer TLS");
  if (answer !== 0x53) throw protocolFault("PostgreSQL");
  await conversation.startTls();
}

/** Being asked for a password, let in or turned away by name: all of it is said by a server in service. */
async function expectService(conversation: Conversation): Promise<string> {
  const { type, body } = await readMessage(conversation);
  if (type === "R") return "PostgreSQL server ready";
  if (type !== "E") throw protocolFault("PostgreSQL");
  const code = errorCodeOf(body);
  if (isOutOfService(code)) throw refusal(code);
  return "PostgreSQL server answers";
}

async function logIn(
  conversation: Conversation,
  { username, password }: Credentials,
  mayShowPassword: boolean,
): Promise<void> {
  const scram = scramClient({ username: "", password, nonce: randomBytes(18).toString("base64") });
  for (;;) {
    const { type, body } = await readMessage(conversation);
    if (type === "E") throw refusal(errorCodeOf(body));
    const payload = body.subarray(4);
    switch (type === "R" ? body.readInt32BE(0) : -1) {
      case 0:
        return;
      case 3:
        if (!mayShowPassword) throw new IoFault("unsupported", CLEAR_PASSWORD);
        await conversation.write(message("p", cString(password)));
        break;
      case 5:
        await conversation.write(message("p", cString(md5Password(username, password, payload))));
        break;
      case 10: {
        if (!payload.toString().split("\0").includes("SCRAM-SHA-256")) throw unknownLogin();
        const first = Buffer.from(scram.first);
        await conversation.write(message("p", cString("SCRAM-SHA-256"), int32(first.length), first));
        break;
      }
      case 11:
        await conversation.write(message("p", Buffer.from(scram.final(payload.toString()))));
        break;
      case 12:
        scram.verify(payload.toString());
        break;
      default:
        throw unknownLogin();
    }
  }
}

function unknownLogin(): IoFault {
  return new IoFault("unsupported", "the server asks for a login other than by password, SCRAM-SHA-256 or md5");
}

async function runQuery(conversation: Conversation): Promise<void> {
  await conversation.write(message("Q", cString("SELECT 1")));
  let hasRow = false;
  for (;;) {
    const { type, body } = await readMessage(conversation);
    if (type === "E") throw refusal(errorCodeOf(body));
    if (type === "D") hasRow = true;
    // The first ReadyForQuery ends the login, the one after the row ends the query.
    if (type === "Z" && hasRow) return;
  }
}

/** Skips what a server may say at any time: notices and parameters. */
async function readMessage(conversation: Conversation): Promise<{ type: string; body: Buffer }> {
  for (;;) {
    const head = Buffer.from(await conversation.readBytes(5));
    const type = String.fromCharCode(head[0] ?? 0);
    const length = head.readInt32BE(1);
    if (!/[A-Za-z]/.test(type) || length < 4 || length > MESSAGE_MAX) throw protocolFault("PostgreSQL");
    const body = Buffer.from(await conversation.readBytes(length - 4));
    if (type === "R" && body.length < 4) throw protocolFault("PostgreSQL");
    if (!"NSK".includes(type)) return { type, body };
  }
}

/** The SQLSTATE, which every error has; its text stays unread. */
function errorCodeOf(body: Buffer): string {
  const field = body
    .toString("latin1")
    .split("\0")
    .find((part) => part.startsWith("C"));
  const code = field?.slice(1) ?? "";
  if (!/^[0-9A-Z]{5}$/.test(code)) throw protocolFault("PostgreSQL");
  return code;
}

/** Starting, stopping or full: https://www.postgresql.org/docs/current/errcodes-appendix.html */
function isOutOfService(code: string): boolean {
  return code.startsWith("57") || code.startsWith("53") || code.startsWith("58") || code.startsWith("XX");
}

const REFUSALS: Readonly<Record<string, string>> = {
  "28000": "login refused",
  "28P01": "login refused",
  "3D000": "there is no such database",
  "53300": "too many connections",
  "57P03": "the server is starting or stopping",
};

function refusal(code: string): IoFault {
  return new IoFault("status", `${REFUSALS[code] ?? "the server answers with an error"} (SQLSTATE ${code})`);
}

function startupMessage(user: string, database: string): Buffer {
  const pairs = ["user", user, "database", database, "application_name", "vigil"];
  const body = Buffer.concat([int32(PROTOCOL_3_0), ...pairs.map(cString), Buffer.from([0])]);
  return Buffer.concat([int32(body.length + 4), body]);
}

function message(type: string, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from(type), int32(body.length + 4), body]);
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

function cString(text: string): Buffer {
  return Buffer.from(`${text}\0`);
}

function md5Password(username: string, password: string, salt: Uint8Array): string {
  const md5 = (...parts: (string | Uint8Array)[]) => {
    const hash = createHash("md5");
    for (const part of parts) hash.update(part);
    return hash.digest("hex");
  };
  return `md5${md5(md5(password, username), salt)}`;
}
