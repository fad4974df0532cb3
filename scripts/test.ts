/**
 * `npm test`: the projects unit and workers, and probes if this machine can run them. `--slow` runs the stories, the
 * sweeps and what starts whole services instead, `--soak` the soaks, `--project NAME` one project; other arguments go to
 * vitest. `--all` is the gate: format, lint, types and every project, where a missing program is a failure, and a skipped
 * test unless it says that the machine cannot run it.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, relative, resolve } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { NOT_POSSIBLE_HERE } from "./local/skips.ts";

const PROJECT_ROOT = resolve(import.meta.dirname, "..");
const VITEST = join(PROJECT_ROOT, "node_modules/vitest/vitest.mjs");

/** In it no worker is idle before all files of its projects have begun: of all but these, or of these alone. */
interface Run {
  projects: readonly string[];
  without?: readonly string[];
  files?: readonly string[];
}

type Print = (line: string) => void;

/** What a lane does next. */
type Step = Run | ((print: Print) => Promise<Outcomes>);

/** The steps of a lane follow each other; the lanes of a stage go on beside each other, and the next stage after them. */
type Stage = Step[][];

/** They hold the service to a time, so that nothing else may take it from them. */
const TIMED = {
  browser: ["dashboard-speed", "dashboard-wall", "first-load"].map((name) => `test/browser/${name}.test.ts`),
  process: ["test/process/commands.test.ts"],
  soak: ["test/soak/markdown-time.test.ts"],
};
type Timed = keyof typeof TIMED;
const untimed = (project: Timed): Run => ({ projects: [project], without: TIMED[project] });
const alone = (project: Timed): Run => ({ projects: [project], files: TIMED[project] });

/** What computes is in one lane; what starts services and waits for them, in the others. */
const FAST: Stage[] = [[[{ projects: ["unit", "workers"] }], [{ projects: ["probes"] }]]];
const SLOW: Stage[] = [
  [[{ projects: ["stories", "sweeps"] }], [untimed("process")], [untimed("browser")]],
  [[alone("process"), alone("browser")]],
];
const SOAKS: Stage[] = [[[{ projects: ["soak-workers"] }], [untimed("soak")]], [[alone("soak")]]];
const ALL: Stage[] = [
  [
    [{ projects: ["unit", "workers", "stories", "sweeps"] }, { projects: ["soak-workers"] }],
    [runCheck, { projects: ["probes", "process"], without: TIMED.process }, untimed("soak")],
    [untimed("browser"), simulate],
  ],
  [[alone("process"), alone("browser"), alone("soak")]],
];

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

const CHOICES: Record<string, Stage[]> = { "--slow": SLOW, "--soak": SOAKS, "--all": ALL };

const args = process.argv.slice(2).filter((arg) => !(arg in CHOICES));
const isGate = process.argv.includes("--all");
const chosen = process.argv.map((arg) => CHOICES[arg]).find((stages) => stages !== undefined) ?? FAST;
const isRun = (step: Step): step is Run => typeof step !== "function";
const projects = [...new Set(chosen.flat(2).flatMap((step) => (isRun(step) ? step.projects : [])))];

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

async function runCheck(print: Print): Promise<Outcomes> {
  const begun = performance.now();
  const status = await spawnAndPrint(["npm", "run", "--silent", "check"], process.env, print);
  const failed = status === 0 ? [] : ["format, lint or types"];
  return new Map([["npm run check", { passed: 0, failed, ms: performance.now() - begun }]]);
}

/** What the runtime says of a connection that failed, and its stack; tests see the failure in what they assert. */
const RUNTIME_NOISE = /workerd@[0-9a-f]+|^\S* = (?:rust|kj|workerd)\//;

/** Prints what a command prints, without the runtime's own remarks; answers the exit status. */
async function spawnAndPrint(
  [command = "", ...args]: readonly string[],
  env: NodeJS.ProcessEnv,
  print: Print,
): Promise<number | null> {
  const child = spawn(command, args, { cwd: PROJECT_ROOT, stdio: ["ignore", "pipe", "pipe"], env });
  const printAll = async (stream: Readable) => {
    for await (const line of createInterface(stream)) if (!RUNTIME_NOISE.test(line)) print(line);
  };
  const [[status]] = await Promise.all([once(child, "close"), printAll(child.stdout), printAll(child.stderr)]);
  return status;
}

