import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, describe, expect, it } from "vitest";
import { writeUptimeKuma } from "../../../test/support/other-tools.ts";
import { MaintenanceCreate } from "../../contract/maintenance.ts";
import type { Imported } from "./draft.ts";
import { localFile } from "./local-file.ts";
import { importUptimeKuma } from "./uptime-kuma.ts";

const dir = mkdtempSync(join(tmpdir(), "vigil-import-"));
afterAll(() => rmSync(dir, { recursive: true }));

const NOW = Date.parse("2026-11-28T12:00:00Z");
const MONITORS: Record<string, string | number>[] = [
  { id: 1, name: "Shop", type: "http", url: "https://shop.example" },
  { id: 2, name: "Apart", type: "http", url: "https://apart.example" },
  { id: 3, name: "All", type: "group" },
  { id: 4, name: "Inside", type: "http", url: "https://inside.example", parent: 3 },
];
const SCHEMA = `DROP TABLE maintenance; DROP TABLE notification;
  INSERT INTO setting VALUES (1, 'serverTimezone', '"Europe/Berlin"');
  DELETE FROM monitor_group; INSERT INTO monitor_group VALUES (1, 1, 1, 1), (2, 4, 1, 2);
  CREATE TABLE maintenance (id INTEGER PRIMARY KEY, title TEXT, description TEXT, user_id INTEGER, active BOOLEAN NOT NULL DEFAULT 1,
    strategy TEXT NOT NULL DEFAULT 'single', start_date DATETIME, end_date DATETIME, start_time TIME, end_time TIME,
    weekdays TEXT DEFAULT '[]', days_of_month TEXT DEFAULT '[]', interval_day INTEGER, cron TEXT, timezone TEXT, duration INTEGER);
  CREATE TABLE monitor_maintenance (id INTEGER PRIMARY KEY, monitor_id INTEGER, maintenance_id INTEGER);
  CREATE TABLE maintenance_status_page (id INTEGER PRIMARY KEY, status_page_id INTEGER, maintenance_id INTEGER);
  CREATE TABLE incident (id INTEGER PRIMARY KEY, title TEXT, content TEXT, style TEXT, created_date DATETIME,
    last_updated_date DATETIME, pin BOOLEAN DEFAULT 1, active BOOLEAN DEFAULT 1, status_page_id INTEGER);`;

function imported(rows: string): Imported {
  const file = join(dir, "kuma.db");
  rmSync(file, { force: true });
  writeUptimeKuma(file, "2.x", { monitors: MONITORS, extra: SCHEMA + rows });
  return importUptimeKuma(localFile(file), { now: NOW });
}

/** Of the monitor on the page, shown there. */
const window = (columns: string, values: string) =>
  imported(`INSERT INTO maintenance (id, title, ${columns}) VALUES (1, 'Work', ${values});
    INSERT INTO monitor_maintenance VALUES (1, 1, 1); INSERT INTO maintenance_status_page VALUES (1, 1, 1)`);
const reasons = ({ remarks }: Imported, subject: string) =>
  remarks.flatMap((remark) => (remark.subject === subject ? [`${remark.about}: ${remark.reason}`] : []));

