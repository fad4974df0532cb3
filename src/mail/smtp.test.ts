import { describe, expect, it } from "vitest";
import { type ScriptedIo, scriptedIo } from "../../test/support/scripted-io.ts";
import { IoFault } from "../lib/io-fault.ts";
import type { SmtpServer } from "../lib/smtp-url.ts";
import { SmtpConnection } from "./smtp.ts";

const MESSAGE = { from: "vigil@example.com", to: "ann@example.org", content: "Subject: Hi\r\n\r\n.\r\n..x\r\nok\r\n" };
const WITHOUT_LOGIN: SmtpServer = { host: "mail.example", port: 465, tls: "on", credentials: null };
const WITH_LOGIN = { ...WITHOUT_LOGIN, credentials: { username: "ann", password: "gehëim" } };
const HELLO = ["220 mail.example\r\n", "250-mail.example\r\n250-SIZE 1000\r\n250-AUTH PLAIN LOGIN\r\n250 8BITMIME\r\n"];
const TAKEN = ["250 ok\r\n", "250 ok\r\n", "354 go on\r\n", "250 queued\r\n"];

function connectionTo(io: ScriptedIo, server = WITHOUT_LOGIN) {
  return new SmtpConnection(io.connect, { server, own_name: "example.com", timeout_ms: 1000 });
}
const base64 = (text: string) => Buffer.from(text).toString("base64");

