/** Log lines for a person: time, level, a sentence, and what it is about as `name=value`. No secret is ever passed in. */
export interface Log {
  debug(message: string, fields?: Fields): void;
  info(message: string, fields?: Fields): void;
  warn(message: string, fields?: Fields): void;
  error(message: string, fields?: Fields): void;
}
export type Fields = Readonly<Record<string, string | number | boolean | null>>;

const LEVELS = ["debug", "info", "warn", "error"] as const;
type Level = (typeof LEVELS)[number];

export function createLog(level: string | undefined, write: (line: string) => void): Log {
  const least = LEVELS.indexOf((level ?? "info") as Level);
  const at =
    (own: Level) =>
    (message: string, fields: Fields = {}) => {
      if (LEVELS.indexOf(own) < Math.max(least, 0)) return;
      const named = Object.entries(fields).map(([name, value]) => ` ${name}=${textOf(value)}`);
      write(`${new Date().toISOString()} ${own.padEnd(5)} ${message}${named.join("")}\n`);
    };
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

/** Quoted where a reader could not see its end. */
function textOf(value: string | number | boolean | null): string {
  const text = String(value);
  return /^[^\s"=]+$/.test(text) ? text : JSON.stringify(text);
}