describe("a maintenance of Uptime Kuma", () => {
  it("that was planned once comes with its times by the clock of the server", () => {
    const result = window("description, start_date, end_date", "'Disks', '2026-12-01 22:00:00', '2026-12-02 01:30:00'");
    expect(result.history.maintenance).toEqual([
      {
        key: "maintenance-1-kuma-page-1",
        title: "Work",
        description: "Disks",
        status_page: "kuma-page",
        monitors: ["shop"],
        start_time: "2026-12-01T21:00:00.000Z",
        end_time: "2026-12-02T00:30:00.000Z",
      },
    ]);
    expect(result.manifest.status_pages["kuma-page"]?.timezone).toBe("Europe/Berlin");
    expect(reasons(result, 'maintenance "Work"')).toEqual([]);
  });

  it.each([
    [
      "every third day, from the day that it counts from",
      [
        "strategy, start_date, start_time, duration, interval_day",
        "'recurring-interval', '2026-11-20 00:00', '02:00', 3600, 3",
      ],
      [{ start_time: "2026-11-29T01:00:00.000Z", recurrence_type: "daily", recurrence_interval: 3 }],
    ],
    [
      "on two weekdays, past midnight, until a day",
      [
        "strategy, start_time, end_time, weekdays, end_date",
        "'recurring-weekday', '23:30', '00:30', '[1,0]', '2027-01-01 00:00'",
      ],
      [
        {
          start_time: "2026-11-30T22:30:00.000Z",
          end_time: "2026-11-30T23:30:00.000Z",
          recurrence_type: "weekly",
          recurrence_day_of_week: 1,
          recurrence_end_date: "2026-12-31T23:00:00.000Z",
        },
        { start_time: "2026-11-29T22:30:00.000Z", recurrence_day_of_week: 0 },
      ],
    ],
    [
      "on the last day of the month",
      ["strategy, start_time, end_time, days_of_month", `'recurring-day-of-month', '01:00', '02:00', '["lastDay1"]'`],
      [{ start_time: "2026-11-30T00:00:00.000Z", recurrence_type: "monthly", recurrence_day_of_month: 31 }],
    ],
    [
      "by cron",
      ["strategy, cron, duration", "'cron', '30 3 * * 6', 1800"],
      [
        {
          start_time: "2026-12-05T02:30:00.000Z",
          end_time: "2026-12-05T03:00:00.000Z",
          recurrence_type: "weekly",
          recurrence_day_of_week: 6,
        },
      ],
    ],
  ])("recurs %s, from the first occurrence that is not over", (_, [columns = "", values = ""], expected) => {
    const result = window(columns, values);
    expect(result.history.maintenance).toMatchObject(expected);
    expect(reasons(result, 'maintenance "Work"')).toEqual([]);
    for (const { key, status_page, monitors, ...body } of result.history.maintenance) {
      const status_page_id = "0190c0de-0000-7000-8000-000000000001";
      expect(MaintenanceCreate.safeParse({ ...body, status_page_id }).error).toBeUndefined();
    }
  });

  it.each([
    ["by hand", "strategy", "'manual'", "begins and ends by hand"],
    ["that is off", "active, start_date, end_date", "0, '2026-12-01 22:00', '2026-12-01 23:00'", "switched off"],
    ["by a cron of hours", "strategy, cron, duration", "'cron', '0 */4 * * *', 60", "0 */4 * * *"],
    [
      "that recurs no more",
      "strategy, start_time, end_time, end_date",
      "'recurring-interval', '01:00', '02:00', '2026-11-01 00:00'",
      "no occurrence",
    ],
    ["without times", "strategy", "'recurring-weekday'", "no times"],
  ])("%s stays behind, with its reason", (_, columns, values, reason) => {
    const result = window(columns, values);
    expect(result.history.maintenance).toEqual([]);
    expect(reasons(result, 'maintenance "Work"')).toEqual([expect.stringContaining(reason)]);
  });

  it("is of what is in a group, private where no page shows it, and names monitors on no page", () => {
    const result = imported(`INSERT INTO maintenance (id, title, start_date, end_date, timezone)
        VALUES (1, 'Work', '2026-12-01 22:00', '2026-12-01 23:00', 'UTC');
      INSERT INTO monitor_maintenance VALUES (1, 3, 1), (2, 2, 1)`);
    expect(result.history.maintenance).toMatchObject([
      { monitors: ["inside"], is_public: false, start_time: "2026-12-01T22:00:00.000Z" },
    ]);
    expect(reasons(result, 'maintenance "Work"')).toEqual([expect.stringContaining("on no page")]);
    expect(reasons(result, 'maintenance "Work"')[0]).toContain("Apart");
  });
});

describe("an incident of a page of Uptime Kuma", () => {
  it("comes once it is over, and stays where the page has it pinned", () => {
    const result = imported(`INSERT INTO incident VALUES
      (1, 'Slow', 'It was the disks', 'danger', '2026-03-01 10:00:00', '2026-03-01 12:00:00', 0, 1, 1),
      (2, 'Now', 'We look', 'info', '2026-11-28 10:00:00', NULL, 1, 1, 1)`);
    expect(result.history.incidents).toEqual([
      {
        title: "Slow",
        description: "It was the disks",
        severity: "major",
        started_at: "2026-03-01T10:00:00.000Z",
        resolved_at: "2026-03-01T12:00:00.000Z",
        status_page: "kuma-page",
        monitors: [],
      },
    ]);
    expect(reasons(result, 'incident "Now"')).toEqual([expect.stringMatching(/^stays: it is pinned/)]);
  });
});

describe("Uptime Kuma on MariaDB", () => {
  it("becomes by its dump what it becomes by its database", () => {
    const file = join(dir, "both.db");
    writeUptimeKuma(file, "2.x");
    const dump = join(dir, "both.sql");
    writeFileSync(dump, dumpOf(file));
    expect(readFileSync(dump, "utf8")).toContain("INSERT INTO `monitor` VALUES");
    expect(importUptimeKuma(localFile(dump), { now: NOW })).toEqual(importUptimeKuma(localFile(file), { now: NOW }));
  });
});

/** The tables as mariadb-dump writes them. */
function dumpOf(file: string): string {
  const database = new DatabaseSync(file, { readOnly: true });
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  const parts = tables.map(({ name }) => {
    const columns = database.prepare(`PRAGMA table_info("${name}")`).all();
    const definitions = columns.map(({ name: column, type, dflt_value }) => {
      return `  \`${column}\` ${type}${dflt_value === null ? "" : ` DEFAULT ${dflt_value}`}`;
    });
    const rows = database.prepare(`SELECT * FROM "${name}"`).all();
    const tuples = rows.map((row) => `(${Object.values(row).map(literal).join(",")})`);
    const filled = tuples.length > 0 ? `INSERT INTO \`${name}\` VALUES\n${tuples.join(",\n")};\n` : "";
    return `CREATE TABLE \`${name}\` (\n${definitions.join(",\n")},\n  KEY \`k\` (\`id\`)\n) ENGINE=InnoDB;\n${filled}`;
  });
  database.close();
  return `-- MariaDB dump 10.19  Distrib 10.11.6-MariaDB\n${parts.join("")}`;
}

function literal(value: unknown): string {
  if (value === null || typeof value === "number") return String(value ?? "NULL");
  return `'${String(value)
    .replace(/[\\'"]/g, "\\$&")
    .replaceAll("\n", "\\n")}'`;
}
