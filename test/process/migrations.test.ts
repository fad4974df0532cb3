import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { unstable_splitSqlQuery as splitSql } from "wrangler";
import { readWorkerConfig } from "../../scripts/local/config.ts";
import { applyMigrations, statementsOf } from "../../scripts/local/migrations.ts";
import { openDatabase } from "../../scripts/local/open-database.ts";
import { stateDirOf } from "../../scripts/local/settings.ts";
import { readMigratedSchema } from "../support/migrated-schema.ts";
import { temporaryDir } from "./support.ts";

const config = readWorkerConfig();

describe("migrations", () => {
  it("are applied once each, in order, and each file wholly or not at all", async () => {
    const dir = temporaryDir();
    const migrations = join(dir, "migrations");
    mkdirSync(migrations);
    const write = (name: string, sql: string) => writeFileSync(join(migrations, name), sql);
    write("0001_more.sql", "-- a comment; with a semicolon\nINSERT INTO t (word) VALUES ('more; or less');");
    write(
      "0000_first.sql",
      "CREATE TABLE t (word TEXT);\n--> statement-breakpoint\nINSERT INTO t (word) VALUES ('first');",
    );
    await using database = await openDatabase(stateDirOf({ STATE_DIR: dir }), config);
    const migrate = () => applyMigrations(database.execute, migrations);
    const words = async () =>
      (await database.execute([{ sql: "SELECT word FROM t", params: [] }]))[0]?.map((row) => row.word);

    await migrate();
    await migrate();
    expect(await words()).toEqual(["first", "more; or less"]);

    write(
      "0002_bad.sql",
      "INSERT INTO t (word) VALUES ('half');\n--> statement-breakpoint\nINSERT INTO nowhere VALUES (1);",
    );
    await expect(migrate()).rejects.toThrow(/^migration 0002_bad\.sql failed, nothing of it was applied: .*nowhere/);
    expect(await words()).toEqual(["first", "more; or less"]);

    write("0002_bad.sql", "INSERT INTO t (word) VALUES ('whole');");
    await migrate();
    expect(await words()).toEqual(["first", "more; or less", "whole"]);
  });

  it("drop what a guard left that refused nothing", async () => {
    const dir = temporaryDir();
    const migrations = join(dir, "migrations");
    mkdirSync(migrations);
    await using database = await openDatabase(stateDirOf({ STATE_DIR: dir }), config);
    const files = readdirSync(config.database.migrationsDir).filter((name) => name.endsWith(".sql"));
    const copy = (isWanted: (name: string) => boolean) => {
      for (const name of files.filter(isWanted))
        cpSync(join(config.database.migrationsDir, name), join(migrations, name));
    };
    copy((name) => name < "0031");
    await applyMigrations(database.execute, migrations);
    await database.execute([{ sql: "INSERT INTO guards (name) VALUES ('locations')", params: [] }]);
    copy((name) => name >= "0031");
    await applyMigrations(database.execute, migrations);
    expect(await database.execute([{ sql: "SELECT name FROM guards", params: [] }])).toEqual([[]]);
  });

  it("of this release mean the same on one machine and on the platform", () => {
    const withoutEnd = (sql: string) => sql.replace("--> statement-breakpoint", "").trim().replace(/;$/, "");
    for (const name of readdirSync(config.database.migrationsDir).filter((file) => file.endsWith(".sql"))) {
      const file = join(config.database.migrationsDir, name);
      const deployed = splitSql(readFileSync(file, "utf8")).map(withoutEnd);
      expect(statementsOf(file).map(withoutEnd), name).toEqual(deployed);
    }
  });

  it("of this release apply to an empty database", async () => {
    await using database = await openDatabase(stateDirOf({ STATE_DIR: temporaryDir() }), config);
    await applyMigrations(database.execute, config.database.migrationsDir);
    const [rows] = await database.execute([{ sql: "SELECT name FROM d1_migrations ORDER BY id", params: [] }]);
    const files = readdirSync(config.database.migrationsDir).filter((name) => name.endsWith(".sql"));
    expect(rows?.map(({ name }) => name)).toEqual(files.sort());
    // The tests in the Workers runtime begin with the same, made another way.
    const select = "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL";
    const [made = []] = await database.execute([{ sql: select, params: [] }]);
    const others = made.filter(({ name }) => !/^(_cf_|sqlite_|d1_migrations$)/.test(String(name)));
    expect(others.map(({ sql }) => String(sql)).sort()).toEqual(
      readMigratedSchema(config.database.migrationsDir).sort(),
    );
  });
});
