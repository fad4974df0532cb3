import { IoFault } from "../lib/io-fault.ts";
import { type Conversation, protocolFault } from "./conversation.ts";

/** The beginning of every SMTP dialog (RFC 5321), the same for a check and for mail that is sent. */
export interface SmtpReply {
  code: number;
  lines: string[];
}

/** Returns the text of the greeting. */
export async function awaitGreeting(conversation: Conversation): Promise<string> {
  const { lines } = await expectReply(conversation, 220);
  return lines[0] ?? "";
}

/** Gives the extensions that the server offers, in capitals; HELO, for those who know no EHLO, offers none. */
export async function introduce(conversation: Conversation, ownName: string): Promise<string[]> {
  await conversation.write(`EHLO ${ownName}\r\n`);
  const { code, lines } = await readReply(conversation);
  if (code === 250) return lines.slice(1).map((line) => line.trim().toUpperCase());
  if (code !== 500 && code !== 502) throw refusal(code, 250);
  await conversation.write(`HELO ${ownName}\r\n`);
  await expectReply(conversation, 250);
  return [];
}

/** RFC 3207. Capabilities offered in clear are discarded; the dialog never continues in clear. */
export async function turnToTls(
  conversation: Conversation,
  { offered, own_name }: { offered: readonly string[]; own_name: string },
): Promise<string[]> {
  if (!offered.includes("STARTTLS")) throw new IoFault("tls", "the server does not offer STARTTLS");
  await conversation.write("STARTTLS\r\n");
  await expectReply(conversation, 220);
  await conversation.startTls();
  return introduce(conversation, own_name);
}

async function expectReply(conversation: Conversation, wanted: number): Promise<SmtpReply> {
  const reply = await readReply(conversation);
  if (reply.code !== wanted) throw refusal(reply.code, wanted);
  return reply;
}

function refusal(code: number, wanted: number): IoFault {
  return new IoFault("status", `SMTP ${code} instead of ${wanted}`);
}

/** `250-first`, `250-next`, `250 last`: RFC 5321, section 4.2.1. */
export async function readReply(conversation: Conversation): Promise<SmtpReply> {
  const lines: string[] = [];
  for (;;) {
    const [, code, separator, text = ""] = /^([2-5]\d\d)([ -]?)(.*)$/s.exec(await conversation.readLine()) ?? [];
    if (code === undefined) throw protocolFault("SMTP");
    lines.push(text);
    if (separator !== "-") return { code: Number(code), lines };
  }
}
