import { existsSync, readFileSync } from "node:fs";
import { SourceMap } from "node:module";

/**
 * What the runtime prints when it is verbose. It repeats each exception of ours in its own words, without a place in our
 * code, and talks about its own internals; only exceptions that name our bundle stay.
 */
const NOISE =
  /^uncaught exception; (exception =|(?![\s\S]*\/build\/))|^NOSENTRY|^(?![\s\S]*\/build\/)[\s\S]*workerd@[0-9a-f]+/;

export interface RuntimeLog {
  level: string;
  message: string;
}

const PLACE = /(?:file:\/\/)?(\/[^\s()]+\.js):(\d+):(\d+)/g;

/** Prints the Worker's log on our output; places in the bundle become places in the source. */
export function printLogs(bundlePath: string): (log: RuntimeLog) => void {
  // Takes two hundred megabytes once read, and most services never print a place.
  let sourceMap: SourceMap | undefined;
  const toSource = (text: string, path: string, line: string, column: string) => {
    if (!path.endsWith(bundlePath)) return text;
    sourceMap ??= new SourceMap(JSON.parse(readFileSync(`${bundlePath}.map`, "utf8")));
    const entry = sourceMap.findEntry(Number(line) - 1, Number(column) - 1);
    if (!("originalSource" in entry)) return text;
    return `${entry.originalSource.replace(/^(\.\.\/)+/, "")}:${entry.originalLine + 1}`;
  };
  // A package has no sources to name.
  const hasSources = existsSync(`${bundlePath}.map`);
  return ({ level, message }) => {
    if (NOISE.test(message)) return;
    const stream = level === "error" || level === "warn" ? process.stderr : process.stdout;
    stream.write(`${hasSources ? message.replace(PLACE, toSource) : message}\n`);
  };
}
