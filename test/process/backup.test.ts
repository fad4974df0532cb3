import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createArchive, openArchive } from "../../scripts/backup/archive.ts";
import { readObjects, writeObjects } from "../../scripts/backup/objects.ts";
import { backUpRemote, restoreRemote } from "../../scripts/backup/remote.ts";
import { deploy } from "../../scripts/deploy/deployment.ts";
import { EMPTY_ACCOUNT } from "../../scripts/deploy/empty-account.ts";
import { readOptions } from "../../scripts/deploy/options.ts";
import type { Platform } from "../../scripts/deploy/platform.ts";
import { deploymentFiles } from "../../scripts/deploy/record.ts";
import { readRelease } from "../../scripts/deploy/worker-config.ts";
import { controlOf } from "../../scripts/local/control.ts";
import type { Execute } from "../../scripts/local/database.ts";
import { stateDirOf } from "../../scripts/local/settings.ts";
import { newId } from "../../src/platform/ids.ts";
import { FakeCloudflare } from "../support/cloudflare.ts";
import { PATIENCE } from "../support/patience.ts";
import { runNpm, type Service, START_TIMEOUT_MS, startService, temporaryDir } from "./support.ts";

const PASSPHRASE = "a passphrase of some length";

function npm(command: string, stateDir: string, args: string[], passphrase?: string) {
  const env = { STATE_DIR: stateDir, ...(passphrase !== undefined && { BACKUP_PASSPHRASE: passphrase }) };
  return runNpm(["run", "--silent", command, "--", ...args], { env });
}

