import { isRecord } from "./is-record.ts";
import { oneLine } from "./one-line.ts";

/** What terminals, XML readers and browsers obey instead of showing it; halves of characters; line ends of JavaScript. */
const OBEYED = /(?![\n\t])[\p{Cc}\p{Cs}\u2028\u2029\u202A-\u202E\u2066-\u2069\uFEFF]/gu;

/** Text of programs as it is stored and shown; it keeps its lines. */
export function printable(text: string): string {
  return text.replace(OBEYED, "");
}

/** For names. */
export function printableLine(text: string): string {
  return oneLine(printable(text));
}

/** All names and texts within a value that was read from JSON. */
export function printableJson<Value>(value: Value): Value {
  return cleaned(value) as Value;
}

function cleaned(value: unknown): unknown {
  if (typeof value === "string") return printable(value);
  if (Array.isArray(value)) return value.map(cleaned);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [printable(name), cleaned(member)]));
}
