import { type TlsCheck, tlsCheck } from "../contract/tls-check.ts";
import { IoFault } from "../lib/io-fault.ts";
import { type Conversation, converse, protocolFault } from "../net/conversation.ts";
import { inFull, loginAnswer } from "./mysql-login.ts";
import type { Probe } from "./port.ts";
import { type Credentials, parseServer, type ServerTarget } from "./server-target.ts";

const PLAIN = { port: 3306, tls: "off" } as const;
const PACKET_MAX = 64 * 1024;
const UTF8MB4 = 45;
/** Its length is one byte, whose highest values mean other things. */
const ANSWER_MAX = 250;

const CONNECT_WITH_DB = 0x8;
const PROTOCOL_41 = 0x200;
const SSL = 0x800;
const SECURE_CONNECTION = 0x8000;
const PLUGIN_AUTH = 0x80000;

const OK = 0;
const MORE_DATA = 1;
const SWITCH_METHOD = 0xfe;
const ERROR = 0xff;
/** Of caching_sha2_password: the server has forgotten the user and needs the password itself. */
const FULL_LOGIN = 4;

const ACCESS_DENIED = 1045;
/** Errors of a server in good health that does not know us: no access, no such user, host, database or method. */
const ADMISSION = [1044, ACCESS_DENIED, 1049, 1130, 1251, 1698];
const REFUSALS: Readonly<Record<number, string>> = {
  1040: "too many connections",
  1044: "the user may not use the database",
  [ACCESS_DENIED]: "login refused",
  1049: "there is no such database",
  1129: "the server has blocked this host",
  1130: "this host is not allowed to connect",
  1698: "login refused",
  3159: "the server accepts TLS connections only: set tls_mode to on",
};
/** The user if the target has none: the anonymous user, whose rejection shows a working server, too. */
const NOBODY: Credentials = { username: "", password: "" };

/**
 * Always continues to a login, because a server blocks the hosts that leave too often before one. Without credentials any
 * verdict on it is a success; with them the server has to run a query. Choice: our own few packets in place of a client
 * library, which weighs more than the whole Worker.
 * https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_connection_phase.html
 */
export const mysqlProbe: Probe<ServerTarget, TlsCheck> = {
  type: "mysql",
  needs: ["tcp", "tls"],
  timeout_seconds: 10,
  options: tlsCheck(["off", "on"]),
  parseTarget: (text) =>
    parseServer(text, {
      schemes: { mysql: PLAIN, mariadb: PLAIN },
      hasCredentials: true,
      path: /^[^\p{Cc}]{1,64}$/u,
    }),
  destination: ({ host, port }) => ({ host, port }),
  check({ host, port, credentials, path }, { tls_mode }, io, signal) {
    const usesTls = (tls_mode ?? "off") !== "off";
    const request = { host, port, tls: usesTls ? "starttls" : "off" } as const;
    return converse(request, io, signal, async (conversation, details) => {
      Object.assign(details, { tls: usesTls, logged_in: false });
      const greeting = await readGreeting(conversation);
      if (typeof greeting === "number") return refused(greeting, { credentials, maySwitchToTls: false });
      details.version = greeting.version;
      const login = { ...(credentials ?? NOBODY), database: credentials ? path : "" };
      const code = await logIn(conversation, greeting, login, usesTls);
      const maySwitchToTls = !usesTls && (greeting.capabilities & SSL) !== 0;
      if (code !== OK) return refused(code, { credentials, maySwitchToTls });
      details.logged_in = credentials !== null;
      const queryCode = credentials ? await runQuery(conversation) : OK;
      if (queryCode !== OK) return refused(queryCode, { credentials, maySwitchToTls });
      await conversation.farewell(packet(0, [1]));
      return credentials ? "SELECT 1 succeeded" : "MySQL server ready";
    });
  },
};

function refused(code: number, login: { credentials: Credentials | null; maySwitchToTls: boolean }): string {
  if (!login.credentials && ADMISSION.includes(code)) return "MySQL server ready";
  const reason = REFUSALS[code] ?? "the server answers with an error";
  // Of an account with REQUIRE SSL the server says no more than of a wrong password.
  const hint = code === ACCESS_DENIED && login.maySwitchToTls ? "; an account that requires TLS needs tls_mode on" : "";
  throw new IoFault("status", `${reason}${hint} (error ${code})`);
}

interface Greeting {
  version: string;
  capabilities: number;
  scramble: Uint8Array;
  method: string;
  sequence: number;
}

