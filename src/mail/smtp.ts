import type { MailOutcome } from "../contract/mail.ts";
import { IoFault } from "../lib/io-fault.ts";
import type { SmtpServer } from "../lib/smtp-url.ts";
import { Conversation } from "../net/conversation.ts";
import type { NetIo, NetSocket } from "../net/port.ts";
import { awaitGreeting, introduce, readReply, turnToTls } from "../net/smtp-dialog.ts";

/** The envelope of one message; `content` consists of whole lines, ended by CR LF. */
export interface SmtpMessage {
  from: string;
  to: string;
  content: string;
}

export interface SmtpOptions {
  server: SmtpServer;
  /** The name under which we introduce ourselves. */
  own_name: string;
  /** For one message, together with the connection where it is the first. */
  timeout_ms: number;
}

/** Codes that speak of the connection or of who we are, and not of the message: RFC 5321 and RFC 4954. */
const NOT_THE_MESSAGE = [421, 454, 530, 534, 535, 538];

/** One connection to the operator's mail server, opened with the first message and used for all. RFC 5321 and RFC 6409. */
export class SmtpConnection {
  readonly #connect: NetIo["connect"];
  readonly #options: SmtpOptions;
  #socket: NetSocket | null = null;
  #conversation: Conversation | null = null;
  #offered: readonly string[] = [];
  #deadline = new AbortController();

  constructor(connect: NetIo["connect"], options: SmtpOptions) {
    this.#connect = connect;
    this.#options = options;
  }

  /** Never throws. Whether a message counts as sent is decided by the server's answer to its last line alone. */
  async send(message: SmtpMessage): Promise<MailOutcome> {
    const { timeout_ms } = this.#options;
    const deadline = this.#deadline;
    const timer = setTimeout(() => deadline.abort(), timeout_ms);
    try {
      this.#conversation ??= await this.#open();
      return await this.#deliver(this.#conversation, message);
    } catch (error) {
      this.#abandon();
      const isLate = deadline.signal.aborted;
      return { kind: "unavailable", error: isLate ? `mail server: no answer within ${timeout_ms} ms` : explain(error) };
    } finally {
      clearTimeout(timer);
    }
  }

  async close(): Promise<void> {
    await this.#conversation?.farewell("QUIT\r\n");
    this.#abandon();
  }

  /** The next message begins with a new connection. */
  #abandon(): void {
    this.#socket?.close();
    this.#socket = null;
    this.#conversation = null;
    this.#deadline = new AbortController();
  }

  async #open(): Promise<Conversation> {
    const { server, own_name } = this.#options;
    const { host, port, tls, credentials } = server;
    this.#socket = await this.#connect({ host, port, tls, signal: this.#deadline.signal });
    const conversation = new Conversation(this.#socket);
    await awaitGreeting(conversation);
    this.#offered = await introduce(conversation, own_name);
    if (tls === "starttls") {
      this.#offered = await turnToTls(conversation, { offered: this.#offered, own_name });
    }
    if (credentials) await this.#logIn(conversation, credentials);
    return conversation;
  }

  /** RFC 4616 where it is offered, else the older dialog that Exchange still prefers. */
  async #logIn(conversation: Conversation, { username, password }: { username: string; password: string }) {
    const ways = this.#offered.flatMap((line) => (/^AUTH[ =]/.test(line) ? line.split(/[ =]+/).slice(1) : []));
    const ask = (line: string, wanted: number) => command(conversation, { line, step: "the login", wanted: [wanted] });
    if (ways.includes("PLAIN")) {
      await ask(`AUTH PLAIN ${base64(`\0${username}\0${password}`)}`, 235);
    } else if (ways.includes("LOGIN")) {
      await ask("AUTH LOGIN", 334);
      await ask(base64(username), 334);
      await ask(base64(password), 235);
    } else {
      throw new IoFault("unsupported", "the server offers neither AUTH PLAIN nor AUTH LOGIN");
    }
  }

  async #deliver(conversation: Conversation, { from, to, content }: SmtpMessage): Promise<MailOutcome> {
    if ([from, to].some((address) => /[\s<>\p{Cc}]/u.test(address))) return refused("an address is not valid");
    const isWide = /[^\x20-\x7e]/.test(from + to);
    if (isWide && !this.#offered.includes("SMTPUTF8")) return refused("the server takes only addresses in ASCII");
    try {
      const ask = (line: string, step: string, ...wanted: number[]) => command(conversation, { line, step, wanted });
      await ask(`MAIL FROM:<${from}>${isWide ? " SMTPUTF8" : ""}`, "the sender", 250);
      await ask(`RCPT TO:<${to}>`, "the recipient", 250, 251);
      await ask("DATA", "the message", 354);
      await ask(`${content.replace(/^\./gm, "..")}.`, "the message", 250);
      return { kind: "sent" };
    } catch (error) {
      if (!(error instanceof Refusal) || NOT_THE_MESSAGE.includes(error.code)) throw error;
      await command(conversation, { line: "RSET", step: "a new start", wanted: [250] });
      return { kind: "failed", error: explain(error), is_final: error.code >= 500 };
    }
  }
}

/** What the server said, without its words: they repeat addresses. */
class Refusal extends Error {
  readonly code: number;

  constructor(code: number, enhanced: string, step: string) {
    super(`${code}${enhanced} to ${step}`);
    this.code = code;
  }
}

async function command(
  conversation: Conversation,
  { line, step, wanted }: { line: string; step: string; wanted: readonly number[] },
): Promise<void> {
  await conversation.write(`${line}\r\n`);
  const { code, lines } = await readReply(conversation);
  if (wanted.includes(code)) return;
  // RFC 3463: `550 5.1.1 no such user`.
  const [enhanced = ""] = /^[245]\.\d{1,3}\.\d{1,3}(?= |$)/.exec(lines[0] ?? "") ?? [];
  if (code >= 400) throw new Refusal(code, enhanced && ` ${enhanced}`, step);
  throw new IoFault("protocol", `SMTP ${code} to ${step}`);
}

function refused(reason: string): MailOutcome {
  return { kind: "failed", error: `mail server: ${reason}`, is_final: true };
}

/** In our own words; the runtime's texts may name addresses. */
function explain(error: unknown): string {
  const isKnown = error instanceof IoFault || error instanceof Refusal;
  return `mail server: ${isKnown ? error.message : "the connection could not be made or was lost"}`;
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
