import { createHash } from "node:crypto";
import { existsSync, mkdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { deflateSync } from "node:zlib";
import { beforeEach, describe, expect, it } from "vitest";
import { createArchive, openArchive } from "../../scripts/backup/archive.ts";
import { restoreLocal } from "../../scripts/backup/local.ts";
import { stateDirOf } from "../../scripts/local/settings.ts";
import { importGatus } from "../../src/cli/sources/gatus.ts";
import { localFile } from "../../src/cli/sources/local-file.ts";
import { importUptimeKuma } from "../../src/cli/sources/uptime-kuma.ts";
import { temporaryDir } from "./support.ts";

/** Files that somebody else made, given to commands that an operator runs. */

const sha256 = (content: Uint8Array) => createHash("sha256").update(content).digest("hex");

describe("a backup of somebody else's", () => {
  let dir: string;
  let file: string;
  beforeEach(() => {
    dir = temporaryDir();
    file = join(dir, "hostile.backup");
  });

  interface Entry {
    path: string;
    content: Uint8Array;
    size?: number;
    chunk?: Uint8Array;
  }

  /** One whose own checksums agree, as its writer would see to. */
  function write(entries: readonly Entry[], tamper?: string): void {
    createArchive(file, { kind: "local", made_at: "", migrations: [], was_running: false }, undefined).finish();
    const database = new DatabaseSync(file);
    const listed = entries.map(({ path, content, size = content.length }) => ({ path, size, sha256: sha256(content) }));
    for (const [n, { path, size, sha256: sum }] of listed.entries()) {
      database.prepare("INSERT INTO files (path, size, sha256) VALUES (?, ?, ?)").run(path, size, sum);
      const packed = entries[n]?.chunk ?? deflateSync(entries[n]?.content ?? new Uint8Array());
      database.prepare("INSERT INTO chunks (path, position, content) VALUES (?, 0, ?)").run(path, packed);
    }
    const list = listed.map((each) => `${each.path}\n${each.size}\n${each.sha256}\n`).join("");
    database.prepare("UPDATE info SET value = ? WHERE name = 'digest'").run(Buffer.from(sha256(Buffer.from(list))));
    if (tamper) database.exec(tamper);
    database.close();
  }

  const restore = () => {
    const stateDir = stateDirOf({ STATE_DIR: join(dir, "state") });
    return restoreLocal(stateDir, file, { passphrase: undefined, replace: false });
  };
  const text = (content: string) => Buffer.from(content);

  it("is restored where it is one of a service", () => {
    write([{ path: "secrets.json", content: text("{}") }]);
    restore();
    expect(existsSync(join(dir, "state/secrets.json"))).toBe(true);
  });

  it.each([
    "../planted",
    "../../planted",
    "v3/../../planted",
    "/tmp/vigil-planted-by-a-backup",
    "v3/d1/../../../planted",
    "./planted",
    "a//planted",
    "..",
    "",
  ])("writes nothing to %j", (path) => {
    write([{ path, content: text("planted") }]);
    expect(restore).toThrow("which is no place within a backup");
    expect(existsSync(join(dir, "planted"))).toBe(false);
    expect(existsSync("/tmp/vigil-planted-by-a-backup")).toBe(false);
  });

  it.each([
    "build/prepared.json",
    "runtime.bin",
    "lock.sqlite",
    "v3/cache/x.sqlite",
    "v3/d1/x.js",
    "secrets.json.bak",
  ])("replaces no part of the program or the state that it does not hold: %s", (path) => {
    write([
      { path: "secrets.json", content: text("{}") },
      { path, content: text("planted") },
    ]);
    expect(restore).toThrow("is no part of a service's state");
    expect(existsSync(join(dir, "state/secrets.json"))).toBe(false);
  });

  it("unfolds to no more than it says, and no chunk to more than a chunk", () => {
    const blanks = new Uint8Array(64 << 20);
    write([{ path: "secrets.json", content: blanks }]);
    expect(restore).toThrow("in the backup was changed");
    rmSync(file);
    write([{ path: "secrets.json", content: text("x".repeat(1000)), size: 10 }]);
    expect(restore).toThrow("it is longer than it says");
  });

  it("is refused where the disk has no room for it", () => {
    write([{ path: "secrets.json", content: text("{}"), size: 2 ** 52 }]);
    expect(restore).toThrow("more than the disk");
  });

  it.each([
    [
      "a view that never ends",
      "DROP TABLE files; CREATE VIEW files AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i FROM n) SELECT 'a' AS path, i AS size, '' AS sha256 FROM n",
    ],
    ["a trigger", "CREATE TRIGGER t AFTER INSERT ON info BEGIN SELECT 1; END"],
    ["another table", "CREATE TABLE more (x)"],
  ])("runs nothing that it brings along: %s", (_, tamper) => {
    write([{ path: "secrets.json", content: text("{}") }], tamper);
    expect(() => openArchive(file, undefined)).toThrow("is no backup");
  });
});

describe("settings of other tools that somebody else wrote", () => {
  const anchors = Array.from({ length: 12 }, (_, n) =>
    n === 0 ? "a0: &a0 [x, x, x, x, x, x, x, x, x, x]" : `a${n}: &a${n} [${`*a${n - 1}, `.repeat(10)}]`,
  ).join("\n");

  it.each([
    ["anchors that unfold to a thousand billion", `${anchors}\nendpoints: *a11`],
    ["a nesting of a hundred thousand", `endpoints: ${"[".repeat(100_000)}`],
    ["an anchor within itself", "endpoints: &a [*a]"],
    ["a tag that asks for code", "endpoints: !!js/function 'function () {}'"],
    ["text", "just text"],
    ["nothing", ""],
  ])("of Gatus are refused or read without harm: %s", (_, yaml) => {
    let monitors = 0;
    try {
      monitors = Object.keys(importGatus(yaml).manifest.monitors).length;
    } catch (error) {
      expect(String(error)).toMatch(/CommandFailure|Error: the file /);
    }
    expect(monitors).toBe(0);
  });

  it("of Gatus name no member that every object has", () => {
    const yaml =
      "endpoints:\n  - {name: __proto__, url: 'https://a.example'}\n  - {name: constructor, url: 'https://b.example'}";
    const { monitors } = importGatus(yaml).manifest;
    expect(Object.values(monitors).map(({ target }) => target)).toEqual(["https://a.example", "https://b.example"]);
    expect(Object.getPrototypeOf(monitors)).toBe(Object.prototype);
    expect(Object.getPrototypeOf({})).toBe(Object.prototype);
  });

  describe("of Uptime Kuma", () => {
    const aDatabase = (sql: string) => {
      const file = join(temporaryDir(), "kuma.db");
      const database = new DatabaseSync(file);
      database.exec(sql);
      database.close();
      return file;
    };

    it.each([
      [
        "a view that never ends",
        "CREATE VIEW monitor AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i FROM n) SELECT i AS id FROM n",
      ],
    ])("are refused with a reason: %s", (_, sql) => {
      expect(() => importUptimeKuma(localFile(aDatabase(sql)))).toThrow("is no database of Uptime Kuma");
    });

    it.each(["{", "5"])("are read where JSON is none, which is said: %s", (statuses) => {
      const sql = `CREATE TABLE monitor (id, name, type, url, accepted_statuscodes_json);
        INSERT INTO monitor VALUES (1, 'a', 'http', 'http://a', '${statuses}')`;
      expect(importUptimeKuma(localFile(aDatabase(sql))).remarks).toMatchObject([
        { subject: 'monitor "a"', about: "stays", reason: expect.stringContaining("accepted_statuscodes_json") },
      ]);
    });

    it("are refused where they are cut short", () => {
      const file = aDatabase(`CREATE TABLE monitor (id, name, type, url);
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
        INSERT INTO monitor SELECT i, 'a' || i, 'http', 'http://a.example/' || i FROM n`);
      truncateSync(file, 8192);
      expect(() => importUptimeKuma(localFile(file))).toThrow("is no database of Uptime Kuma");
    });

    it("are refused where a cell is larger than all settings would be", () => {
      const file = aDatabase(`CREATE TABLE monitor (id, name, type, url);
        INSERT INTO monitor VALUES (1, 'a', 'http', zeroblob(70000000))`);
      expect(() => importUptimeKuma(localFile(file))).toThrow("holds more than 64 MiB");
    });

    it("are refused where they have more rows than anybody has monitors", () => {
      const file = aDatabase(`CREATE TABLE monitor (id, name, type, url);
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20001)
        INSERT INTO monitor SELECT i, 'a', 'http', 'http://a.example' FROM n`);
      expect(() => importUptimeKuma(localFile(file))).toThrow("more than 20000 rows");
    });

    it("are refused where the file is no database", () => {
      const file = join(temporaryDir(), "kuma.db");
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, "not a database");
      expect(() => importUptimeKuma(localFile(file))).toThrow("is no database of Uptime Kuma");
    });

    it("name no member that every object has", () => {
      const file = aDatabase(
        `CREATE TABLE monitor (id, name, type, url, headers, active);
         INSERT INTO monitor VALUES (1, '__proto__', 'http', 'http://a.example', '{"__proto__": {"x": "y"}}', 1)`,
      );
      const { monitors } = importUptimeKuma(localFile(file)).manifest;
      expect(Object.values(monitors)).toMatchObject([{ name: "__proto__", target: "http://a.example" }]);
      expect(Object.getPrototypeOf({})).toBe(Object.prototype);
    });
  });
});
