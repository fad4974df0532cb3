import { type TlsCheck, tlsCheck } from "../contract/tls-check.ts";
import { IoFault } from "../kit/io-fault.ts";
import { type Conversation, converse, protocolFault } from "./conversation.ts";
import type { Probe } from "./port.ts";
import { parseServer, type ServerTarget } from "./server-target.ts";

const SCHEMES = { smtp: { port: 25, tls: "off" }, smtps: { port: 465, tls: "on" } } as const;
/** Says who calls; a name that nobody owns, because nothing is to be sent. */
const OWN_NAME = "uptime-check.invalid";

/** Greets the server and leaves before any mail: RFC 5321. */
export const smtpProbe: Probe<ServerTarget, TlsCheck> = {
  type: "smtp",
  needs: ["tcp", "tls"],
  timeout_seconds: 10,
  options: tlsCheck(["off", "starttls", "on"]),
  parseTarget: (text) => parseServer(text, { schemes: SCHEMES }),
  destination: ({ host, port }) => ({ host, port }),
  check({ host, port, ...target }, { tls_mode }, io, signal) {
    const tls = tls_mode ?? target.tls;
    return converse({ host, port, tls }, io, signal, async (conversation, details) => {
      await expectReply(conversation, 220);
      const extensions = await greet(conversation);
      Object.assign(details, { tls: tls !== "off", starttls_offered: extensions.includes("STARTTLS") });
      if (tls === "starttls") {
        if (!extensions.includes("STARTTLS")) throw new IoFault("tls", "the server does not offer STARTTLS");
        await conversation.write("STARTTLS\r\n");
        await expectReply(conversation, 220);
        await conversation.startTls();
        await greet(conversation);
      }
      await conversation.farewell("QUIT\r\n");
      return "SMTP server ready";
    });
  },
};

/** Gives the names of the extensions that the server offers; HELO, for those who know no EHLO, offers none. */
async function greet(conversation: Conversation): Promise<string[]> {
  await conversation.write(`EHLO ${OWN_NAME}\r\n`);
  const { code, lines } = await readReply(conversation);
  if (code === 250) return lines.slice(1).map((line) => line.split(" ")[0]?.toUpperCase() ?? "");
  if (code !== 500 && code !== 502) throw refusal(code, 250);
  await conversation.write(`HELO ${OWN_NAME}\r\n`);
  await expectReply(conversation, 250);
  return [];
}

async function expectReply(conversation: Conversation, wanted: number): Promise<void> {
  const { code } = await readReply(conversation);
  if (code !== wanted) throw refusal(code, wanted);
}

function refusal(code: number, wanted: number): IoFault {
  return new IoFault("status", `SMTP ${code} instead of ${wanted}`);
}

/** `250-first`, `250-next`, `250 last`: RFC 5321, section 4.2.1. */
async function readReply(conversation: Conversation): Promise<{ code: number; lines: string[] }> {
  const lines: string[] = [];
  for (;;) {
    const [, code, separator, text = ""] = /^([2-5]\d\d)([ -]?)(.*)$/s.exec(await conversation.readLine()) ?? [];
    if (code === undefined) throw protocolFault("SMTP");
    lines.push(text);
    if (separator !== "-") return { code: Number(code), lines };
  }
}
