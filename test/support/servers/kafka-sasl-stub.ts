import { createHash, createHmac, pbkdf2Sync, randomBytes, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";

/**
 * A stub: one broker without topics that demands one mechanism of SASL, by the published protocol
 * (https://kafka.apache.org/protocol). librdkafka's mock cluster knows no SASL.
 */
export interface SaslBroker {
  port: number;
  /** Every token of a login that the broker received. */
  logins: string[];
  stop(): void;
}

interface Login {
  mechanism: "PLAIN" | "SCRAM-SHA-256" | "SCRAM-SHA-512";
  username: string;
  password: string;
}

const API = { metadata: 3, saslHandshake: 17, apiVersions: 18, saslAuthenticate: 36 } as const;
/** Only the versions whose forms are written below. */
const VERSIONS: readonly [key: number, min: number, max: number][] = [
  [API.metadata, 2, 2],
  [API.saslHandshake, 1, 1],
  [API.apiVersions, 0, 0],
  [API.saslAuthenticate, 0, 0],
];
const UNSUPPORTED_MECHANISM = 33;
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

export async function startSaslBroker(accepted: Login): Promise<SaslBroker> {
  const logins: string[] = [];
  const server = createServer((socket) => serve(socket, { accepted, logins, port: () => portOf() }));
  const portOf = () => (server.address() as AddressInfo).port;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { port: portOf(), logins, stop: () => void server.close() };
}

interface Broker {
  accepted: Login;
  logins: string[];
  port(): number;
}

function serve(socket: Socket, broker: Broker): void {
  let received = Buffer.alloc(0);
  let login = expectLogin(broker.accepted);
  socket.on("error", () => {});
  socket.on("data", (chunk) => {
    received = Buffer.concat([received, chunk]);
    while (received.length >= 4 && received.length >= 4 + received.readInt32BE(0)) {
      const request = received.subarray(4, 4 + received.readInt32BE(0));
      received = received.subarray(4 + request.length);
      const key = request.readInt16BE(0);
      if (key === API.saslAuthenticate) {
        const token = tokenOf(request);
        broker.logins.push(token);
        login = login.next(token);
      }
      // A broker ends a connection that asks before it has authenticated.
      if (key === API.metadata && login.state !== "accepted") return void socket.destroy();
      const answer = answerTo(key, request, { login, broker });
      const body = Buffer.concat([request.subarray(4, 8), answer]);
      socket.write(Buffer.concat([int32(body.length), body]));
    }
  });
}

const afterHeader = (request: Buffer) => request.subarray(8 + 2 + Math.max(0, request.readInt16BE(8)));
/** After the header (key, version, correlation id, client id) and its length. */
const tokenOf = (request: Buffer) => afterHeader(request).subarray(4).toString("utf8");

interface LoginStep {
  state: "going on" | "accepted" | "refused";
  answer: string;
  next(token: string): LoginStep;
}

const ended = (state: "accepted" | "refused", answer = ""): LoginStep => ({
  state,
  answer,
  next: () => ended("refused"),
});

function expectLogin(accepted: Login): LoginStep {
  const { mechanism, username, password } = accepted;
  // RFC 4616.
  const isPlain = (token: string) => token === `\0${username}\0${password}`;
  const next = (token: string) =>
    mechanism === "PLAIN" ? ended(isPlain(token) ? "accepted" : "refused") : challenge(accepted, token);
  return { state: "going on", answer: "", next };
}

/** The server's part of RFC 5802, without channel binding. */
function challenge({ mechanism, username, password }: Login, first: string): LoginStep {
  const hash = mechanism === "SCRAM-SHA-256" ? "sha256" : "sha512";
  const length = mechanism === "SCRAM-SHA-256" ? 32 : 64;
  const hmac = (key: Uint8Array, message: string) => createHmac(hash, key).update(message).digest();
  const bare = first.replace(/^n,,/, "");
  const nonce = `${attributeOf(bare, "r")}${randomBytes(12).toString("hex")}`;
  const salt = randomBytes(16);
  const ITERATIONS = 4096;
  const answer = `r=${nonce},s=${salt.toString("base64")},i=${ITERATIONS}`;
  const salted = pbkdf2Sync(password, salt, ITERATIONS, length, hash);
  const storedKey = createHash(hash).update(hmac(salted, "Client Key")).digest();
  return {
    state: "going on",
    answer,
    next(final: string) {
      const withoutProof = final.replace(/,p=[^,]*$/, "");
      const signed = `${bare},${answer},${withoutProof}`;
      const signature = hmac(storedKey, signed);
      const proof = Buffer.from(attributeOf(final, "p"), "base64");
      const clientKey = proof.map((byte: number, n: number) => byte ^ (signature[n] ?? 0));
      const isKnown = timingSafeEqual(createHash(hash).update(clientKey).digest(), storedKey);
      const isOurs = attributeOf(bare, "n") === username && attributeOf(final, "r") === nonce;
      if (!isKnown || !isOurs) return ended("refused");
      return ended("accepted", `v=${hmac(hmac(salted, "Server Key"), signed).toString("base64")}`);
    },
  };
}

const attributeOf = (message: string, name: string) =>
  message
    .split(",")
    .find((part) => part.startsWith(`${name}=`))
    ?.slice(2) ?? "";

function answerTo(key: number, request: Buffer, { login, broker }: { login: LoginStep; broker: Broker }): Buffer {
  const { mechanism } = broker.accepted;
  switch (key) {
    case API.apiVersions:
      return Buffer.concat([int16(0), list(VERSIONS.map((version) => Buffer.concat(version.map(int16))))]);
    case API.saslHandshake: {
      const wanted = afterHeader(request).subarray(2).toString("utf8");
      return Buffer.concat([int16(wanted === mechanism ? 0 : UNSUPPORTED_MECHANISM), list([text(mechanism)])]);
    }
    case API.saslAuthenticate: {
      if (login.state === "refused") {
        return Buffer.concat([int16(AUTHENTICATION_FAILED), text("Authentication failed"), int32(0)]);
      }
      const bytes = Buffer.from(login.answer);
      return Buffer.concat([int16(0), text(null), int32(bytes.length), bytes]);
    }
    case API.metadata: {
      const address = Buffer.concat([int32(1), text("127.0.0.1"), int32(broker.port()), text(null)]);
      return Buffer.concat([list([address]), text("stub"), int32(1), list([])]);
    }
    default:
      throw new Error(`the stub knows no request of kind ${key}`);
  }
}