describe("npm run backup and restore", () => {
  const dir = temporaryDir();
  const file = join(dir, "service.backup");
  const settings = { RATE_LIMITS: "all=off", LOG_LEVEL: "warn" };
  let service: Service;
  let pushUrl: string;
  let answers: Record<string, unknown>;

  async function call(of: Service, path: string, body?: object) {
    const response = await fetch(`${of.url}${path}`, {
      method: body ? "POST" : "GET",
      headers: { authorization: `Bearer ${service.token}`, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    expect(response.status, path).toBeLessThan(300);
    return JSON.parse((await response.text()).replaceAll(of.url, "")) as Record<string, unknown>;
  }

  /** What people see of the service, without the address that it has this time. */
  async function answersOf(of: Service, page: unknown, monitor: unknown) {
    const v1 = "/api/uptime/v1";
    const paths = ["monitors", "incidents", "status-pages", "webhooks", "audit-logs"].map((name) => `${v1}/${name}`);
    paths.push(
      `${v1}/monitors/${monitor}`,
      `${v1}/monitors/${monitor}/results`,
      `${v1}/status-pages/${page}/sla-policy`,
    );
    return Object.fromEntries(await Promise.all(paths.map(async (path) => [path, await call(of, path)])));
  }

  let ids: { page: unknown; monitor: unknown };

  beforeAll(async () => {
    service = await startService({ env: settings });
    const v1 = "/api/uptime/v1";
    const page = await call(service, `${v1}/status-pages`, { name: "Page", slug: "page" });
    const monitor = await call(service, `${v1}/monitors`, {
      name: "Job",
      type: "heartbeat",
      interval: 86_400,
      status_page_id: page.id,
    });
    await call(service, `${v1}/webhooks`, { name: "Hook", url: "https://hook.example/", provider: "generic" });
    await call(service, `${v1}/incidents`, { title: "Trouble", status_page_id: page.id, severity: "minor" });
    pushUrl = `/ping/${monitor.heartbeat_token}`;
    for (const message of ["one", "two"]) {
      await (await fetch(service.url + pushUrl, { method: "POST", body: message })).body?.cancel();
    }
    ids = { page: page.id, monitor: monitor.id };
    await vi.waitFor(async () => expect((await call(service, `${v1}/monitors/${monitor.id}`)).status).toBe("up"));
    answers = await answersOf(service, ids.page, ids.monitor);
  }, START_TIMEOUT_MS);
  afterAll(() => service?.stop());

  it("copies a service while it runs and brings it back elsewhere, with its history and push addresses", async () => {
    const made = await npm("backup", service.stateDir, [file], PASSPHRASE);
    expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/\d+ databases/) });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file).includes("hook.example")).toBe(false);

    const stateDir = temporaryDir();
    expect(await npm("restore", stateDir, [file], PASSPHRASE)).toMatchObject({ code: 0 });
    const restored = await startService({ env: { ...settings, STATE_DIR: stateDir } });
    expect(restored.token, "the owner has an account already").toBeUndefined();
    expect(await answersOf(restored, ids.page, ids.monitor)).toEqual(answers);
    expect((await fetch(restored.url + pushUrl, { method: "POST", body: "three" })).status).toBe(200);
    const results = await call(restored, `/api/uptime/v1/monitors/${ids.monitor}/results`);
    expect(results).toHaveLength(3);
    await restored.stop();
  });

  it("sends nothing again that the service sent after its backup, and what a stopped one never sent", async () => {
    const waiting = newId();
    const insert = (execute: Execute) =>
      execute([
        {
          // Nothing wakes it in the service that is backed up.
          sql: `INSERT INTO events (id, owner_id, name, classification, data, created_at, wake_at)
            SELECT ?, id, 'deploy.finished', 'info', '{}', ?, 9e15 FROM users LIMIT 1`,
          params: [waiting, Date.now()],
        },
      ]);
    await insert(controlOf(stateDirOf({ STATE_DIR: service.stateDir })));
    const running = join(dir, "running.backup");
    expect(await npm("backup", service.stateDir, [running])).toMatchObject({ code: 0 });
    const stateDir = temporaryDir();
    expect(await npm("restore", stateDir, [running])).toMatchObject({ code: 0 });
    const stopped = join(dir, "stopped.backup");
    const copy = temporaryDir();
    expect(await npm("restore", copy, [running])).toMatchObject({ code: 0 });
    expect(await npm("backup", copy, [stopped])).toMatchObject({ code: 0 });
    expect([running, stopped].map((path) => openArchive(path, undefined).manifest.was_running)).toEqual([true, false]);

    const restored = await startService({ env: { ...settings, STATE_DIR: stateDir } });
    const execute = controlOf(stateDirOf({ STATE_DIR: stateDir }));
    await vi.waitFor(async () => {
      const [rows] = await execute([{ sql: "SELECT processed_at FROM events WHERE id = ?", params: [waiting] }]);
      expect(rows?.[0]?.processed_at).toEqual(expect.any(Number));
    }, PATIENCE);
    const [sent] = await execute([{ sql: "SELECT id FROM deliveries WHERE event_id = ?", params: [waiting] }]);
    expect(sent).toEqual([]);
    await restored.stop();
  });

  it("reads the objects of a running service with its root secret alone, and brings them back into one that lost them", async () => {
    const { ROOT_SECRET: rootSecret } = JSON.parse(readFileSync(join(service.stateDir, "secrets.json"), "utf8"));
    const platform = { fetch, sleep: async () => {} };
    const objects = join(dir, "objects.jsonl");
    const stranger = { platform, url: service.url, rootSecret: "another-root-secret-another-root-secret" };
    await expect(readObjects(stranger, service.execute, objects)).rejects.toThrow(/root secret/);
    expect(await readObjects({ platform, url: service.url, rootSecret }, service.execute, objects)).toBe(1);

    const moved = join(dir, "moved.backup");
    expect(await npm("backup", service.stateDir, [moved])).toMatchObject({ code: 0 });
    const stateDir = temporaryDir();
    expect(await npm("restore", stateDir, [moved])).toMatchObject({ code: 0 });
    rmSync(join(stateDir, "v3/do"), { recursive: true });
    const restored = await startService({ env: { ...settings, STATE_DIR: stateDir } });
    const results = `/api/uptime/v1/monitors/${ids.monitor}/results`;
    expect(await call(restored, results)).toEqual([]);
    await writeObjects({ platform, url: restored.url, rootSecret }, objects);
    expect(await call(restored, results)).toEqual(answers[results]);
    expect((await call(restored, `/api/uptime/v1/monitors/${ids.monitor}`)).status).toBe("up");
    expect((await fetch(restored.url + pushUrl, { method: "POST", body: "three" })).status).toBe(200);
    expect(await call(restored, results)).toHaveLength(3);
    await restored.stop();
  });

  it("refuses what it cannot restore whole, in one line, before it touches anything", async () => {
    const stateDir = temporaryDir();
    const refusals: [string[], string | undefined, string][] = [
      [[file], undefined, "is encrypted"],
      [[file], "another passphrase", "another passphrase"],
      [[join(dir, "nothing")], PASSPHRASE, "there is no file"],
    ];
    for (const [args, passphrase, reason] of refusals) {
      const { code, stderr } = await npm("restore", stateDir, args, passphrase);
      expect([code, stderr]).toEqual([1, expect.stringContaining(reason)]);
    }
    expect(existsSync(join(stateDir, "secrets.json"))).toBe(false);
    const running = await npm("restore", service.stateDir, [file, "--replace"], PASSPHRASE);
    expect([running.code, running.stderr]).toEqual([1, expect.stringContaining("stop it first")]);
  });
});

