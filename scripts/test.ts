/**
 * `npm test`: the projects unit and workers, and of the others what this machine can run. Arguments go to vitest;
 * `--project NAME` runs that project alone, `--soak` the long tests alone. `--all` is the gate: format, lint, types and
 * every project, where a missing program and a skipped test are failures.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, relative, resolve } from "node:path";

const PROJECT_ROOT = resolve(import.meta.dirname, "..");
const VITEST = join(PROJECT_ROOT, "node_modules/vitest/vitest.mjs");

/** Projects of one line run together; process tests need the machine for themselves. */
const RUNS = [["unit", "workers"], ["probes"], ["process"], ["browser"]];
const SOAKS = [["soak-workers"], ["soak"]];

interface Counts {
  passed: number;
  failed: number;
}

interface Report {
  numPassedTests: number;
  numFailedTests: number;
  testResults: { name: string; status: string; assertionResults: { status: string; fullName: string }[] }[];
}

const args = process.argv.slice(2).filter((arg) => arg !== "--all" && arg !== "--soak");
const isGate = process.argv.includes("--all");
const isSoak = process.argv.includes("--soak");

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

/** A project that lacks all its programs is left out; one that lacks some of them leaves out those tests itself. */
function isRunnable(project: string): boolean {
  const { missing, isAllMissing } = missingPackages(project);
  if (missing.length > 0) {
    console.log(`${isAllMissing ? "skipped" : "incomplete"}: ${project} tests; apt-get install ${missing.join(" ")}`);
  }
  return !isAllMissing;
}

/** Programs that the gate lacks, each a failure of its own: tests may go without one and not be skipped. */
function requirePrograms(projects: readonly string[]): Counts {
  const missing = new Set(projects.flatMap((project) => missingPackages(project).missing));
  for (const name of missing) console.log(`FAILED: the tests need the Debian package ${name}, which is not installed`);
  return { passed: 0, failed: missing.size };
}

function runCheck(): Counts {
  const { status } = spawnSync("npm", ["run", "--silent", "check"], { cwd: PROJECT_ROOT, stdio: "inherit" });
  if (status !== 0) console.log("FAILED: npm run check, see above; the tests run nevertheless");
  return { passed: 0, failed: status === 0 ? 0 : 1 };
}

function runVitest(chosen: readonly string[]): Counts {
  const dir = mkdtempSync(join(tmpdir(), "vigil-test-"));
  const report = join(dir, "report.json");
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  // Only a choice of files or titles may leave a project without a test.
  const flags = [...(args.length > 0 ? ["--passWithNoTests"] : []), ...reporters, ...chosen, ...args];
  const options = { cwd: PROJECT_ROOT, stdio: "inherit" } as const;
  const { status } = spawnSync(process.execPath, [VITEST, "run", ...flags], options);
  const counts = existsSync(report) ? countsOf(JSON.parse(readFileSync(report, "utf8"))) : { passed: 0, failed: 0 };
  rmSync(dir, { recursive: true });
  // An error outside of any test fails the run without a failed test.
  return status !== 0 && counts.failed === 0 ? { ...counts, failed: 1 } : counts;
}

function countsOf({ numPassedTests, numFailedTests, testResults }: Report): Counts {
  // A file that cannot even be loaded has no failed test in it.
  const broken = testResults.filter(
    ({ status, assertionResults }) =>
      status === "failed" && assertionResults.every((result) => result.status !== "failed"),
  );
  return { passed: numPassedTests, failed: numFailedTests + broken.length + reportSkipped(testResults) };
}

/** Says which tests were skipped; gives how many of them count as failures. */
function reportSkipped(files: Report["testResults"]): number {
  // What a choice of titles leaves out is reported as skipped, too.
  if (args.some((arg) => arg === "-t" || arg.startsWith("--testNamePattern"))) return 0;
  const skipped = files.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status }) => status !== "passed" && status !== "failed")
      .map(({ fullName }) => `${relative(PROJECT_ROOT, name)}: ${fullName}`),
  );
  for (const title of skipped) console.log(`${isGate ? "FAILED, because it was skipped" : "skipped"}: ${title}`);
  return isGate ? skipped.length : 0;
}

function runAll(): Counts[] {
  if (args.some((arg) => arg === "--project" || arg.startsWith("--project="))) return [runVitest([])];
  const lines = [...(isSoak ? [] : RUNS), ...(isSoak || isGate ? SOAKS : [])];
  const runs = isGate ? lines : lines.map((projects) => projects.filter(isRunnable));
  return [
    ...(isGate ? [requirePrograms(lines.flat()), runCheck()] : []),
    ...runs
      .filter((projects) => projects.length > 0)
      .map((projects) => runVitest(projects.map((project) => `--project=${project}`))),
  ];
}

const counts = runAll();
const passed = counts.reduce((sum, count) => sum + count.passed, 0);
const failed = counts.reduce((sum, count) => sum + count.failed, 0);
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
