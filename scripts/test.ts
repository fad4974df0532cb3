/**
 * `npm test`: the projects unit and workers, and of the others what this machine can run. Arguments go to vitest;
 * `--project NAME` runs that project alone, `--all` takes a missing program for a failure instead of leaving tests out.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";

const PROJECT_ROOT = resolve(import.meta.dirname, "..");
const VITEST = join(PROJECT_ROOT, "node_modules/vitest/vitest.mjs");

/** Projects of one line run together; process tests need the machine for themselves. */
const RUNS = [["unit", "workers"], ["probes"], ["process"], ["browser"]];

interface Counts {
  passed: number;
  failed: number;
}

/** Programs that the tests of a project need and this machine lacks, as the Debian packages that bring them. */
function missingPackages(project: string): { missing: string[]; isAllMissing: boolean } {
  const needs = readFileSync(join(PROJECT_ROOT, ".ci/packages"), "utf8")
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter(([name]) => name === project);
  const missing = needs.filter(([, command]) => !isInstalled(command ?? "")).map(([, , name]) => name ?? "");
  return { missing: [...new Set(missing)], isAllMissing: needs.length > 0 && missing.length === needs.length };
}

function isInstalled(command: string): boolean {
  const dirs = [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin", "/sbin"];
  return dirs.some((dir) => existsSync(join(dir, command)));
}

/** What cannot run at all is left out here; a project that lacks only some programs leaves out those tests itself. */
function isRunnable(project: string, mayMiss: boolean): boolean {
  const { missing, isAllMissing } = missingPackages(project);
  const isSkipped = isAllMissing && mayMiss;
  if (missing.length > 0) {
    console.log(`${isSkipped ? "skipped" : "incomplete"}: ${project} tests; apt-get install ${missing.join(" ")}`);
  }
  return !isSkipped;
}

function runVitest(args: string[]): Counts {
  const dir = mkdtempSync(join(tmpdir(), "vigil-test-"));
  const report = join(dir, "report.json");
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const options = { cwd: PROJECT_ROOT, stdio: "inherit" } as const;
  const { status } = spawnSync(process.execPath, [VITEST, "run", "--passWithNoTests", ...reporters, ...args], options);
  const counts = existsSync(report) ? countsOf(readFileSync(report, "utf8")) : { passed: 0, failed: 0 };
  rmSync(dir, { recursive: true });
  // An error outside of any test fails the run without a failed test.
  return status !== 0 && counts.failed === 0 ? { ...counts, failed: 1 } : counts;
}

function countsOf(report: string): Counts {
  const { numPassedTests, numFailedTests, testResults } = JSON.parse(report);
  // A file that cannot even be loaded has no failed test in it.
  const broken = testResults.filter(
    (file: { status: string; assertionResults: { status: string }[] }) =>
      file.status === "failed" && file.assertionResults.every(({ status }) => status !== "failed"),
  );
  return { passed: numPassedTests, failed: numFailedTests + broken.length };
}

const args = process.argv.slice(2).filter((arg) => arg !== "--all");
const isAll = process.argv.includes("--all");
const isChosen = args.some((arg) => arg === "--project" || arg.startsWith("--project="));
const runs = isChosen
  ? [args]
  : RUNS.map((projects) => projects.filter((project) => isRunnable(project, !isAll)))
      .filter((projects) => projects.length > 0)
      .map((projects) => [...projects.map((project) => `--project=${project}`), ...args]);

const counts = runs.map(runVitest);
const passed = counts.reduce((sum, count) => sum + count.passed, 0);
const failed = counts.reduce((sum, count) => sum + count.failed, 0);
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