describe("a backup file", () => {
  const manifest = { kind: "local" as const, made_at: "2026-11-22T00:00:00.000Z", migrations: [], was_running: true };

  function aBackup(passphrase?: string) {
    const dir = temporaryDir();
    const source = join(dir, "source");
    writeFileSync(source, Buffer.alloc(2_500_000, "some content "));
    const file = join(dir, "backup");
    const archive = createArchive(file, manifest, passphrase);
    archive.add("a/file", source);
    archive.add("b/file", source);
    archive.finish();
    const extract = (path = "a/file") => openArchive(file, passphrase).extract(path, join(dir, `out-${Math.random()}`));
    const change = (sql: string) => new DatabaseSync(file).exec(sql);
    return { dir, file, source, extract, change };
  }

  it.each([undefined, PASSPHRASE])("gives back what was put in, with the passphrase %s", (passphrase) => {
    const { dir, file, source } = aBackup(passphrase);
    const archive = openArchive(file, passphrase);
    expect(archive.manifest).toEqual(manifest);
    archive.extract("b/file", join(dir, "out"));
    expect(readFileSync(join(dir, "out")).equals(readFileSync(source))).toBe(true);
  });

  it.each([
    ["a missing chunk", "DELETE FROM chunks WHERE path = 'a/file' AND position = 1"],
    ["a changed chunk", "UPDATE chunks SET content = zeroblob(100) WHERE path = 'a/file' AND position = 1"],
    ["a missing file", "DELETE FROM files WHERE path = 'b/file'"],
    ["another checksum", "UPDATE files SET sha256 = 'no' WHERE path = 'a/file'"],
    ["no end", "DELETE FROM info WHERE name = 'digest'"],
  ])("is refused with %s", (_, sql) => {
    for (const passphrase of [undefined, PASSPHRASE]) {
      const { extract, change } = aBackup(passphrase);
      extract();
      change(sql);
      expect(() => extract()).toThrow(/was changed|is incomplete/);
    }
  });

  it("is refused when sealed chunks changed places", () => {
    const { extract, change } = aBackup(PASSPHRASE);
    change(`UPDATE chunks SET content = (SELECT content FROM chunks c WHERE c.path = 'b/file' AND c.position = 0)
      WHERE path = 'a/file' AND position = 0`);
    expect(() => extract()).toThrow(/was changed/);
  });

  it("does not exist before it is whole", () => {
    const { dir, source } = aBackup();
    const file = join(dir, "half");
    const archive = createArchive(file, manifest, undefined);
    archive.add("a", source);
    expect(existsSync(file)).toBe(false);
    archive.discard();
    expect(existsSync(`${file}.part`)).toBe(false);
  });
});

