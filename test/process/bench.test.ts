import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { PROJECT_ROOT, temporaryDir } from "./support.ts";

const MEASURES = [
  ...["heartbeat, 100 monitors, asleep", "heartbeat, 100 monitors", "heartbeat, 100 monitors, 256 at once"],
  "heartbeat, one monitor",
  ...["heartbeats lost of 256 at once", "page of 1 as JSON", "page of 100 as JSON", "page, not modified"],
  ...["page of 100 as JSON, after a change", "first view of a page of 10", "requests before it is shown"],
  ...["list of 50 monitors", "list of 100 monitors", "one monitor", "new monitor"],
  ...["SLA summary of 100 monitors, 90 days", "SLA report as PDF"],
  ...["failure to webhook", "failure to webhook, slowest of 2", "failure to public page"],
  ...["last of 4 receivers, one more hanging", "composite of 40, one fails"],
  ...["40 outages at once, stored", "database calls of an outage"],
  ...["check", "lateness of checks, p99", "slots without a check", "bytes kept of a check", "memory of the runtime"],
  ...["check beside 1 that time out", "lateness beside 1 that time out, p99"],
  ...["start, nothing changed", "start of the runtime"],
  ...["first heartbeat of an isolate", "first visit of a public page of an isolate"],
  ...["memory when idle, all processes", "Worker"],
  ...["check by an agent", "own memory of an agent"],
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
  const measured = (name: string) => report.rows.find((row: { name: string }) => row.name === name).value;
  expect(measured("heartbeats lost of 256 at once")).toBe(0);
  expect(report.growth.map(({ sizes }: { sizes: number[] }) => sizes)).toEqual(new Array(4).fill([1, 10, 100]));
  for (const { name, usd } of report.per_million) expect(usd, name).toBeGreaterThan(0);
}, 900_000);

it.each([
  ["that it does not know", "nothing=.", "--peer is one of kuma, then =DIR"],
  ["without its checkout", "kuma=.", "--peer kuma=.: there is no server/server.js in ."],
])("refuses a peer %s before it measures anything", async (_name, peer, message) => {
  const run = promisify(execFile)(process.execPath, ["scripts/bench.ts", "all", "--peer", peer], { cwd: PROJECT_ROOT });
  await expect(run).rejects.toThrow(message);
});
