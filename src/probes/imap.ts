import { type TlsCheck, tlsCheck } from "../contract/tls-check.ts";
import { IoFault } from "../lib/io-fault.ts";
import { type Conversation, converse, protocolFault } from "../net/conversation.ts";
import type { Probe } from "./port.ts";
import { parseServer, type ServerTarget } from "./server-target.ts";

const SCHEMES = { imap: { port: 143, tls: "off" }, imaps: { port: 993, tls: "on" } } as const;

/** Greets the server, logs in where the target has credentials, and leaves: RFC 3501. */
export const imapProbe: Probe<ServerTarget, TlsCheck> = {
  type: "imap",
  needs: ["tcp", "tls"],
  timeout_seconds: 10,
  options: tlsCheck(["off", "starttls", "on"]),
  parseTarget: (text) => parseServer(text, { schemes: SCHEMES, hasCredentials: true }),
  destination: ({ host, port }) => ({ host, port }),
  check({ host, port, credentials, ...target }, { tls_mode }, io, signal) {
    const tls = tls_mode ?? target.tls;
    return converse({ host, port, tls }, io, signal, async (conversation, details) => {
      await expectGreeting(conversation);
      let capabilities = await readCapabilities(conversation);
      Object.assign(details, {
        tls: tls !== "off",
        starttls_offered: capabilities.includes("STARTTLS"),
        logged_in: false,
      });
      if (tls === "starttls") {
        if (!capabilities.includes("STARTTLS")) throw new IoFault("tls", "the server does not offer STARTTLS");
        await command(conversation, "STARTTLS", "the server refuses to start TLS");
        await conversation.startTls();
        capabilities = await readCapabilities(conversation);
      }
      if (credentials) {
        if (capabilities.includes("LOGINDISABLED")) {
          throw new IoFault("status", "the server allows no login over this connection");
        }
        const { username, password } = credentials;
        await command(conversation, `LOGIN ${quoted(username)} ${quoted(password)}`, "login refused");
        details.logged_in = true;
      }
      await conversation.farewell("z LOGOUT\r\n");
      return credentials ? "IMAP login accepted" : "IMAP server ready";
    });
  },
};

async function expectGreeting(conversation: Conversation): Promise<void> {
  const [, word] = /^\* (OK|PREAUTH|BYE)\b/i.exec(await conversation.readLine()) ?? [];
  if (word === undefined) throw protocolFault("IMAP");
  if (word.toUpperCase() === "BYE") throw new IoFault("status", "the server refuses to serve");
}

async function readCapabilities(conversation: Conversation): Promise<string[]> {
  const lines = await command(conversation, "CAPABILITY", "the server does not say what it can do");
  const listed = lines.filter((line) => /^\* CAPABILITY\b/i.test(line));
  return listed.flatMap((line) => line.toUpperCase().split(" ").slice(2));
}

/** Gives the untagged lines of the answer. Only one command runs at a time, so all carry the same tag. */
async function command(conversation: Conversation, text: string, refusal: string): Promise<string[]> {
  await conversation.write(`a ${text}\r\n`);
  const untagged: string[] = [];
  for (;;) {
    const line = await conversation.readLine();
    const [, tag, word] = /^(a|\*) (\S+)/.exec(line) ?? [];
    if (tag === undefined) throw protocolFault("IMAP");
    if (tag === "*") untagged.push(line);
    else if (word?.toUpperCase() === "OK") return untagged;
    else throw new IoFault("status", refusal);
  }
}

function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, "\\$&")}"`;
}
