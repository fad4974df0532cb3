import type { MonitorType } from "../contract/monitor-values.ts";
import { registeredName } from "../lib/public-suffixes.ts";

/** What one pasted text asks to be watched, as the fields of a monitor. */
export interface WatchedThing {
  type: MonitorType;
  name: string;
  target: string | null;
  /** Fields of its type. */
  fields: Readonly<Record<string, string>>;
  /** Whose certificate may be watched besides. */
  certificate: string | null;
  /** The registered domain that may be watched besides. */
  domain: string | null;
}

export interface WatchedThings {
  things: WatchedThing[];
  /** Things beyond those that one form takes. */
  more: number;
  /** Lines in which nothing was found to watch. */
  unread: string[];
}

/** Of one form; each becomes a request of its own. */
export const WATCHED_MAX = 50;

interface Entry {
  text: string;
  name?: string | undefined;
}

/**
 * Reads addresses, hosts, ports, mail domains and cron lines from a text that was pasted: one or many, a list, CSV, the bookmarks
 * of a browser, a sitemap or a zone file.
 */
export function readWatchedThings(text: string): WatchedThings {
  const found = new Map<string, WatchedThing>();
  const unread: string[] = [];
  for (const entries of entriesOf(text)) {
    const [whole] = entries;
    const things = entries.map(readThing).filter((thing) => thing !== null);
    if (things.length === 0 && whole !== undefined) unread.push(whole.text);
    for (const thing of things) found.set(`${thing.type} ${thing.target ?? thing.fields.schedule ?? ""}`, thing);
  }
  const things = [...found.values()];
  return { things: things.slice(0, WATCHED_MAX), more: Math.max(0, things.length - WATCHED_MAX), unread };
}

/** Patterns end at the next tag, so that no text costs more than its length. */
const BOOKMARK = /<a\s[^<>]*?href="([^"<>]+)"[^<>]*>([^<]*)</gi;
const SITEMAP = /<loc>\s*([^<\s]+)\s*<\/loc>/gi;
const LINES_MAX = 2000;
/** No address is longer. */
const LINE_LENGTH_MAX = 2000;

