import type { Settings } from "./settings.ts";

const LEVELS = ["debug", "info", "warn", "error", "silent"] as const;
type Level = (typeof LEVELS)[number];
type Fields = Record<string, string | number | boolean | null | undefined>;

export interface Logger {
  debug(message: string, fields?: Fields): void;
  info(message: string, fields?: Fields): void;
  warn(message: string, fields?: Fields): void;
  error(message: string, cause: unknown, fields?: Fields): void;
}

/** Credentials of this service, and secrets in addresses, in whatever text they turn up. */
const SECRETS = /\b(?:sk_svc|hb|pk|ag|agi|mt)_[0-9A-Za-z]{12,}|([?&](?:token|key|secret)=)[^&\s]+|bot\d+:[\w-]{20,}/g;

export function redact(text: string): string {
  return text.replace(SECRETS, (_match, name: string | undefined) => `${name ?? ""}***`);
}

/** One JSON line per entry. Callers log route patterns and ids, never addresses, bodies or settings. */
export function createLogger(settings: Pick<Settings, "LOG_LEVEL">, base: Fields = {}): Logger {
  const lowest = LEVELS.indexOf(settings.LOG_LEVEL);
  const write = (level: Level, message: string, fields: Fields = {}) => {
    if (LEVELS.indexOf(level) < lowest) return;
    const line = redact(JSON.stringify({ level, message, ...base, ...fields }));
    if (level === "error") console.error(line);
    else console.log(line);
  };
  return {
    debug: (message, fields) => write("debug", message, fields),
    info: (message, fields) => write("info", message, fields),
    warn: (message, fields) => write("warn", message, fields),
    error: (message, cause, fields) => write("error", message, { ...fields, cause: describe(cause) }),
  };
}

function describe(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  // The message holds the values that the query was given; its cause says what went wrong.
  if (cause.message.startsWith("Failed query:") && cause.cause !== undefined) return describe(cause.cause);
  const deeper = cause.cause === undefined ? "" : ` <- ${describe(cause.cause)}`;
  return `${cause.stack ?? cause.message}${deeper}`;
}
