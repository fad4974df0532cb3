import type { Column } from "./tables.ts";

/** The columns of `CREATE TABLE`, as databases write it back: checked already, later columns at its end. */

export interface StoredColumn extends Column {
  type: string;
  /** Its value is that by which the row is found. */
  isRowId: boolean;
  /** Computed from others: not stored, or stored and not read. */
  generated: "virtual" | "stored" | null;
}

const SQL_LENGTH_MAX = 50_000;
const TOKEN =
  /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*|[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|\S/g;
const OF_A_TABLE = ["CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN"];
/** Of MariaDB; SQLite has columns of these names. */
const INDEXES = ["KEY", "INDEX", "FULLTEXT", "SPATIAL"];
/** What ends the type of a column. */
const OF_A_COLUMN = [...OF_A_TABLE, "NOT", "NULL", "DEFAULT", "COLLATE", "REFERENCES", "GENERATED", "AS"];

export function columnsOf(sql: string): StoredColumn[] {
  if (sql.length > SQL_LENGTH_MAX) throw new Error("its schema is longer than anybody writes");
  const tokens = (sql.match(TOKEN) ?? []).filter((token) => !/^(--|\/\*)/.test(token));
  const definitions: string[][] = [[]];
  let depth = 0;
  for (const token of tokens.slice(tokens.indexOf("(") + 1)) {
    if (token === ")" && depth === 0) break;
    if (token === "(") depth++;
    if (token === ")") depth--;
    if (token === "," && depth === 0) definitions.push([]);
    else definitions.at(-1)?.push(token);
  }
  const isOfTable = ([first = "", second = ""]: string[]) => {
    const word = first.toUpperCase();
    return OF_A_TABLE.includes(word) || (INDEXES.includes(word) && second.startsWith("`"));
  };
  const keys = definitions.filter(isOfTable).flatMap((words) => {
    const at = words.findIndex((word) => word.toUpperCase() === "PRIMARY");
    const isOfOne = at >= 0 && words[at + 4] === ")";
    return isOfOne ? [unquoted(words[at + 3] ?? "")] : [];
  });
  return definitions.filter((words) => words.length > 0 && !isOfTable(words)).map((words) => columnOf(words, keys));
}

function columnOf([first = "", ...rest]: string[], keys: readonly string[]): StoredColumn {
  const name = unquoted(first);
  const upper = rest.map((word) => word.toUpperCase());
  const end = upper.findIndex((word) => OF_A_COLUMN.includes(word));
  const type = upper.slice(0, end < 0 ? undefined : end).join(" ");
  const isKey = upper.includes("PRIMARY") || keys.includes(name);
  const at = upper.indexOf("DEFAULT");
  const computed = upper.includes("AS") ? (upper.includes("STORED") ? "stored" : "virtual") : null;
  return {
    name,
    type,
    isRowId: isKey && type === "INTEGER",
    dflt_value: at < 0 ? null : (rest[at + 1] ?? null),
    generated: computed,
  };
}

export function unquoted(name: string): string {
  const [, quote = "", inner = ""] = /^(["'`[])([\s\S]*)["'`\]]$/.exec(name) ?? [];
  return quote === "" ? name : inner.replaceAll(quote + quote, quote);
}