/** Of each line, or of each place of a document, the ways to read it; all that can be read are meant. */
function entriesOf(text: string): Entry[][] {
  const bookmarks = [...text.matchAll(BOOKMARK)];
  if (bookmarks.length > 0)
    return bookmarks
      .filter(([, href = ""]) => /^https?:/i.test(href))
      .map(([, href = "", name = ""]) => [{ text: unescaped(href), name: unescaped(name).trim() }]);
  const places = [...text.matchAll(SITEMAP)];
  if (places.length > 0) return places.map(([, place = ""]) => [{ text: unescaped(place) }]);
  const lines = text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "" && line.length <= LINE_LENGTH_MAX && !/^[#;]|^\/\//.test(line))
    .slice(0, LINES_MAX);
  const records = zoneRecords(lines);
  if (records.length > 0) return records;
  return lines.map(entriesOfLine);
}

const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };
const unescaped = (text: string) => text.replace(/&(amp|lt|gt|quot|#39);/g, (_all, name) => ENTITIES[name] ?? "");

/** A cron line has commas and spaces of its own; of a row of CSV the first cell to watch counts, and the first other names it. */
function entriesOfLine(line: string): Entry[] {
  const isThing = (text: string) => readThing({ text }) !== null;
  if (isThing(line)) return [{ text: line }];
  const words = line.split(/[\s,;|]+/).filter((word) => word !== "");
  if (words.every(isThing)) return words.map((text) => ({ text }));
  const cells = line.split(/[,;\t|]/).map((cell) => cell.trim().replace(/^"(.*)"$/, "$1"));
  const text = cells.find(isThing);
  if (cells.length === 1 || text === undefined) return [{ text: line }];
  return [{ text, name: cells.find((cell) => cell !== "" && !isThing(cell)) }];
}

const RECORD = /^(\S+)\s+(?:\d+\w?\s+)?(?:IN\s+)?(A|AAAA|CNAME|MX|NS|TXT|SOA|SRV|CAA|PTR)\s+(.+)$/i;

/** Names with addresses are websites, those of mail exchangers receive mail; records of other kinds are nothing to watch. */
function zoneRecords(lines: readonly string[]): Entry[][] {
  const origin = lines.map((line) => /^\$ORIGIN\s+(\S+)/i.exec(line)?.[1]).find((name) => name !== undefined);
  const read = lines.map((line) => RECORD.exec(line)).filter((record) => record !== null);
  const named = read.length > 1 || origin !== undefined || lines.some((line) => /\bIN\s+(SOA|NS)\b/i.test(line));
  if (read.length === 0 || !named) return [];
  const zone = (origin ?? read.map(([, name = ""]) => name).find((name) => name.endsWith(".")) ?? "").replace(
    /\.$/,
    "",
  );
  const whole = (name: string) => {
    if (name === "@") return zone;
    return name.endsWith(".") || zone === "" ? name.replace(/\.$/, "") : `${name}.${zone}`;
  };
  const hosts = read.flatMap(([, name = "", type = "", data = ""]): string[] => {
    if (name.includes("*") || name.startsWith("_")) return [];
    if (/^(A|AAAA|CNAME)$/i.test(type)) return [whole(name)];
    return /^MX$/i.test(type) ? [`smtp://${whole(data.split(/\s+/)[1] ?? "")}`] : [];
  });
  return [...new Set(hosts)].map((text) => [{ text }]);
}

const CRON_NAME = /^@(?:hourly|daily|weekly|monthly|yearly)$/i;
const CRON_FIELD =
  /^(?:[\d*][\d*/,-]*|(?:mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z,-]*)$/i;
const CRON_FIELDS = 5;
const JOB_WORDS = /^(?:cron(?: ?job)?|heartbeat|backups?|job)$/i;

const SCHEMES: Readonly<Record<string, MonitorType>> = {
  http: "http",
  https: "https",
  tcp: "tcp",
  smtp: "smtp",
  smtps: "smtp",
  imap: "imap",
  imaps: "imap",
  pop3: "pop3",
  pop3s: "pop3",
  telnet: "telnet",
  postgres: "postgres",
  postgresql: "postgres",
  mysql: "mysql",
  mariadb: "mysql",
  redis: "redis",
  rediss: "redis",
};

/** What usually speaks behind a port. */
const PORTS: Readonly<Record<number, { type: MonitorType; fields?: Record<string, string> }>> = {
  21: { type: "tcp", fields: { tcp_protocol: "ftp" } },
  22: { type: "tcp", fields: { tcp_protocol: "ssh" } },
  23: { type: "telnet" },
  25: { type: "smtp" },
  80: { type: "http" },
  110: { type: "pop3" },
  143: { type: "imap" },
  389: { type: "tcp", fields: { tcp_protocol: "ldap" } },
  443: { type: "https" },
  465: { type: "smtp" },
  587: { type: "smtp" },
  993: { type: "imap" },
  995: { type: "pop3" },
  3306: { type: "mysql" },
  5432: { type: "postgres" },
  6379: { type: "redis" },
  8080: { type: "http" },
  8443: { type: "https" },
  11211: { type: "tcp", fields: { tcp_protocol: "memcached" } },
};

/** What the first label of a host says of it. */
const LABELS: readonly [RegExp, MonitorType][] = [
  [/^(?:smtp|mx)\d*\./i, "smtp"],
  [/^imap\d*\./i, "imap"],
  [/^pop3?\d*\./i, "pop3"],
];

const HOST = /^(?:(?:[\p{L}\d_](?:[\p{L}\d_-]*[\p{L}\d])?\.)+[\p{L}\d][\p{L}\d-]*|localhost|\[[\da-f:.]+\])$/iu;
const ADDRESS = /^(\[[^\]\s]+\]|[^\s:/?#[\]@]+)(?::(\d{1,5}))?([/?#]\S*)?$/;
const MAIL_DOMAIN = /^[^\s@]*@([^\s@:/]+)$/;
const BARE_IPV6 = /^[\da-f]*:[\da-f:]*:[\da-f.:]*$/i;
const IPV4 = /^\d{1,3}(?:\.\d{1,3}){3}$/;

function readThing({ text, name }: Entry): WatchedThing | null {
  const entered = text.trim();
  const thing = readJob(entered) ?? readUrl(entered) ?? readMailDomain(entered) ?? readAddress(entered);
  return thing && name ? { ...thing, name: name.slice(0, NAME_MAX) } : thing;
}

const NAME_MAX = 200;
const NOTHING_BESIDES = { fields: {}, certificate: null, domain: null };

function readJob(text: string): WatchedThing | null {
  const { schedule, command } = readCron(text);
  if (schedule === null && !JOB_WORDS.test(text)) return null;
  const called = command?.split("/").at(-1);
  const name = called || (schedule === null ? "Nightly job" : "Scheduled job");
  return {
    ...NOTHING_BESIDES,
    type: "heartbeat",
    name: name.slice(0, NAME_MAX),
    target: null,
    fields: schedule === null ? {} : { schedule },
  };
}

/** The line of a crontab: when, and maybe what. */
function readCron(text: string): { schedule: string | null; command?: string | undefined } {
  const words = text.split(/\s+/);
  const count = CRON_NAME.test(words[0] ?? "") ? 1 : CRON_FIELDS;
  const when = words.slice(0, count);
  if (when.length < count || (count > 1 && !when.every((word) => CRON_FIELD.test(word)))) return { schedule: null };
  return { schedule: when.join(" "), command: words[count] };
}

function readUrl(text: string): WatchedThing | null {
  const [, scheme = ""] = /^([a-z][a-z\d+.-]*):\/\/\S+$/i.exec(text) ?? [];
  const type = SCHEMES[scheme.toLowerCase()];
  if (type === undefined || !URL.canParse(text)) return null;
  const host = new URL(text.replace(/^[^:]+/, "https")).hostname;
  if (host === "") return null;
  return { type, name: host, target: text, ...besides(type, host) };
}

function readMailDomain(text: string): WatchedThing | null {
  const [, host] = MAIL_DOMAIN.exec(text) ?? [];
  if (host === undefined || !HOST.test(host)) return null;
  const domain = registeredName(host);
  return {
    ...NOTHING_BESIDES,
    type: "dns",
    name: `Mail of ${host}`,
    target: host,
    fields: { dns_record_type: "MX" },
    domain,
  };
}

function readAddress(text: string): WatchedThing | null {
  const [, host, portText, path = ""] = ADDRESS.exec(BARE_IPV6.test(text) ? `[${text}]` : text) ?? [];
  if (host === undefined || !HOST.test(host) || (/^[\d.]+$/.test(host) && !IPV4.test(host))) return null;
  const port = portText === undefined ? null : Number(portText);
  if (port !== null && (port < 1 || port > 65_535)) return null;
  if (path === "" && port === null) {
    const [, type] = LABELS.find(([label]) => label.test(host)) ?? [];
    if (type !== undefined) return { ...NOTHING_BESIDES, type, name: host, target: host };
  }
  const isNumeric = IPV4.test(host) || host.startsWith("[") || host === "localhost";
  const byPort = port === null ? undefined : PORTS[port];
  const isWeb = path !== "" || port === null;
  const type = byPort?.type ?? (isWeb ? (isNumeric ? "http" : "https") : "tcp");
  if (type !== "http" && type !== "https") {
    return {
      ...NOTHING_BESIDES,
      type,
      name: `${host}:${port}`,
      target: `${host}:${port}`,
      fields: byPort?.fields ?? {},
    };
  }
  const isUsual = port === null || port === (type === "https" ? 443 : 80);
  const target = `${type}://${host}${isUsual ? "" : `:${port}`}${path}`;
  return { type, name: host, target, ...besides(type, host) };
}

/** What stands or falls with the same host: its certificate, its registration. */
function besides(type: MonitorType, host: string): Pick<WatchedThing, "fields" | "certificate" | "domain"> {
  const isWeb = type === "https" || type === "http";
  if (!isWeb || IPV4.test(host) || host.startsWith("[")) return NOTHING_BESIDES;
  const domain = registeredName(host.toLowerCase());
  return { fields: {}, certificate: type === "https" && domain !== null ? host : null, domain };
}
