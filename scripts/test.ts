/**
 * `npm test`: the projects unit and workers, and probes if this machine can run them. `--slow` runs the sweeps and what
 * starts whole services instead, `--soak` the soaks, `--project NAME` one project; other arguments go to vitest. `--all`
 * is the gate: format, lint, types and every project, where a missing program is a failure, and a skipped test unless it
 * says that the machine cannot run it.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, relative, resolve } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { NOT_POSSIBLE_HERE } from "./local/skips.ts";

const PROJECT_ROOT = resolve(import.meta.dirname, "..");
const VITEST = join(PROJECT_ROOT, "node_modules/vitest/vitest.mjs");

/** Projects of one line are one run, in which no worker is idle before all of their files have begun. */
const FAST = [["unit", "workers"], ["probes"]];
const SLOW = [["sweeps", "process"], ["browser"]];
const SOAKS = [["soak-workers", "soak"]];
const ALL = [["unit", "workers", "probes", "sweeps", "process"], ["browser"], ...SOAKS];

/** They take two cores a few minutes; `npm run test:simulate` tries as many more as somebody has time for. */
const SIMULATED_SEEDS = 40;

/** What the tests of one file came to. */
interface Outcome {
  passed: number;
  /** Titles of what failed, and why. */
  failed: string[];
  ms: number;
}

/** By file, relative to the project; what belongs to no file is under the name of the step. */
type Outcomes = Map<string, Outcome>;

interface Report {
  testResults: {
    name: string;
    status: string;
    startTime: number;
    endTime: number;
    assertionResults: { status: string; fullName: string; failureMessages?: string[] }[];
  }[];
}

const LINES: Record<string, string[][]> = { "--slow": SLOW, "--soak": SOAKS, "--all": ALL };

const args = process.argv.slice(2).filter((arg) => !(arg in LINES));
const isGate = process.argv.includes("--all");
const lines = process.argv.map((arg) => LINES[arg]).find((chosen) => chosen !== undefined) ?? FAST;

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
function requirePrograms(projects: readonly string[]): Outcomes {
  const missing = new Set(projects.flatMap((project) => missingPackages(project).missing));
  const failed = [...missing].map((name) => `the tests need the Debian package ${name}, which is not installed`);
  return new Map([["packages", { passed: 0, failed, ms: 0 }]]);
}

function runCheck(): Outcomes {
  const { status } = spawnSync("npm", ["run", "--silent", "check"], { cwd: PROJECT_ROOT, stdio: "inherit" });
  return new Map([["npm run check", { passed: 0, failed: status === 0 ? [] : ["format, lint or types"], ms: 0 }]]);
}

/** What the runtime says of a connection that failed, and its stack; tests see the failure in what they assert. */
const RUNTIME_NOISE = /workerd@[0-9a-f]+|^\S* = (?:rust|kj|workerd)\//;

/** Runs the tests and prints what they print, without the runtime's own remarks; answers the exit status. */
async function spawnVitest(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number | null> {
  const colors = process.stdout.isTTY ? { FORCE_COLOR: "1" } : {};
  const child = spawn(process.execPath, [VITEST, "run", ...args], {
    cwd: PROJECT_ROOT,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...env, ...colors },
  });
  const print = async (stream: Readable, to: NodeJS.WriteStream) => {
    for await (const line of createInterface(stream)) if (!RUNTIME_NOISE.test(line)) to.write(`${line}\n`);
  };
  const [[status]] = await Promise.all([
    once(child, "close"),
    print(child.stdout, process.stdout),
    print(child.stderr, process.stderr),
  ]);
  return status;
}

async function runVitest(chosen: readonly string[]): Promise<Outcomes> {
  const dir = mkdtempSync(join(tmpdir(), "vigil-test-"));
  const report = join(dir, "report.json");
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  // Only a choice of files or titles may leave a project without a test.
  const flags = [...(args.length > 0 ? ["--passWithNoTests"] : []), ...reporters, ...chosen, ...args];
  const env = { ...process.env, ...(isGate && args.length === 0 && { SOAK_FOLLOWS: "true" }) };
  const status = await spawnVitest(flags, env);
  const outcomes = existsSync(report) ? outcomesOf(JSON.parse(readFileSync(report, "utf8"))) : new Map();
  rmSync(dir, { recursive: true });
  // An error outside of any test fails the run without a failed test.
  if (status !== 0 && failuresOf(outcomes).length === 0) {
    outcomes.set(`vitest ${chosen.join(" ")}`, { passed: 0, failed: ["an error outside of the tests"], ms: 0 });
  }
  return outcomes;
}

function outcomesOf({ testResults }: Report): Outcomes {
  return new Map(testResults.map((file) => [relative(PROJECT_ROOT, file.name), outcomeOf(file)]));
}

