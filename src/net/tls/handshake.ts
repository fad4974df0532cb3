import { IoFault } from "../../lib/io-fault.ts";
import type { NetSocket } from "../port.ts";
import { ByteReader, brokenTls, concat, vector } from "./bytes.ts";
import { type ClientHelloOptions, clientHello, TLS_1_3 } from "./client-hello.ts";
import {
  applicationSecrets,
  CIPHER_SUITES,
  type CipherSuite,
  finishedMac,
  handshakeSecrets,
  type StageSecrets,
  trafficKey,
} from "./key-schedule.ts";
import { createKeyShares, createRandom, type KeyShare, sharedSecret } from "./key-share.ts";
import { MESSAGE, MessageStream } from "./message-stream.ts";
import { RecordLayer } from "./record-layer.ts";
import { parseServerHello, type ServerHello } from "./server-hello.ts";

/**
 * A client's handshake over a socket in clear. It reads certificates that the platform's own TLS hides or rejects, and
 * verifies none of them: the caller ignores or evaluates them.
 */
interface Greeting {
  messages: MessageStream;
  hello: ServerHello;
  shares: KeyShare[];
}

export interface ServerCertificates {
  version: number;
  /** DER, the server's own first. */
  certificates: Uint8Array[];
}

/** Stops after the certificates, which TLS 1.2 sends in clear. */
export async function readCertificates(socket: NetSocket, wishes: ClientHelloOptions): Promise<ServerCertificates> {
  const greeting = await greet(socket, wishes);
  const { messages, hello } = greeting;
  if (hello.version === TLS_1_3) await exchangeKeys(greeting);
  for (;;) {
    const { type, body } = await messages.next();
    if (type === MESSAGE.certificate) {
      return { version: hello.version, certificates: parseCertificateMessage(body, hello.version) };
    }
    if (type === MESSAGE.finished) throw brokenTls();
  }
}

/** The whole handshake of TLS 1.3; the layer then carries the application's data. */
export async function performHandshake(socket: NetSocket, wishes: ClientHelloOptions): Promise<RecordLayer> {
  const greeting = await greet(socket, wishes);
  if (greeting.hello.version !== TLS_1_3) {
    throw new IoFault(
      "unsupported",
      "the server has no TLS 1.3; to ignore its certificate (verify_ssl false) needs an agent",
    );
  }
  const { messages } = greeting;
  const { suite, secrets } = await exchangeKeys(greeting);
  const request = await untilFinished(messages, suite, secrets);
  const application = await applicationSecrets(suite, secrets, messages.transcript);
  messages.layer.writeWith(await trafficKey(suite, secrets.client));
  // A request for a client certificate gets an empty list.
  if (request) await messages.send(MESSAGE.certificate, emptyCertificate(request));
  await messages.send(MESSAGE.finished, await finishedMac(suite, secrets.client, messages.transcript));
  messages.layer.readWith(await trafficKey(suite, application.server));
  messages.layer.writeWith(await trafficKey(suite, application.client));
  return messages.layer;
}

async function greet(socket: NetSocket, wishes: ClientHelloOptions): Promise<Greeting> {
  const messages = new MessageStream(new RecordLayer(socket));
  const shares = await createKeyShares();
  await messages.send(MESSAGE.client_hello, clientHello(wishes, await createRandom(), shares));
  const { type, body } = await messages.next();
  if (type !== MESSAGE.server_hello) throw brokenTls();
  return { messages, shares, hello: parseServerHello(body) };
}

/** From here on every message of the server is encrypted. */
async function exchangeKeys({
  messages,
  hello,
  shares,
}: Greeting): Promise<{ suite: CipherSuite; secrets: StageSecrets }> {
  const suite = CIPHER_SUITES.get(hello.suite);
  if (!suite || !hello.share) throw brokenTls();
  const shared = await sharedSecret(shares, hello.share.group, hello.share.public_key);
  const secrets = await handshakeSecrets(suite, shared, messages.transcript);
  messages.layer.readWith(await trafficKey(suite, secrets.server));
  return { suite, secrets };
}

/** Reads the server's flight up to its Finished, which authenticates it; returns the request for a certificate. */
async function untilFinished(
  messages: MessageStream,
  suite: CipherSuite,
  secrets: StageSecrets,
): Promise<Uint8Array | null> {
  let request: Uint8Array | null = null;
  for (;;) {
    const before = messages.transcript;
    const { type, body } = await messages.next();
    if (type === MESSAGE.certificate_request) request = body;
    if (type !== MESSAGE.finished) continue;
    const expected = await finishedMac(suite, secrets.server, before);
    if (expected.length !== body.length || expected.some((byte, index) => byte !== body[index])) throw brokenTls();
    return request;
  }
}

/** An empty list under the context of the request (RFC 8446, section 4.4.2). */
function emptyCertificate(request: Uint8Array): Uint8Array {
  const context = new ByteReader(request).vector(1).rest();
  return concat(vector(1, context), vector(3));
}

const CERTIFICATES_MAX = 20;

/** The certificates of a Certificate message, the server's own first, in DER (RFC 8446, 4.4.2; RFC 5246, 7.4.2). */
function parseCertificateMessage(body: Uint8Array, version: number): Uint8Array[] {
  const reader = new ByteReader(body);
  if (version === TLS_1_3) reader.vector(1);
  const list = reader.vector(3);
  const certificates: Uint8Array[] = [];
  while (!list.isAtEnd && certificates.length < CERTIFICATES_MAX) {
    certificates.push(list.vector(3).rest().slice());
    if (version === TLS_1_3) list.vector(2);
  }
  if (certificates.length === 0) throw brokenTls();
  return certificates;
}
