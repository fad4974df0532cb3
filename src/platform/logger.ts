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

/** Credentials of this service, and secrets in addresses, in any text. */
const SECRETS = /\b(?:sk_svc|hb|pk|ag|agi|mt)_[0-9A-Za-z]{12,}|([?&](?:token|key|secret)=)[^&\s]+|bot\d+:[\w-]{20,}/g;

export function redact(text: string): string {
  return text.replace(SECRETS, (_match, name: string | undefined) => `${name ?? ""}***`);
}

/** One JSON line per entry. Callers log route patterns and ids, never addresses, bodies or settings. */
export function createLogger({ LOG_LEVEL }: Pick<Settings, "LOG_LEVEL">, base: Fields = {}): Logger {
  return new LineLogger(LOG_LEVEL, base);
}

class LineLogger implements Logger {
  readonly #lowest: Level;
  readonly #base: Fields;

  constructor(lowest: Level, base: Fields) {
    this.#lowest = lowest;
    this.#base = base;
  }

  debug(message: string, fields?: Fields): void {
    this.#write("debug", message, fields);
  }

  info(message: string, fields?: Fields): void {
    this.#write("info", message, fields);
  }

  warn(message: string, fields?: Fields): void {
    this.#write("warn", message, fields);
  }

  error(message: string, cause: unknown, fields?: Fields): void {
    this.#write("error", message, { ...fields, cause: describe(cause) });
  }

  #write(level: Level, message: string, fields?: Fields): void {
    if (LEVELS.indexOf(level) < LEVELS.indexOf(this.#lowest)) return;
    const line = redact(JSON.stringify({ level, message, ...this.#base, ...fields }));
    if (level === "error") console.error(line);
    else console.log(line);
  }
}

function describe(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  // The message holds the values that the query was given; its cause says what went wrong.
  if (cause.message.startsWith("Failed query:") && cause.cause !== undefined) return describe(cause.cause);
  const deeper = cause.cause === undefined ? "" : ` <- ${describe(cause.cause)}`;
  return `${cause.stack ?? cause.message}${deeper}`;
}
