import { type TlsCheck, tlsCheck } from "../contract/tls-check.ts";
import { converse } from "../net/conversation.ts";
import { awaitGreeting, introduce, turnToTls } from "../net/smtp-dialog.ts";
import type { Probe } from "./port.ts";
import { parseServer, type ServerTarget } from "./server-target.ts";

const SCHEMES = { smtp: { port: 25, tls: "off" }, smtps: { port: 465, tls: "on" } } as const;
/** As much of the greeting is stored. */
const GREETING_MAX = 200;
/** The name in EHLO; a reserved one, because no mail is sent. */
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
      const greeting = await awaitGreeting(conversation);
      details.greeting = greeting.slice(0, GREETING_MAX);
      const offered = await introduce(conversation, OWN_NAME);
      Object.assign(details, { tls: tls !== "off", starttls_offered: offered.includes("STARTTLS") });
      if (tls === "starttls") await turnToTls(conversation, { offered, own_name: OWN_NAME });
      await conversation.farewell("QUIT\r\n");
      return "SMTP server ready";
    });
  },
};
