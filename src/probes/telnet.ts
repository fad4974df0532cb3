import { type TlsCheck, tlsCheck } from "../contract/tls-check.ts";
import { converse, protocolFault } from "../net/conversation.ts";
import type { Probe } from "./port.ts";
import { parseServer, type ServerTarget } from "./server-target.ts";

const SCHEMES = { telnet: { port: 23, tls: "off" }, telnets: { port: 992, tls: "on" } } as const;
/** Interpret As Command, before every command of RFC 854; the lowest command. */
const IAC = 255;
const COMMAND_MIN = 240;

/** Waits for the first words of the server: a negotiation or text. */
export const telnetProbe: Probe<ServerTarget, TlsCheck> = {
  type: "telnet",
  needs: ["tcp", "tls"],
  timeout_seconds: 10,
  options: tlsCheck(["off", "on"]),
  parseTarget: (text) => parseServer(text, { schemes: SCHEMES }),
  destination: ({ host, port }) => ({ host, port }),
  check({ host, port, ...target }, { tls_mode }, io, signal) {
    const tls = tls_mode ?? target.tls;
    return converse({ host, port, tls }, io, signal, async (conversation, details) => {
      const first = await conversation.readSome();
      const negotiates = first[0] === IAC && (first[1] ?? IAC) >= COMMAND_MIN;
      if (!negotiates && !isText(first)) throw protocolFault("Telnet");
      Object.assign(details, { tls: tls !== "off", negotiates });
      return negotiates ? "Telnet server ready" : "the server answers with text";
    });
  },
};

/** Printable characters, also of UTF-8, and the controls of a terminal: bell to carriage return, and escape. */
function isText(bytes: Uint8Array): boolean {
  return bytes.every((byte) => (byte >= 7 && byte <= 13) || byte === 27 || (byte >= 32 && byte !== 127 && byte < 245));
}