async function runVitest({ projects, without = [], files = [] }: Run, print: Print): Promise<Outcomes> {
  const dir = mkdtempSync(join(tmpdir(), "vigil-test-"));
  const report = join(dir, "report.json");
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const flags = [
    ...projects.map((project) => `--project=${project}`),
    ...without.map((file) => `--exclude=${file}`),
    // Only a choice of files or titles may leave a project without a test.
    ...(args.length > 0 ? ["--passWithNoTests"] : []),
  ];
  const env = {
    ...process.env,
    ...(process.stdout.isTTY && { FORCE_COLOR: "1" }),
    ...(isGate && args.length === 0 && { SOAK_FOLLOWS: "true" }),
  };
  const command = [process.execPath, VITEST, "run", ...reporters, ...flags, ...files, ...args];
  const status = await spawnAndPrint(command, env, print);
  const outcomes = existsSync(report) ? outcomesOf(JSON.parse(readFileSync(report, "utf8"))) : new Map();
  rmSync(dir, { recursive: true });
  // An error outside of any test fails the run without a failed test.
  if (status !== 0 && failuresOf(outcomes).length === 0) {
    outcomes.set(`vitest ${projects.join(" ")}`, { passed: 0, failed: ["an error outside of the tests"], ms: 0 });
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
 * Files with a failure run once more, at the end and alone: what passes then met a busy machine, and is named as such. More
 * than a few failures are no chance.
 */
const REPEATED_FILES_MAX = 5;

/** What failed and then passed, which the last lines name. */
const passedAgain: string[] = [];

async function repeatFailed({ projects }: Run, outcomes: Outcomes): Promise<Outcomes> {
  const files = [...outcomes].filter(([, { failed }]) => failed.length > 0).map(([file]) => file);
  if (files.length === 0 || files.length > REPEATED_FILES_MAX) return outcomes;
  for (const failure of failuresOf(outcomes)) console.log(`failed, its file runs again: ${failure}`);
  const repeated = await runVitest({ projects, files }, console.log);
  const kept = [...outcomes].filter(([file]) => !files.includes(file));
  const mended = [...outcomes].filter(([file]) => files.includes(file) && repeated.get(file)?.failed.length === 0);
  passedAgain.push(...failuresOf(new Map(mended)));
  return new Map([...kept, ...repeated]);
}

/** Short days of the whole service, each under one seed; a run prints the seeds that failed. */
async function simulate(print: Print): Promise<Outcomes> {
  const begun = performance.now();
  const seeds = ["test/simulation/main.ts", "--short", "--seeds", String(SIMULATED_SEEDS)];
  let result: string[] = [];
  await spawnAndPrint([process.execPath, ...seeds], process.env, (line) => {
    print(line);
    result = /^(\d+) seeds passed, (\d+) failed$/.exec(line) ?? result;
  });
  const [, passed, violated] = result;
  const failed = violated === "0" ? [] : [violated === undefined ? "the simulation broke off" : `${violated} seeds`];
  return new Map([["test/simulation", { passed: Number(passed ?? 0), failed, ms: performance.now() - begun }]]);
}

const titleOf = (step: Step) => (isRun(step) ? [...step.projects, ...(step.files ?? [])].join(" ") : step.name);

/** Fails as a step of its own where it broke off, so that the others are still counted. */
async function take(step: Step, print: Print): Promise<Outcomes> {
  try {
    return await (isRun(step) ? runVitest(step, print) : step(print));
  } catch (error) {
    return new Map([[titleOf(step), { passed: 0, failed: [`broke off: ${error}`], ms: 0 }]]);
  }
}

/** The first lane prints as it goes on, the others each step at its end. */
async function runStage(lanes: Stage): Promise<[Step, Outcomes][]> {
  const runLane = async (steps: Step[], n: number) => {
    const done: [Step, Outcomes][] = [];
    for (const step of steps) {
      const [begun, lines] = [performance.now(), [] as string[]];
      done.push([step, await take(step, n === 0 ? console.log : (line) => void lines.push(line))]);
      const seconds = Math.round((performance.now() - begun) / 1000);
      console.log([...lines, `${titleOf(step)}: took ${seconds} s`].join("\n"));
    }
    return done;
  };
  return (await Promise.all(lanes.map(runLane))).flat();
}

async function runAll(): Promise<Outcomes[]> {
  if (args.some((arg) => arg === "--project" || arg.startsWith("--project="))) {
    return [await runVitest({ projects: [] }, console.log)];
  }
  const runnable = isGate ? projects : projects.filter(isRunnable);
  const before = isGate ? [requirePrograms(projects)] : [];
  // What is chosen among all of them is one run.
  const stages: Stage[] = args.length === 0 ? chosen : [[[...(isGate ? [runCheck] : []), { projects }]]];
  const onlyRunnable = (step: Step): Step[] => {
    if (!isRun(step)) return [step];
    const left = step.projects.filter((project) => runnable.includes(project));
    return left.length > 0 ? [{ ...step, projects: left }] : [];
  };
  const done: [Step, Outcomes][] = [];
  for (const stage of stages) {
    done.push(...(await runStage(stage.map((steps) => steps.flatMap(onlyRunnable)))));
  }
  for (const entry of done) {
    const [step, outcomes] = entry;
    if (isGate && isRun(step)) entry[1] = await repeatFailed(step, outcomes);
  }
  return [...before, ...done.map(([, outcomes]) => outcomes)];
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
for (const failure of passedAgain) console.log(`failed, and passed when its file ran again: ${failure}`);
for (const failure of failures) console.log(`FAILED: ${failure}`);
console.log(`${passed} passed, ${failures.length} failed`);
process.exit(failures.length === 0 ? 0 : 1);
