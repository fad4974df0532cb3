import { IoFault } from "../../lib/io-fault.ts";
import { type Conversation, protocolFault } from "../../net/conversation.ts";
import type { Dialog } from "./dialog.ts";

/** An anonymous simple bind of LDAP 3, and its end: RFC 4511, sections 4.2 and 4.3. */
const BIND = Uint8Array.of(0x30, 0x0c, 0x02, 0x01, 0x01, 0x60, 0x07, 0x02, 0x01, 0x03, 0x04, 0x00, 0x80, 0x00);
const UNBIND = Uint8Array.of(0x30, 0x05, 0x02, 0x01, 0x02, 0x42, 0x00);
const SEQUENCE = 0x30;
const INTEGER = 0x02;
const ENUMERATED = 0x0a;
const BIND_RESPONSE = 0x61;
const MESSAGE_MAX = 4096;
/** Results by which a server says that it takes no anonymous bind; it is there. */
const LOGIN_WANTED = new Set([1, 7, 8, 13, 48, 49, 50, 53]);

export const ldapDialog: Dialog = {
  name: "LDAP",
  async greet(conversation) {
    await conversation.write(BIND);
    const result = await readResult(conversation);
    await conversation.farewell(UNBIND);
    if (result === 0) return "anonymous bind accepted";
    if (LOGIN_WANTED.has(result)) return "asks for a login";
    throw new IoFault("status", `the bind was refused with result ${result}`);
  },
};

async function readResult(conversation: Conversation): Promise<number> {
  const [tag, first = 0] = await conversation.readBytes(2);
  if (tag !== SEQUENCE) throw protocolFault("LDAP");
  const length = first < 0x80 ? first : await readLength(conversation, first & 0x7f);
  if (length > MESSAGE_MAX) throw protocolFault("LDAP");
  const message = await conversation.readBytes(length);
  // The id of the message, then the operation, which begins with its result.
  const operation = message[0] === INTEGER ? 2 + (message[1] ?? 0) : -1;
  if (message[operation] !== BIND_RESPONSE) throw protocolFault("LDAP");
  const size = message[operation + 1] ?? 0;
  const content = operation + 2 + (size < 0x80 ? 0 : size & 0x7f);
  const result = message[content + 2];
  if (message[content] !== ENUMERATED || message[content + 1] !== 1 || result === undefined)
    throw protocolFault("LDAP");
  return result;
}

async function readLength(conversation: Conversation, count: number): Promise<number> {
  if (count < 1 || count > 4) throw protocolFault("LDAP");
  return (await conversation.readBytes(count)).reduce((length, byte) => length * 256 + byte, 0);
}
