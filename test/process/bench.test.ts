import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { PROJECT_ROOT, temporaryDir } from "./support.ts";

const MEASURES = [
  ...["heartbeat, 100 monitors", "heartbeats lost of 256 at once", "page of 100 as JSON", "page, not modified"],
  ...["first view of a page", "list of 100 monitors", "one monitor", "new monitor"],
  ...["SLA summary of 100 monitors, 90 days", "SLA report as PDF", "failure to webhook", "failure to public page"],
  ...["last of 4 receivers, one more hanging", "check", "lateness of checks, p99", "bytes kept of a check"],
  ...["start, nothing changed", "memory when idle, all processes", "Worker"],
];

it("measures everything beside its baseline in one run, and compares it to a former one", async () => {
  const [file, former] = [join(temporaryDir(), "bench.json"), join(temporaryDir(), "former.json")];
  writeFileSync(former, JSON.stringify({ rows: [{ name: "one monitor", ratio: 98.7 }] }));
  const args = ["scripts/bench.ts", "all", "--quick", "--json", file, "--compare", former];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: PROJECT_ROOT });
  expect(stdout).toContain("98.7");
  const report = JSON.parse(readFileSync(file, "utf8"));
  expect(report.machine).toMatch(/\d+ × .+ GiB/);
  expect(report.rows.map(({ name }: { name: string }) => name)).toEqual(MEASURES);
  for (const { name, value, baseline, units } of report.rows) {
    expect([name, Number.isFinite(value), Number.isFinite(baseline.value)]).toEqual([name, true, true]);
    if (units) expect(units.requests, name).toBeGreaterThan(0);
  }
  expect(report.rows.find(({ unit }: { unit: string }) => unit === "lost").value).toBe(0);
  expect(report.growth.map(({ sizes }: { sizes: number[] }) => sizes)).toEqual(new Array(4).fill([1, 10, 100]));
  for (const { name, usd } of report.per_million) expect(usd, name).toBeGreaterThan(0);
}, 900_000);