/** A server that is full or has something against our host says so in place of a greeting: the code of its error. */
async function readGreeting(conversation: Conversation): Promise<Greeting | number> {
  const { body, sequence } = await readPacket(conversation);
  if (body[0] === ERROR) return errorCodeOf(body);
  const versionEnd = body.indexOf(0, 1);
  const rest = body.subarray(versionEnd + 1);
  // Thread id (4), scramble (8), filler (1), capabilities (2), charset (1), status (2), capabilities (2), length (1), zeros (10).
  if (body[0] !== 10 || versionEnd < 2 || rest.length < 43) throw protocolFault("MySQL");
  const scrambleEnd = 31 + Math.max(12, (rest[20] ?? 0) - 9);
  const version = body.toString("latin1", 1, versionEnd);
  return {
    version: /^\d+\.\d+\.\d+(-MariaDB)?/.exec(version.replace(/^5\.5\.5-(?=\d)/, ""))?.[0] ?? "unknown",
    capabilities: rest.readUInt16LE(13) | (rest.readUInt16LE(18) << 16),
    scramble: Buffer.concat([rest.subarray(4, 12), rest.subarray(31, scrambleEnd)]),
    method: textUntilNul(rest.subarray(scrambleEnd + 1)),
    sequence,
  };
}

type Login = Credentials & { database: string };

/** Gives the code of the error, 0 for a login that was accepted. */
async function logIn(conversation: Conversation, greeting: Greeting, login: Login, usesTls: boolean): Promise<number> {
  let sequence = greeting.sequence + 1;
  const head = loginHead(login.database !== "", usesTls);
  if (usesTls) {
    if ((greeting.capabilities & SSL) === 0) throw new IoFault("tls", "the server does not offer TLS");
    await conversation.write(packet(sequence++, head));
    await conversation.startTls();
  }
  // A method that we do not know is answered as the oldest one; the server then names the one it wants.
  let method = loginAnswer(greeting.method) === null ? "mysql_native_password" : greeting.method;
  const answer = (scramble: Uint8Array) => answerOf(method, login.password, scramble, usesTls);
  await conversation.write(packet(sequence, loginBody(head, login, method, answer(greeting.scramble))));
  for (;;) {
    const { body, sequence: heard } = await readPacket(conversation);
    sequence = heard + 1;
    if (body[0] === OK) return OK;
    if (body[0] === ERROR) return errorCodeOf(body);
    if (body[0] === SWITCH_METHOD) {
      method = textUntilNul(body.subarray(1));
      await conversation.write(packet(sequence, answer(body.subarray(method.length + 2, -1))));
    } else if (body[0] === MORE_DATA && body[1] === FULL_LOGIN) {
      await conversation.write(packet(sequence, inFull(login.password, new Uint8Array(), usesTls)));
    } else if (body[0] !== MORE_DATA) throw protocolFault("MySQL");
  }
}

function answerOf(method: string, password: string, scramble: Uint8Array, usesTls: boolean): Uint8Array {
  const answer = loginAnswer(method);
  if (answer) return answer(password, scramble, usesTls);
  if (password === "") return new Uint8Array();
  throw new IoFault("unsupported", "the server asks for a login method that is not supported");
}

/** Gives the code of the error, 0 for rows, which need not be read. */
async function runQuery(conversation: Conversation): Promise<number> {
  await conversation.write(packet(0, [3, ...Buffer.from("SELECT 1")]));
  const { body } = await readPacket(conversation);
  return body[0] === ERROR ? errorCodeOf(body) : OK;
}

async function readPacket(conversation: Conversation): Promise<{ body: Buffer; sequence: number }> {
  const head = Buffer.from(await conversation.readBytes(4));
  const length = head.readUIntLE(0, 3);
  if (length === 0 || length > PACKET_MAX) throw protocolFault("MySQL");
  return { body: Buffer.from(await conversation.readBytes(length)), sequence: head[3] ?? 0 };
}

function errorCodeOf(body: Buffer): number {
  if (body.length < 3) throw protocolFault("MySQL");
  return body.readUInt16LE(1);
}

function packet(sequence: number, body: Uint8Array | readonly number[]): Buffer {
  const head = Buffer.alloc(4);
  head.writeUIntLE(body.length, 0, 3);
  head[3] = sequence & 0xff;
  return Buffer.concat([head, Buffer.from(body)]);
}

/** Capabilities, packet size, charset and padding; alone it requests TLS. */
function loginHead(hasDatabase: boolean, usesTls: boolean): Buffer {
  const head = Buffer.alloc(32);
  const wanted = PROTOCOL_41 | SECURE_CONNECTION | PLUGIN_AUTH;
  head.writeUInt32LE(wanted | (hasDatabase ? CONNECT_WITH_DB : 0) | (usesTls ? SSL : 0), 0);
  head.writeUInt32LE(PACKET_MAX, 4);
  head[8] = UTF8MB4;
  return head;
}

function loginBody(head: Buffer, { username, database }: Login, method: string, answer: Uint8Array): Buffer {
  if (answer.length > ANSWER_MAX) throw new IoFault("unsupported", "the password is too long for this login method");
  return Buffer.concat([
    head,
    Buffer.from(`${username}\0`),
    Buffer.from([answer.length]),
    answer,
    Buffer.from(database === "" ? "" : `${database}\0`),
    Buffer.from(`${method}\0`),
  ]);
}

function textUntilNul(bytes: Buffer): string {
  const end = bytes.indexOf(0);
  return bytes.toString("latin1", 0, end < 0 ? bytes.length : end);
}
