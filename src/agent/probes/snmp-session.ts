import { lookup } from "node:dns/promises";
import type snmp from "net-snmp";
import type { SnmpAccess } from "../../contract/infrastructure-check.ts";
import { IoFault } from "../../lib/io-fault.ts";
import type { ServerTarget } from "../../probes/server-target.ts";
import { untilAborted } from "./verdict.ts";

export interface SnmpValue {
  oid: string;
  /** As text: numbers in decimal, octets as UTF-8 where they are text, else in hexadecimal. */
  value: string;
}

const COMMUNITY = "public";
const PRIVACY = { des: "des", aes: "aes", aes256: "aes256r" } as const;
type Client = typeof snmp;

/** Opens a session, lets `talk` use it, and always closes it. */
export async function withSession<T>(
  target: ServerTarget,
  access: SnmpAccess,
  signal: AbortSignal,
  talk: (session: SnmpSession) => Promise<T>,
): Promise<T> {
  const { default: client } = await import("net-snmp");
  const { address, family } = await lookup(target.host.replace(/^\[|\]$/g, ""));
  const options = {
    port: target.port,
    // The signal ends the check; one repetition, because a packet may get lost.
    retries: 1,
    timeout: 3000,
    transport: family === 6 ? ("udp6" as const) : ("udp4" as const),
  };
  const session =
    access.snmp_version === "3"
      ? client.createV3Session(address, userOf(client, target, access), options)
      : client.createSession(address, communityOf(target), {
          ...options,
          version: access.snmp_version === "1" ? client.Version1 : client.Version2c,
        });
  session.on("error", () => {});
  try {
    return await untilAborted(talk(new SnmpSession(client, session)), signal, () => {});
  } catch (error) {
    throw refusalOf(error);
  } finally {
    session.close();
  }
}

function communityOf({ credentials }: ServerTarget): string {
  return credentials?.password || credentials?.username || COMMUNITY;
}

/** `user`, `user:password` or `user:password:privacy-password`. */
function userOf(client: Client, { credentials }: ServerTarget, access: SnmpAccess): snmp.User {
  const name = credentials?.username ?? "";
  if (name === "") throw new IoFault("unsupported", "version 3 needs a user: snmp://user:password@host");
  const [authKey = "", privKey] = (credentials?.password ?? "").split(":");
  if (authKey === "") return { name, level: client.SecurityLevel.noAuthNoPriv };
  const auth = { authProtocol: client.AuthProtocols[access.snmp_auth_protocol], authKey };
  if (!privKey) return { name, level: client.SecurityLevel.authNoPriv, ...auth };
  const privProtocol = client.PrivProtocols[PRIVACY[access.snmp_privacy_protocol]];
  return { name, level: client.SecurityLevel.authPriv, ...auth, privProtocol, privKey };
}

export class SnmpSession {
  readonly #client: Client;
  readonly #session: snmp.Session;

  constructor(client: Client, session: snmp.Session) {
    this.#client = client;
    this.#session = session;
  }

  /** Values that the device does not have are left out. */
  get(oids: string[]): Promise<SnmpValue[]> {
    return new Promise((resolve, reject) => {
      this.#session.get(oids, (error, varbinds) => {
        if (error) return reject(error);
        const found = (varbinds ?? []).filter((varbind) => !this.#client.isVarbindError(varbind));
        resolve(found.map(({ oid, value }) => ({ oid, value: valueText(value) })));
      });
    });
  }

  /** All values below an oid, by the rest of their oids. */
  walk(root: string): Promise<Map<string, string>> {
    return new Promise((resolve, reject) => {
      const found = new Map<string, string>();
      this.#session.subtree(
        root,
        20,
        (varbinds) => {
          for (const varbind of Array.isArray(varbinds) ? varbinds : [varbinds]) {
            if (!this.#client.isVarbindError(varbind))
              found.set(varbind.oid.slice(root.length + 1), valueText(varbind.value));
          }
        },
        (error) => (error ? reject(error) : resolve(found)),
      );
    });
  }
}

export function valueText(value: unknown): string {
  if (!(value instanceof Uint8Array)) return String(value);
  const bytes = Buffer.from(value);
  const text = bytes.toString("utf8").replace(/\0+$/, "");
  return /^[^\p{Cc}\uFFFD]*$/u.test(text.replace(/[\r\n\t]/g, " ")) ? text.trim() : bytes.toString("hex");
}

/** Devices do not answer to a wrong community, so silence has two meanings. */
function refusalOf(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  if (error.name === "RequestTimedOutError") {
    return new IoFault("connect", "no answer: the device is away, a firewall is between, or the community is wrong");
  }
  const words = error.message;
  if (/unknown user|wrong digest|authentication|decrypt|not in time|unsupported security/i.test(words)) {
    return new IoFault("status", "the device refuses the user, its passwords or protocols");
  }
  if (error.name === "RequestFailedError")
    return new IoFault("status", `the device answers with an error: ${words.split("\n")[0]}`);
  return error.name.startsWith("Response") ? new IoFault("protocol", "the answer is not valid SNMP") : error;
}
