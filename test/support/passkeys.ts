import { env } from "cloudflare:workers";
import { createHash, createSign, generateKeyPairSync, randomBytes } from "node:crypto";
import { expect } from "vitest";
import type { PasskeyAssertion, PasskeyAttestation } from "../../src/contract/passkey.ts";
import { openDb } from "../../src/data/db.ts";
import { passkeys } from "../../src/data/passkeys/table.ts";
import { newId } from "../../src/platform/ids.ts";
import { type Client, CORE, createClient } from "./client.ts";
import type { Account } from "./factories.ts";
import { createAccountWithPassword, PASSWORD } from "./members.ts";

/** What a device and its browser do with passkeys, as far as a server can tell. */
export const ORIGIN = "http://vigil.test";
const PATH = `${CORE}/auth/passkeys`;

interface Place {
  origin?: string;
  rp_id?: string;
  /** Whether the device has verified its person. */
  isVerified?: boolean;
}

/** A device with one passkey. Its counter is 0 for ever, as that of synchronized passkeys, unless one is set. */
export function createDevice() {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const { x = "", y = "" } = publicKey.export({ format: "jwk" });
  const id = randomBytes(16);
  const cose = cborMap([
    [cborInt(1), cborInt(2)],
    [cborInt(3), cborInt(-7)],
    [cborInt(-1), cborInt(1)],
    [cborInt(-2), cborBytes(Buffer.from(x, "base64url"))],
    [cborInt(-3), cborBytes(Buffer.from(y, "base64url"))],
  ]);
  const device = { counter: 0, user_handle: "" };
  const authenticatorData = ({ rp_id = "vigil.test", isVerified = true }: Place, attested?: Buffer) => {
    const flags = 0x01 | (isVerified ? 0x04 : 0) | (attested ? 0x40 : 0);
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(device.counter);
    return Buffer.concat([sha256(rp_id), Buffer.from([flags]), counter, attested ?? Buffer.alloc(0)]);
  };
  const clientData = (type: string, challenge: string, { origin = ORIGIN }: Place) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  const named = { id: id.toString("base64url"), rawId: id.toString("base64url"), type: "public-key" as const };
  return Object.assign(device, {
    id: named.id,
    create(challenge: string, place: Place = {}, statement = cborStatement("none")): PasskeyAttestation {
      const length = Buffer.alloc(2);
      length.writeUInt16BE(id.length);
      const data = authenticatorData(place, Buffer.concat([Buffer.alloc(16), length, id, cose]));
      const object = cborMap([...statement, [cborText("authData"), cborBytes(data)]]);
      return {
        ...named,
        response: {
          clientDataJSON: clientData("webauthn.create", challenge, place).toString("base64url"),
          attestationObject: object.toString("base64url"),
        },
      };
    },
    sign(challenge: string, place: Place = {}): PasskeyAssertion {
      const data = authenticatorData(place);
      const client = clientData("webauthn.get", challenge, place);
      const signature = createSign("sha256")
        .update(Buffer.concat([data, sha256(client)]))
        .sign(privateKey);
      return {
        ...named,
        response: {
          clientDataJSON: client.toString("base64url"),
          authenticatorData: data.toString("base64url"),
          signature: signature.toString("base64url"),
          userHandle: device.user_handle,
        },
      };
    },
  });
}
export type Device = ReturnType<typeof createDevice>;

/** Fields of an attestation object: its format and what the device states about itself. */
export function cborStatement(format: string, certificate?: Buffer): [Buffer, Buffer][] {
  const chain: [Buffer, Buffer][] = certificate
    ? [
        [cborText("alg"), cborInt(-7)],
        [cborText("sig"), cborBytes(Buffer.alloc(8))],
        [cborText("x5c"), Buffer.concat([Buffer.from([0x81]), cborBytes(certificate)])],
      ]
    : [];
  return [
    [cborText("fmt"), cborText(format)],
    [cborText("attStmt"), cborMap(chain)],
  ];
}

/** A challenge to sign in by, and what the browser sends along with its answer. */
export async function askToSignIn(client: Client = createClient()) {
  const answer = await client.post(`${PATH}/sign-in/challenge`);
  expect(answer.status).toBe(200);
  const cookie = answer.headers.get("set-cookie")?.split(";")[0] ?? "";
  return { challenge: String(answer.body.challenge), headers: { cookie, origin: ORIGIN } };
}

export async function signInWith(device: Device, place: Place = {}) {
  const { challenge, headers } = await askToSignIn();
  return createClient().post(`${PATH}/sign-in`, { passkey: device.sign(challenge, place) }, headers);
}

/** The answer of a passkey to "confirm that it is you". */
export async function confirmWith(client: Client, device: Device, headers: Record<string, string> = {}) {
  const { status, body } = await client.post(`${PATH}/confirm`, undefined, headers);
  expect(status).toBe(200);
  return device.sign(body.challenge);
}

export async function setUpPasskey(client: Client, device: Device, password = PASSWORD): Promise<string> {
  const { status, body } = await client.post(`${PATH}/setup`, { password });
  expect(status).toBe(200);
  device.user_handle = body.user.id;
  return body.challenge;
}

export async function addPasskey(client: Client, device: Device, name = "Phone") {
  const credential = device.create(await setUpPasskey(client, device));
  const { status, body } = await client.post(PATH, { name, credential });
  expect(status).toBe(201);
  return body as { id: string; recovery_codes: string[] };
}

/** A passkey as its row, which no device has. */
export async function insertPasskeyOf({ user_id }: Account, name = "Phone"): Promise<string> {
  const [id, now] = [newId(), Date.now()];
  const key = { rp_id: "vigil.test", credential_id: id, public_key: "", counter: 0, last_used_at: null };
  await openDb(env.DB)
    .insert(passkeys)
    .values({ id, user_id, name, ...key, created_at: now, updated_at: now });
  return id;
}

/** An account that signs in by password, or by a device. */
export async function createAccountWithPasskey() {
  const account = await createAccountWithPassword();
  const device = createDevice();
  return { ...account, device, passkey: await addPasskey(account.client, device) };
}

const sha256 = (data: string | Buffer) => createHash("sha256").update(data).digest();

/** Just enough CBOR for keys and attestation objects. */
function cborHead(major: number, value: number): Buffer {
  if (value < 24) return Buffer.from([(major << 5) | value]);
  if (value < 256) return Buffer.from([(major << 5) | 24, value]);
  return Buffer.from([(major << 5) | 25, value >> 8, value & 0xff]);
}
const cborInt = (value: number) => (value < 0 ? cborHead(1, -1 - value) : cborHead(0, value));
const cborBytes = (bytes: Buffer) => Buffer.concat([cborHead(2, bytes.length), bytes]);
const cborText = (text: string) => Buffer.concat([cborHead(3, text.length), Buffer.from(text)]);
const cborMap = (entries: readonly (readonly [Buffer, Buffer])[]) =>
  Buffer.concat([cborHead(5, entries.length), ...entries.flat()]);
