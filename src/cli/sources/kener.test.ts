import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, describe, expect, it } from "vitest";
import { kener, kenerMonitors } from "../../../test/support/status-tools.ts";
import { importKener, importKenerFile } from "./kener.ts";
import { localFile } from "./local-file.ts";

const dir = mkdtempSync(join(tmpdir(), "vigil-kener-"));
afterAll(() => rmSync(dir, { recursive: true }));

const OPTIONS = { agent: "0190c0de-0000-7000-8000-000000000001" };
const imported = importKener(kener(270), OPTIONS);
const { monitors } = imported.manifest;
const said = (subject: string) =>
  imported.remarks.filter((each) => each.subject === subject).map(({ reason }) => reason);

function writeDatabase(file: string): void {
  const database = new DatabaseSync(file);
  database.exec(`CREATE TABLE monitors (id INTEGER PRIMARY KEY, tag TEXT, name TEXT, description TEXT, cron TEXT,
    default_status TEXT, status TEXT, category_name TEXT, monitor_type TEXT, type_data TEXT,
    day_degraded_minimum_count INTEGER, day_down_minimum_count INTEGER, include_degraded_in_downtime TEXT DEFAULT 'NO');
    CREATE TABLE incidents (id INTEGER PRIMARY KEY, title TEXT); INSERT INTO incidents VALUES (1, 'Slow');
    CREATE TABLE users (id INTEGER PRIMARY KEY, email TEXT); INSERT INTO users VALUES (1, 'a@b.example')`);
  for (const monitor of kenerMonitors(270)) {
    const names = Object.keys(monitor);
    const sql = `INSERT INTO monitors (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`;
    database.prepare(sql).run(...Object.values(monitor));
  }
  database.close();
}

describe("monitors of Kener", () => {
  it("come with what they send and expect", () => {
    // Two hosts are two monitors; gRPC and monitors that nothing checks stay.
    expect(Object.keys(monitors)).toHaveLength(30 * 8 + 1);
    expect(monitors["monitor-0"]).toEqual({
      name: "Monitor 0",
      type: "https",
      target: "https://shop.example/health",
      interval: 60,
      timeout_seconds: 5,
      http_method: "POST",
      http_body: '{"a":1}',
      http_headers: { Authorization: "Bearer abc" },
      expected_statuses: ["200-399"],
      verify_ssl: false,
    });
    expect(monitors["monitor-2-2001:db8::1"]).toMatchObject({ type: "tcp", target: "[2001:db8::1]:5432" });
    expect(monitors["monitor-3"]).toMatchObject({ dns_record_type: "MX", dns_match_type: "any", tags: ["Web"] });
    expect(monitors["monitor-6"]).toMatchObject({ type: "heartbeat", interval: 600 });
    expect(monitors.all).toMatchObject({ type: "composite", children: ["monitor-0", "monitor-3"] });
  });

  it("name what does not come", () => {
    expect(said('monitor "Monitor 0"')).toEqual([
      expect.stringContaining("its eval"),
      "not taken: description, default_status",
    ]);
    expect(said('monitor "Monitor 4"')).toContain("not taken: degradedRemainingHours, downRemainingHours");
    expect(said('monitor "Monitor 7"')).toEqual(["nothing here checks by GRPC"]);
    expect(said('monitor "All"')).toEqual(["its members gone, which do not come"]);
  });

  it("are the same from the database, which says what else it holds", () => {
    const file = join(dir, "kener.sqlite.db");
    writeDatabase(file);
    const found = importKenerFile(localFile(file), OPTIONS);
    expect(found.manifest).toEqual(imported.manifest);
    expect(found.remarks.filter(({ subject }) => subject.startsWith("table"))).toEqual([
      { subject: "table incidents", about: "stays", reason: "nothing here reads its 1 rows" },
    ]);
  });

  it("come from monitors.yaml of version 2", () => {
    const { manifest } = importKener(
      "- name: Shop\n  tag: shop\n  cron: '*/5 * * * *'\n  api: { method: GET, url: 'https://shop.example', headers: { X-Key: $KEY } }\n" +
        "- name: Gate\n  ping: { hostsV4: [192.0.2.1] }",
      OPTIONS,
    );
    expect(manifest.monitors.shop).toMatchObject({ interval: 300, http_headers: { "X-Key": "$KEY" } });
    expect(manifest.monitors.gate).toMatchObject({ type: "ping", target: "192.0.2.1" });
    expect(() => importKener("[]")).toThrow("holds no monitors");
  });
});
