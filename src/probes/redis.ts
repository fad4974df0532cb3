import { type TlsCheck, tlsCheck } from "../contract/tls-check.ts";
import { IoFault } from "../lib/io-fault.ts";
import { type Conversation, converse, protocolFault } from "../net/conversation.ts";
import type { Probe } from "./port.ts";
import { type Credentials, parseServer, type ServerTarget } from "./server-target.ts";

const SCHEMES = { redis: { port: 6379, tls: "off" }, rediss: { port: 6379, tls: "on" } } as const;
/** Errors that come from a server in good health which does not know us. */
const ADMISSION = ["NOAUTH", "NOPERM", "DENIED"];
/** Other first words of errors that say more than "error"; anything else is not repeated. */
const ERRORS: Readonly<Record<string, string>> = {
  WRONGPASS: "login refused",
  NOAUTH: "login needed",
  NOPERM: "the user may not do this",
  DENIED: "the server admits local clients only",
  LOADING: "the server is still loading its data",
  MASTERDOWN: "the replica has lost its master",
  BUSY: "the server is busy with a script",
};

/** https://redis.io/docs/latest/develop/reference/protocol-spec/ */
export const redisProbe: Probe<ServerTarget, TlsCheck> = {
  type: "redis",
  needs: ["tcp", "tls"],
  timeout_seconds: 10,
  options: tlsCheck(["off", "on"]),
  parseTarget: (text) => parseServer(text, { schemes: SCHEMES, hasCredentials: true, path: /^\d{1,5}$/ }),
  destination: ({ host, port }) => ({ host, port }),
  check({ host, port, credentials, path, ...target }, { tls_mode }, io, signal) {
    const tls = tls_mode ?? target.tls;
    return converse({ host, port, tls }, io, signal, async (conversation, details) => {
      Object.assign(details, { tls: tls !== "off", logged_in: false });
      for (const words of commandsOf(credentials, path)) {
        const error = await send(conversation, words);
        if (error !== null && !credentials && ADMISSION.includes(error)) return "Redis answers, but asks for a login";
        if (error !== null) throw new IoFault("status", ERRORS[error] ?? `${words[0]} is answered with an error`);
        if (words[0] === "AUTH") details.logged_in = true;
      }
      return "PONG";
    });
  },
};

/** A password alone is the one of the default user, also for servers older than Redis 6, which know no others. */
function commandsOf(credentials: Credentials | null, database: string): string[][] {
  const { username, password } = credentials ?? { username: "", password: "" };
  const login = username === "" ? ["AUTH", password] : ["AUTH", username, password];
  return [...(credentials ? [login] : []), ...(database === "" ? [] : [["SELECT", database]]), ["PING"]];
}

/** Gives null for a success, the first word of an error otherwise. */
async function send(conversation: Conversation, words: readonly string[]): Promise<string | null> {
  const sizeOf = (word: string) => new TextEncoder().encode(word).length;
  const parts = words.map((word) => `$${sizeOf(word)}\r\n${word}\r\n`);
  await conversation.write(`*${words.length}\r\n${parts.join("")}`);
  const line = await conversation.readLine();
  if (line.startsWith("-")) return /^-([A-Z]+)\b/.exec(line)?.[1] ?? "";
  if (line !== "+PONG" && line !== "+OK") throw protocolFault("Redis");
  return null;
}
