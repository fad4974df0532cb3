import { type TlsCheck, tlsCheck } from "../contract/tls-check.ts";
import { IoFault } from "../lib/io-fault.ts";
import { type Conversation, converse, protocolFault } from "../net/conversation.ts";
import type { Probe } from "./port.ts";
import { parseServer, type ServerTarget } from "./server-target.ts";

const SCHEMES = { pop3: { port: 110, tls: "off" }, pop3s: { port: 995, tls: "on" } } as const;

/** Greets the server, logs in where the target has credentials, and leaves: RFC 1939, RFC 2449, RFC 2595. */
export const pop3Probe: Probe<ServerTarget, TlsCheck> = {
  type: "pop3",
  needs: ["tcp", "tls"],
  timeout_seconds: 10,
  options: tlsCheck(["off", "starttls", "on"]),
  parseTarget: (text) => parseServer(text, { schemes: SCHEMES, hasCredentials: true }),
  destination: ({ host, port }) => ({ host, port }),
  check({ host, port, credentials, ...target }, { tls_mode }, io, signal) {
    const tls = tls_mode ?? target.tls;
    return converse({ host, port, tls }, io, signal, async (conversation, details) => {
      await expectOk(conversation, "the server refuses to serve");
      const isTlsOffered = (await readCapabilities(conversation)).includes("STLS");
      Object.assign(details, { tls: tls !== "off", starttls_offered: isTlsOffered, logged_in: false });
      if (tls === "starttls") {
        if (!isTlsOffered) throw new IoFault("tls", "the server does not offer STLS");
        await command(conversation, "STLS", "the server refuses to start TLS");
        await conversation.startTls();
      }
      if (credentials) {
        await command(conversation, `USER ${credentials.username}`, "login refused");
        await command(conversation, `PASS ${credentials.password}`, "login refused");
        details.logged_in = true;
      }
      await conversation.farewell("QUIT\r\n");
      return credentials ? "POP3 login accepted" : "POP3 server ready";
    });
  },
};

async function command(conversation: Conversation, line: string, refusal: string): Promise<void> {
  await conversation.write(`${line}\r\n`);
  await expectOk(conversation, refusal);
}

async function expectOk(conversation: Conversation, refusal: string): Promise<void> {
  if (!isOk(await conversation.readLine())) throw new IoFault("status", refusal);
}

function isOk(line: string): boolean {
  if (/^\+OK\b/.test(line)) return true;
  if (/^-ERR\b/.test(line)) return false;
  throw protocolFault("POP3");
}

/** Servers older than RFC 2449 refuse to say what they can do. */
async function readCapabilities(conversation: Conversation): Promise<string[]> {
  await conversation.write("CAPA\r\n");
  if (!isOk(await conversation.readLine())) return [];
  const names: string[] = [];
  for (let line = await conversation.readLine(); line !== "."; line = await conversation.readLine()) {
    names.push(line.split(" ")[0]?.toUpperCase() ?? "");
  }
  return names;
}