describe("a backup of a deployment", () => {
  const release = readRelease();
  const deployTo = async (platform: FakeCloudflare, dir: string, name: string) => {
    const options = readOptions(["--name", name]);
    const files = deploymentFiles(dir, name);
    const lines: string[] = [];
    const target = "https://example.com/";
    await deploy({ options, platform, files, release, env: {}, target, print: (line) => void lines.push(line) });
    return lines.join("\n");
  };

  it("fills another deployment, which then has the same accounts and the same root secret", async () => {
    const platform = new FakeCloudflare();
    const dir = temporaryDir();
    await deployTo(platform, dir, "vigil");
    const remote = (name: string) => ({
      name,
      platform,
      release,
      env: {},
      tmpDir: temporaryDir(),
      files: deploymentFiles(dir, name),
    });
    const file = join(dir, "deployment.backup");
    platform.databases
      .get("vigil")
      ?.database.exec("INSERT INTO shards (id, interval, regions, size) VALUES ('s', 60, 'weur+enam', 1)");
    const state = { tables: [], values: [["key", { count: 7 }]] };
    platform.objects.set("vigil prober s/enam", state);
    expect(await backUpRemote(remote("vigil"), file, PASSPHRASE)).toBe(1);
    await restoreRemote(remote("second"), file, PASSPHRASE);
    const printed = await deployTo(platform, dir, "second");
    expect(printed).not.toContain("sk_svc_");
    expect(printed).toContain("bring back the state of its objects\n  1 objects");
    expect(platform.objects.get("second prober s/enam")).toEqual(state);
    expect(await deployTo(platform, dir, "second"), "once").not.toContain("bring back");
    const users = (name: string) =>
      platform.databases.get(name)?.database.prepare("SELECT id, email, created_at FROM users").all();
    expect(users("second")).toEqual(users("vigil"));
    const secrets = (name: string) => JSON.parse(readFileSync(join(dir, name, "secrets.json"), "utf8"));
    expect(secrets("second")).toEqual(secrets("vigil"));
    await expect(restoreRemote(remote("vigil"), file, PASSPHRASE)).rejects.toThrow(/holds data already/);
  });

  it("reads the database in pages, between which the service goes on, and is whole with changes meanwhile", async () => {
    const platform = new FakeCloudflare();
    const dir = temporaryDir();
    await deployTo(platform, dir, "vigil");
    const files = (name: string) => deploymentFiles(dir, name);
    const of = (name: string) => ({ name, platform, release, env: {}, tmpDir: temporaryDir(), files: files(name) });
    const database = platform.databases.get("vigil")?.database;
    database?.exec(`
      CREATE TABLE shelves (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
      CREATE TABLE books (id TEXT PRIMARY KEY, shelf_id INTEGER NOT NULL REFERENCES shelves (id) ON DELETE CASCADE,
        lent_to INTEGER REFERENCES shelves (id) ON DELETE SET NULL, pages BLOB, price REAL);
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
        INSERT INTO shelves SELECT i, 'it''s ' || i || char(10) || '😀' FROM n;
      INSERT INTO books SELECT 'book ' || id, id, nullif(id % 3, 0) + 1000, x'00ff', 0.1 FROM shelves`);
    const longest: number[] = [];
    let calls = 0;
    // As a service that writes between any two pages: shelves with books come and go.
    const busy: Platform = {
      ...EMPTY_ACCOUNT,
      fetch: (url, init) => platform.fetch(url, init),
      async api(method, path, body) {
        const answer = await platform.api(method, path, body as never);
        if (!path.endsWith("/query")) return answer;
        longest.push(...(answer as { results: unknown[] }[]).map(({ results }) => results.length));
        const n = ++calls;
        database?.exec(`DELETE FROM shelves WHERE id = ${n}; INSERT INTO shelves VALUES (${5000 + n}, 'new');
          INSERT INTO books VALUES ('new ${n}', ${5000 + n}, NULL, NULL, NULL)`);
        return answer;
      },
    };
    const file = join(dir, "busy.backup");
    await backUpRemote({ ...of("vigil"), platform: busy }, file, undefined);
    expect(calls).toBeGreaterThan(20);
    expect(Math.max(...longest)).toBeLessThanOrEqual(1_200);
    await restoreRemote(of("second"), file, undefined);
    const read = (name: string, sql: string) => platform.databases.get(name)?.database.prepare(sql).all();
    expect(read("second", "PRAGMA foreign_key_check")).toEqual([]);
    // What was there all the time is the same.
    const untouched = `SELECT * FROM books WHERE shelf_id BETWEEN ${calls + 1} AND 2000 AND ifnull(lent_to, 0) NOT BETWEEN 1 AND ${calls} ORDER BY id`;
    expect(read("second", untouched)).toEqual(read("vigil", untouched));
    expect(read("second", untouched)?.length).toBeGreaterThan(1_000);
    const names = `SELECT * FROM shelves WHERE id BETWEEN ${calls + 1} AND 2000`;
    expect(read("second", names)).toEqual(read("vigil", names));
  });

  it("brings back rows that are longer than a statement of the platform may be", async () => {
    const platform = new FakeCloudflare();
    const dir = temporaryDir();
    await deployTo(platform, dir, "vigil");
    const of = (name: string) => {
      return { name, platform, release, env: {}, tmpDir: temporaryDir(), files: deploymentFiles(dir, name) };
    };
    const long = "it's 😀;\n".repeat(40_000);
    const database = platform.databases.get("vigil")?.database;
    database?.exec(
      "CREATE TABLE letters (id TEXT PRIMARY KEY, body TEXT NOT NULL, reply TEXT, size INTEGER, kept TEXT)",
    );
    for (const [id, body, reply] of [
      ["a", "short", null],
      ["b", long, long.slice(1)],
      ["c", "'".repeat(99_990), ""],
      ["d", "after", "x"],
    ] as const) {
      database?.prepare("INSERT INTO letters VALUES (?, ?, ?, 7, 'same')").run(id, body, reply);
    }
    const file = join(dir, "long.backup");
    await backUpRemote(of("vigil"), file, undefined);
    await restoreRemote(of("second"), file, undefined);
    const read = (name: string) => platform.databases.get(name)?.database.prepare("SELECT * FROM letters").all();
    expect(read("second")).toEqual(read("vigil"));
  });

  it("marks the database that it fills, so that the new service does not send what the old one sent", async () => {
    const platform = new FakeCloudflare();
    const dir = temporaryDir();
    await deployTo(platform, dir, "vigil");
    const remote = (name: string) => ({
      name,
      platform,
      release,
      env: {},
      tmpDir: temporaryDir(),
      files: deploymentFiles(dir, name),
    });
    platform.databases
      .get("vigil")
      ?.database.exec(
        "INSERT INTO installation (id, epoch, ticks, known_until, ticked_at) VALUES (1, 'first', 5, 1, 1)",
      );
    const file = join(dir, "deployment.backup");
    await backUpRemote(remote("vigil"), file, PASSPHRASE);
    await restoreRemote(remote("second"), file, PASSPHRASE);
    const epochOf = (name: string) =>
      platform.databases.get(name)?.database.prepare("SELECT epoch FROM installation").get()?.epoch;
    expect([epochOf("vigil"), epochOf("second")]).toEqual(["first", expect.stringMatching(/^restored \d{13}$/)]);
  });

  it("is restored again where the restore broke off", async () => {
    for (const isDone of [false, true]) {
      const platform = new FakeCloudflare();
      const dir = temporaryDir();
      await deployTo(platform, dir, "vigil");
      const remote = (name: string) => ({
        name,
        platform,
        release,
        env: {},
        tmpDir: temporaryDir(),
        files: deploymentFiles(dir, name),
      });
      const file = join(dir, "deployment.backup");
      await backUpRemote(remote("vigil"), file, undefined);
      platform.failure = { at: platform.changes.length, isDone };
      await expect(restoreRemote(remote("second"), file, undefined)).rejects.toThrow(/503|connection/);
      await restoreRemote(remote("second"), file, undefined);
      expect(await deployTo(platform, dir, "second")).toContain("ready ");
    }
  });
});