function outcomeOf({ name, status, startTime, endTime, assertionResults }: Report["testResults"][number]): Outcome {
  const titles = (wanted: (status: string) => boolean) =>
    assertionResults.filter((result) => wanted(result.status)).map(({ fullName }) => fullName);
  const failed = assertionResults
    .filter((result) => result.status === "failed")
    .map(({ fullName, failureMessages }) => `${fullName}: ${firstLine(failureMessages?.[0] ?? "")}`);
  // A file that cannot even be loaded has no failed test in it.
  if (status === "failed" && failed.length === 0) failed.push("cannot be loaded");
  // What a choice of titles leaves out is reported as skipped, too.
  const isChoice = args.some((arg) => arg === "-t" || arg.startsWith("--testNamePattern"));
  const skipped = isChoice ? [] : titles((result) => result !== "passed" && result !== "failed");
  for (const title of skipped) console.log(`skipped: ${relative(PROJECT_ROOT, name)}: ${title}`);
  const avoidable = skipped.filter((title) => !title.includes(NOT_POSSIBLE_HERE));
  return {
    passed: titles((result) => result === "passed").length,
    failed: isGate ? [...failed, ...avoidable.map((title) => `${title} (skipped)`)] : failed,
    ms: endTime - startTime,
  };
}

/** Why a test failed, in the length of a line. */
const firstLine = (message: string) => (message.split("\n")[0] ?? "").slice(0, 400);

function failuresOf(outcomes: Outcomes): string[] {
  return [...outcomes].flatMap(([file, { failed }]) => failed.map((title) => `${file}: ${title}`));
}

/**
 * Files with a failure run once more, alone: what passes then met a busy machine, and is named as such. More than a few
 * failures are no chance.
 */
const REPEATED_FILES_MAX = 5;

async function runProjects(projects: readonly string[]): Promise<Outcomes> {
  const chosen = projects.map((project) => `--project=${project}`);
  const outcomes = await runVitest(chosen);
  const files = [...outcomes].filter(([, { failed }]) => failed.length > 0).map(([file]) => file);
  if (!isGate || files.length === 0 || files.length > REPEATED_FILES_MAX) return outcomes;
  for (const failure of failuresOf(outcomes)) console.log(`failed, its file runs again: ${failure}`);
  const repeated = await runVitest([...chosen, ...files]);
  const kept = [...outcomes].filter(([file]) => !files.includes(file));
  return new Map([...kept, ...repeated]);
}

/** Short days of the whole service, each under one seed; a run prints the seeds that failed. */
async function simulate(): Promise<Outcomes> {
  const begun = performance.now();
  const seeds = ["test/simulation/main.ts", "--short", "--seeds", String(SIMULATED_SEEDS)];
  const child = spawn(process.execPath, seeds, { cwd: PROJECT_ROOT, stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "close");
  let last = "";
  for await (const line of createInterface(child.stdout)) {
    console.log(line);
    last = line;
  }
  await ended;
  const [, passed, violated] = /^(\d+) seeds passed, (\d+) failed$/.exec(last) ?? [];
  const failed = violated === "0" ? [] : [violated === undefined ? "the simulation broke off" : `${violated} seeds`];
  return new Map([["test/simulation", { passed: Number(passed ?? 0), failed, ms: performance.now() - begun }]]);
}

async function runAll(): Promise<Outcomes[]> {
  if (args.some((arg) => arg === "--project" || arg.startsWith("--project="))) return [await runVitest([])];
  const runs = isGate ? lines : lines.map((projects) => projects.filter(isRunnable));
  const outcomes = isGate ? [requirePrograms(lines.flat()), runCheck()] : [];
  for (const projects of runs.filter((each) => each.length > 0)) outcomes.push(await runProjects(projects));
  if (isGate && args.length === 0) outcomes.push(await simulate());
  return outcomes;
}

/** The files that took longest, so that a run that becomes slow says where. */
function printSlowest(outcomes: readonly Outcomes[]): void {
  const files = outcomes.flatMap((run) => [...run]).toSorted(([, a], [, b]) => b.ms - a.ms);
  const lines = files.slice(0, 10).map(([file, { ms }]) => `  ${(ms / 1000).toFixed(1).padStart(6)} s  ${file}`);
  console.log(["the slowest files:", ...lines].join("\n"));
}

const outcomes = await runAll();
const failures = outcomes.flatMap(failuresOf);
const passed = outcomes.flatMap((files) => [...files.values()]).reduce((sum, file) => sum + file.passed, 0);
printSlowest(outcomes);
for (const failure of failures) console.log(`FAILED: ${failure}`);
console.log(`${passed} passed, ${failures.length} failed`);
process.exit(failures.length === 0 ? 0 : 1);
