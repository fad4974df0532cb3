import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";

/**
 * A stub: one broker without topics that demands SASL/PLAIN, by the published protocol
 * (https://kafka.apache.org/protocol). librdkafka's mock cluster knows no SASL.
 */
export interface SaslBroker {
  port: number;
  /** Logins that were tried: `user:password`. */
  logins: string[];
  stop(): void;
}

const API = { metadata: 3, saslHandshake: 17, apiVersions: 18, saslAuthenticate: 36 } as const;
/** Only the versions whose forms are written below. */
const VERSIONS: readonly [key: number, min: number, max: number][] = [
  [API.metadata, 2, 2],
  [API.saslHandshake, 1, 1],
  [API.apiVersions, 0, 0],
  [API.saslAuthenticate, 0, 0],
];
const AUTHENTICATION_FAILED = 58;

const int16 = (value: number) => {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
};
const int32 = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
};
const text = (value: string | null) =>
  value === null ? int16(-1) : Buffer.concat([int16(Buffer.byteLength(value)), Buffer.from(value)]);
const list = (items: readonly Buffer[]) => Buffer.concat([int32(items.length), ...items]);

export async function startSaslBroker(accepted: string): Promise<SaslBroker> {
  const logins: string[] = [];
  const server = createServer((socket) => serve(socket, { accepted, logins, port: () => portOf() }));
  const portOf = () => (server.address() as AddressInfo).port;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { port: portOf(), logins, stop: () => void server.close() };
}

interface Broker {
  accepted: string;
  logins: string[];
  port(): number;
}

function serve(socket: Socket, broker: Broker): void {
  let received = Buffer.alloc(0);
  let isAuthenticated = false;
  socket.on("error", () => {});
  socket.on("data", (chunk) => {
    received = Buffer.concat([received, chunk]);
    while (received.length >= 4 && received.length >= 4 + received.readInt32BE(0)) {
      const request = received.subarray(4, 4 + received.readInt32BE(0));
      received = received.subarray(4 + request.length);
      const key = request.readInt16BE(0);
      if (key === API.saslAuthenticate) isAuthenticated = authenticates(request, broker);
      // A broker ends a connection that asks before it has authenticated.
      if (key === API.metadata && !isAuthenticated) return void socket.destroy();
      const body = Buffer.concat([request.subarray(4, 8), answerTo(key, { isAuthenticated, port: broker.port() })]);
      socket.write(Buffer.concat([int32(body.length), body]));
    }
  });
}

/** After the header (key, version, correlation id, client id) come the bytes `\0user\0password` (RFC 4616). */
function authenticates(request: Buffer, { accepted, logins }: Broker): boolean {
  const header = 8 + 2 + Math.max(0, request.readInt16BE(8));
  const [, user = "", password = ""] = request
    .subarray(header + 4)
    .toString("utf8")
    .split("\0");
  logins.push(`${user}:${password}`);
  return `${user}:${password}` === accepted;
}

function answerTo(key: number, { isAuthenticated, port }: { isAuthenticated: boolean; port: number }): Buffer {
  switch (key) {
    case API.apiVersions:
      return Buffer.concat([int16(0), list(VERSIONS.map((version) => Buffer.concat(version.map(int16))))]);
    case API.saslHandshake:
      return Buffer.concat([int16(0), list([text("PLAIN")])]);
    case API.saslAuthenticate:
      return isAuthenticated
        ? Buffer.concat([int16(0), text(null), int32(0)])
        : Buffer.concat([int16(AUTHENTICATION_FAILED), text("Authentication failed"), int32(0)]);
    case API.metadata: {
      const broker = Buffer.concat([int32(1), text("127.0.0.1"), int32(port), text(null)]);
      return Buffer.concat([list([broker]), text("stub"), int32(1), list([])]);
    }
    default:
      throw new Error(`the stub knows no request of kind ${key}`);
  }
}
