import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** What all migrations lead to, in statements that take a third of their time: every file of tests begins with them. */
export function readMigratedSchema(dir: string): string[] {
  using database = new DatabaseSync(":memory:");
  const files = readdirSync(dir).filter((name) => name.endsWith(".sql"));
  for (const name of files.sort()) database.exec(readFileSync(join(dir, name), "utf8"));
  const select = "SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'";
  const made = database.prepare(`${select} ORDER BY type <> 'table', rowid`).all();
  const filled = made.filter(({ type, name }) => type === "table" && database.prepare(`SELECT 1 FROM "${name}"`).get());
  if (filled.length > 0) throw new Error(`the migrations leave rows in ${filled.map(({ name }) => name).join(", ")}`);
  return made.map(({ sql }) => String(sql));
}
