import type { Parsed } from "./parse-result.ts";

/** The operator's own mail server, as SMTP_URL names it. */
export interface SmtpServer {
  host: string;
  port: number;
  /** `starttls` is never less: a server that does not offer it gets no mail. */
  tls: "on" | "starttls" | "off";
  credentials: { username: string; password: string } | null;
}

const FORM = "must have the form smtps://user:password@host:465 or smtp://user:password@host:587";
/** Workers cannot open it: https://developers.cloudflare.com/workers/runtime-apis/tcp-sockets/#considerations */
const BLOCKED_PORT = 25;

/** Reasons never quote the text, which holds a password. */
export function parseSmtpUrl(text: string): Parsed<SmtpServer> {
  const refuse = (reason: string) => ({ ok: false, reason }) as const;
  if (!/^smtps?:\/\//i.test(text) || !URL.canParse(text)) return refuse(FORM);
  const url = new URL(text);
  // Only in an address of the web the parser brings a host into its one spelling.
  const web = `https://${url.hostname}`;
  const username = decoded(url.username);
  const password = decoded(url.password);
  if (url.hostname === "" || !URL.canParse(web) || !["", "/"].includes(url.pathname) || url.hash !== "") {
    return refuse(FORM);
  }
  if (username === null || password === null) {
    return refuse("has a user name or password that is not percent-encoded as in any URL");
  }
  if (!["", "?tls=off"].includes(url.search)) return refuse("knows no parameter but ?tls=off");
  const isImplicit = url.protocol === "smtps:";
  const isOff = url.search === "?tls=off";
  if (isOff && (isImplicit || username !== "")) {
    return refuse("must not switch TLS off with smtps:// or a password, which would travel unencrypted");
  }
  const port = url.port === "" ? (isImplicit ? 465 : 587) : Number(url.port);
  if (port === BLOCKED_PORT) return refuse("must not name port 25, which Workers cannot reach: take 465 or 587");
  return {
    ok: true,
    value: {
      host: new URL(web).hostname,
      port,
      tls: isImplicit ? "on" : isOff ? "off" : "starttls",
      credentials: username === "" ? null : { username, password },
    },
  };
}

function decoded(text: string): string | null {
  try {
    const plain = decodeURIComponent(text);
    return /\p{Cc}/u.test(plain) ? null : plain;
  } catch {
    return null;
  }
}