describe("mail by SMTP", () => {
  it("says what RFC 5321 wants, doubles dots at the start of lines, and takes its leave", async () => {
    const io = scriptedIo({ connect: [[...HELLO, ...TAKEN]] });
    const connection = connectionTo(io);
    expect(await connection.send(MESSAGE)).toEqual({ kind: "sent" });
    await connection.close();
    expect(io.connections).toMatchObject([{ host: "mail.example", port: 465, tls: "on" }]);
    expect(io.written).toEqual([
      "EHLO example.com\r\n",
      "MAIL FROM:<vigil@example.com>\r\n",
      "RCPT TO:<ann@example.org>\r\n",
      "DATA\r\n",
      "Subject: Hi\r\n\r\n..\r\n...x\r\nok\r\n.\r\n",
      "QUIT\r\n",
    ]);
    expect(io.openSockets()).toBe(0);
  });

  it("carries many messages over one connection, also after one that was refused", async () => {
    const refused = ["250 ok\r\n", "550 5.1.1 <ann@example.org> unknown\r\n", "250 reset\r\n"];
    const io = scriptedIo({ connect: [[...HELLO, ...TAKEN, ...refused, ...TAKEN]] });
    const connection = connectionTo(io);
    const outcomes = [await connection.send(MESSAGE), await connection.send(MESSAGE), await connection.send(MESSAGE)];
    expect(outcomes.map(({ kind }) => kind)).toEqual(["sent", "failed", "sent"]);
    expect(io.connections).toHaveLength(1);
    expect(io.written.filter((line) => line === "RSET\r\n")).toHaveLength(1);
  });

  it.each([
    ["PLAIN", "250-AUTH PLAIN LOGIN", ["235 ok\r\n"], [`AUTH PLAIN ${base64("\0ann\0gehëim")}`]],
    ["PLAIN in the old spelling", "250-AUTH=LOGIN PLAIN", ["235 ok\r\n"], [`AUTH PLAIN ${base64("\0ann\0gehëim")}`]],
    [
      "LOGIN",
      "250-auth cram-md5 login",
      ["334 VXNlcm5hbWU6\r\n", "334 UGFzc3dvcmQ6\r\n", "235 ok\r\n"],
      ["AUTH LOGIN", base64("ann"), base64("gehëim")],
    ],
  ])("logs in by %s", async (_name, offer, answers, said) => {
    const io = scriptedIo({ connect: [["220 hi\r\n", `250-hi\r\n${offer}\r\n250 HELP\r\n`, ...answers, ...TAKEN]] });
    expect(await connectionTo(io, WITH_LOGIN).send(MESSAGE)).toEqual({ kind: "sent" });
    expect(io.written.slice(1, 1 + said.length)).toEqual(said.map((line) => `${line}\r\n`));
  });

  it("turns to TLS before it logs in, and believes only what is offered then", async () => {
    const server: SmtpServer = { ...WITH_LOGIN, port: 587, tls: "starttls" };
    const offers = ["250-hi\r\n250-AUTH LOGIN\r\n250 STARTTLS\r\n", "220 go on\r\n", "250-hi\r\n250 AUTH PLAIN\r\n"];
    const io = scriptedIo({ connect: [["220 hi\r\n", ...offers, "235 ok\r\n", ...TAKEN]] });
    expect(await connectionTo(io, server).send(MESSAGE)).toEqual({ kind: "sent" });
    expect(io.written.slice(0, 4)).toEqual([
      "EHLO example.com\r\n",
      "STARTTLS\r\n",
      "EHLO example.com\r\n",
      `AUTH PLAIN ${base64("\0ann\0gehëim")}\r\n`,
    ]);
  });

  it.each([
    ["does not offer STARTTLS", ["250 hi\r\n"], "mail server: the server does not offer STARTTLS"],
    [
      "slips in commands before TLS begins",
      ["250 STARTTLS\r\n".replace("250 ", "250-hi\r\n250 "), "220 go on\r\n235 ok\r\n"],
      "mail server: the server talked on before TLS began",
    ],
  ])("sends neither password nor mail to a server that %s", async (_name, answers, error) => {
    const io = scriptedIo({ connect: [["220 hi\r\n", ...answers]] });
    const outcome = await connectionTo(io, { ...WITH_LOGIN, tls: "starttls" }).send(MESSAGE);
    expect(outcome).toEqual({ kind: "unavailable", error });
    expect(io.written.join("")).not.toMatch(/AUTH|MAIL/);
    expect(io.openSockets()).toBe(0);
  });

  it.each([
    ["the recipient for now (greylisting)", [0, "451 4.7.1 later\r\n"], "451 4.7.1 to the recipient", false],
    ["the recipient for good", [0, "550 5.1.1 who?\r\n"], "550 5.1.1 to the recipient", true],
    ["the sender", [-1, "553 no\r\n"], "553 to the sender", true],
    ["DATA", [1, "554 no\r\n"], "554 to the message", true],
    ["the message when it is full", [2, "452 4.3.1 full\r\n"], "452 4.3.1 to the message", false],
    ["the message as spam", [2, "550 5.7.1 spam\r\n"], "550 5.7.1 to the message", true],
  ] as const)("tells whether to try again when the server refuses %s", async (_name, [
    after,
    answer,
  ], error, is_final) => {
    const io = scriptedIo({ connect: [[...HELLO, ...TAKEN.slice(0, after + 1), answer, "250 reset\r\n"]] });
    const connection = connectionTo(io);
    expect(await connection.send(MESSAGE)).toEqual({ kind: "failed", error: `mail server: ${error}`, is_final });
    await connection.close();
    expect(io.openSockets()).toBe(0);
  });

  it.each([
    ["refuses the password", WITH_LOGIN, [...HELLO, "535 5.7.8 no\r\n"], "535 5.7.8 to the login"],
    [
      "knows no way to log in",
      WITH_LOGIN,
      ["220 hi\r\n", "250 hi\r\n"],
      "the server offers neither AUTH PLAIN nor AUTH LOGIN",
    ],
    ["wants a login first", WITHOUT_LOGIN, [...HELLO, "530 5.7.0 log in\r\n"], "530 5.7.0 to the sender"],
    ["has no time", WITHOUT_LOGIN, ["421 busy\r\n"], "SMTP 421 instead of 220"],
    ["closes down in between", WITHOUT_LOGIN, [...HELLO, "250 ok\r\n", "421 bye\r\n"], "421 to the recipient"],
    ["greets and is gone", WITHOUT_LOGIN, ["220 hi\r\n"], "connection closed before a valid answer"],
    [
      "is gone after the message",
      WITHOUT_LOGIN,
      [...HELLO, ...TAKEN.slice(0, 3)],
      "connection closed before a valid answer",
    ],
    ["speaks something else", WITHOUT_LOGIN, ["HTTP/1.1 400 Bad Request\r\n"], "the answer is not valid SMTP"],
  ])("blames itself and not the message when the server %s", async (_name, server, reads, error) => {
    const io = scriptedIo({ connect: [reads] });
    const outcome = await connectionTo(io, server).send(MESSAGE);
    expect(outcome).toEqual({ kind: "unavailable", error: `mail server: ${error}` });
    expect(io.openSockets()).toBe(0);
    expect(JSON.stringify(outcome)).not.toMatch(/gehëim|ann@/);
  });

  it("opens a new connection after one that failed, and says in plain words why it could not", async () => {
    const fault = new IoFault("connect", "connection refused");
    const io = scriptedIo({ connect: [fault, new Error("reset by 203.0.113.7"), [...HELLO, ...TAKEN]] });
    const connection = connectionTo(io);
    expect(await connection.send(MESSAGE)).toEqual({ kind: "unavailable", error: "mail server: connection refused" });
    expect(await connection.send(MESSAGE)).toEqual({
      kind: "unavailable",
      error: "mail server: the connection could not be made or was lost",
    });
    expect(await connection.send(MESSAGE)).toEqual({ kind: "sent" });
  });

  it.each([
    ["goes to a server that offers SMTPUTF8", "250-hi\r\n250 SMTPUTF8\r\n", "sent"],
    ["stays away from one that does not", "250 hi\r\n", "failed"],
  ])("with an address beyond ASCII %s", async (_name, offer, kind) => {
    const io = scriptedIo({ connect: [["220 hi\r\n", offer, ...TAKEN]] });
    const outcome = await connectionTo(io).send({ ...MESSAGE, to: "jörg@example.org" });
    expect(outcome).toMatchObject(kind === "sent" ? { kind } : { kind, is_final: true });
    expect(io.written[1]).toBe(kind === "sent" ? "MAIL FROM:<vigil@example.com> SMTPUTF8\r\n" : undefined);
  });

  it.each([
    "ann@example.org>\r\nRCPT TO:<all@example.org",
    "ann @example.org",
  ])("never says an address that is a command: %j", async (to) => {
    const io = scriptedIo({ connect: [HELLO] });
    expect(await connectionTo(io).send({ ...MESSAGE, to })).toMatchObject({ kind: "failed", is_final: true });
    expect(io.written).toEqual(["EHLO example.com\r\n"]);
  });
});
