import { registeredName } from "../lib/public-suffixes.ts";

/**
 * The cookies of one run, as a browser without a past keeps them (RFC 6265, section 5). A cookie goes to the host that set
 * it and, where it names a domain, to the hosts below that domain; never to any other.
 */

const COOKIES_MAX = 50;
const COOKIE_MAX = 4096;

interface Cookie {
  name: string;
  value: string;
  domain: string;
  /** The host that set it is the only one that receives it. */
  isHostOnly: boolean;
  path: string;
  isSecure: boolean;
}

export class CookieJar {
  #cookies: Cookie[] = [];
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Of an answer to a request for this address; what is not well-formed is passed over. */
  store(url: URL, headers: Headers): void {
    for (const line of headers.getSetCookie()) {
      const parsed = line.length <= COOKIE_MAX ? parseCookie(line, url, this.#now()) : null;
      if (!parsed) continue;
      this.#cookies = this.#cookies.filter((kept) => !isSame(kept, parsed.cookie));
      if (!parsed.isExpired) this.#cookies.push(parsed.cookie);
      if (this.#cookies.length > COOKIES_MAX) this.#cookies.shift();
    }
  }

  /** What the header `cookie` of a request holds; null where there is nothing to send. */
  headerFor(url: URL): string | null {
    const sent = this.#cookiesFor(url).map(({ name, value }) => `${name}=${value}`);
    return sent.length === 0 ? null : sent.join("; ");
  }

  valueFor(url: URL, name: string): string | null {
    return this.#cookiesFor(url).find((cookie) => cookie.name === name)?.value ?? null;
  }

  values(): string[] {
    return this.#cookies.map(({ value }) => value);
  }

  /** Longer paths first. */
  #cookiesFor(url: URL): Cookie[] {
    const isSecure = url.protocol === "https:";
    return this.#cookies
      .filter((cookie) => isForHost(cookie, url.hostname) && isForPath(cookie, url.pathname))
      .filter((cookie) => isSecure || !cookie.isSecure)
      .toSorted((a, b) => b.path.length - a.path.length);
  }
}

function isSame(one: Cookie, other: Cookie): boolean {
  return one.name === other.name && one.domain === other.domain && one.path === other.path;
}

function parseCookie(line: string, url: URL, now: number): { cookie: Cookie; isExpired: boolean } | null {
  const [pair = "", ...parts] = line.split(";");
  const equals = pair.indexOf("=");
  const name = pair.slice(0, equals).trim();
  if (equals < 1 || name === "" || /[^!-~]/.test(name)) return null;
  const attributes = new Map(
    parts.map((part) => {
      const [key = "", ...value] = part.split("=");
      return [key.trim().toLowerCase(), value.join("=").trim()] as const;
    }),
  );
  const given = attributes.get("domain")?.replace(/^\./, "").toLowerCase() ?? "";
  // Under a public suffix anybody has a name, and an address has none below it.
  const isDomain = registeredName(given) !== null && registeredName(url.hostname) !== null;
  if (given !== "" && given !== url.hostname && !(isDomain && url.hostname.endsWith(`.${given}`))) return null;
  const path = attributes.get("path") ?? "";
  const cookie: Cookie = {
    name,
    value: pair.slice(equals + 1).trim(),
    domain: isDomain ? given : url.hostname,
    isHostOnly: !isDomain,
    path: path.startsWith("/") ? path : defaultPath(url.pathname),
    isSecure: attributes.has("secure"),
  };
  return { cookie, isExpired: isOver(attributes, now) };
}

/** Choice: a run lasts a minute at most, so that only what is over at once counts as expired. */
function isOver(attributes: ReadonlyMap<string, string>, now: number): boolean {
  const age = attributes.get("max-age") ?? "";
  if (/^-?\d+$/.test(age)) return Number(age) <= 0;
  return Date.parse(attributes.get("expires") ?? "") <= now;
}

function defaultPath(pathname: string): string {
  const end = pathname.lastIndexOf("/");
  return end <= 0 ? "/" : pathname.slice(0, end);
}

function isForHost({ domain, isHostOnly }: Cookie, host: string): boolean {
  return host === domain || (!isHostOnly && host.endsWith(`.${domain}`));
}

function isForPath({ path }: Cookie, pathname: string): boolean {
  if (pathname === path) return true;
  return pathname.startsWith(path) && (path.endsWith("/") || pathname[path.length] === "/");
}
