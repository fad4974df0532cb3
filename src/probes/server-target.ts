import type { TlsMode } from "../contract/tls-check.ts";
import type { Parsed } from "../lib/parse-result.ts";

/** A server as a target names it. Credentials never enter a message or a detail. */
export interface ServerTarget {
  host: string;
  port: number;
  /** What scheme and port say; a monitor's `tls_mode` wins over it. */
  tls: TlsMode;
  credentials: Credentials | null;
  /** What follows the first slash. */
  path: string;
  query: URLSearchParams;
}
export interface Credentials {
  username: string;
  password: string;
}

/** What a type allows in its targets. */
export interface ServerKind {
  /** Scheme to default port and TLS mode; a target without a scheme has the first one. */
  schemes: Readonly<Record<string, { port: number; tls: TlsMode }>>;
  hasCredentials?: boolean;
  path?: RegExp;
  /** The one parameter that may follow a question mark, and its values. */
  parameter?: { name: string; values: readonly string[] };
}

const ADDRESS =
  /^(?:([a-z][a-z0-9+.-]*):\/\/)?(?:([^\s/?#]*)@)?(\[[0-9a-f:.]+\]|[^\s:/?#@[\]\\]+)(?::(\d{1,5}))?(?:\/([^\s?#]*))?(?:\?([^\s#]*))?$/i;
/** A control character in a user name or password could end a line and begin a command. */
const CONTROLS = /\p{Cc}/u;

/** Reads `[scheme://][user:password@]host[:port][/path][?parameter]`, each part as far as the type knows it. */
export function parseServer(text: string, kind: ServerKind): Parsed<ServerTarget> {
  const [, schemeText, userinfo, host, portText, pathText, queryText] = ADDRESS.exec(text.trim()) ?? [];
  const names = Object.keys(kind.schemes);
  const scheme = schemeText?.toLowerCase() ?? names[0] ?? "";
  const chosen = kind.schemes[scheme];
  if (!chosen || !host || !URL.canParse(`http://${host}`)) {
    return {
      ok: false,
      reason: `must have the form host:port or ${names.map((name) => `${name}://host`).join(" or ")}`,
    };
  }
  const port = Number(portText ?? chosen.port);
  if (port < 1 || port > 65535) return { ok: false, reason: "must have a port between 1 and 65535" };
  const credentials = parseUserinfo(userinfo, kind);
  if (!credentials.ok) return credentials;
  const path = decoded(pathText ?? "");
  if (path === null || (path !== "" && !kind.path?.test(path)))
    return { ok: false, reason: "has a path that is not valid" };
  const query = new URLSearchParams(queryText);
  const { name, values = [] } = kind.parameter ?? {};
  for (const [key, value] of query) {
    if (key !== name) return { ok: false, reason: "has a parameter that is not known" };
    if (!values.includes(value)) return { ok: false, reason: `must have one of ${values.join(", ")} as its ${name}` };
  }
  return {
    ok: true,
    value: { host, port, tls: tlsOf(kind, scheme, port), credentials: credentials.value, path, query },
  };
}

function parseUserinfo(text: string | undefined, kind: ServerKind): Parsed<Credentials | null> {
  if (text === undefined) return { ok: true, value: null };
  if (!kind.hasCredentials) return { ok: false, reason: "must not contain a user name or password" };
  const colon = text.includes(":") ? text.indexOf(":") : text.length;
  const username = decoded(text.slice(0, colon));
  const password = decoded(text.slice(colon + 1));
  return username === null || password === null || CONTROLS.test(username + password)
    ? { ok: false, reason: "has a user name or password that is not valid" }
    : { ok: true, value: { username, password } };
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** The port that belongs to another scheme alone means that scheme: `host:993` is what `imaps://host` is. */
function tlsOf({ schemes }: ServerKind, scheme: string, port: number): TlsMode {
  const chosen = schemes[scheme];
  if (chosen?.port === port) return chosen.tls;
  return Object.values(schemes).find((other) => other.port === port)?.tls ?? chosen?.tls ?? "off";
}
