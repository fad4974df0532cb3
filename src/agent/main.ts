import { fork } from "node:child_process";
import { realpathSync } from "node:fs";
import { hostname } from "node:os";
import { dirname, resolve } from "node:path";
import * as tls from "node:tls";
import { parseArgs } from "node:util";
import { Agent, describeHost } from "./agent.ts";
import { checkOnce, formatCheck } from "./check-command.ts";
import { parseServiceUrl, reachFrom, readConfig, writeConfig } from "./config.ts";
import { formatStatus, readStatus } from "./control.ts";
import { discover } from "./discovery.ts";
import { AGENT_ENV, AGENT_FLAGS } from "./frugality.ts";
import { createLog } from "./log.ts";
import { Uplink } from "./uplink.ts";
import { UplinkError } from "./uplink-error.ts";
import { VERSION } from "./version.ts";

const USAGE = `Vigil agent ${VERSION}: checks private targets and reports to your Vigil service.

  enroll --url URL --token TOKEN [--name NAME]   exchange an install token for this agent's own; what monitors may reach:
         [--allow CIDR]... [--types TYPE,TYPE] [--read-only]
  run [--foreground]                             check and report until stopped; --foreground restarts after updates;
                                                 with --url and VIGIL_INSTALL_TOKEN it enrolls itself at its first start
  status                                         what the running agent does
  check TYPE TARGET [--option NAME=VALUE]...     one check, without the service, e.g. check redis 127.0.0.1:6379
  discover                                       services and containers of this host
  version                                        the version of this program

  --dir DIR   where config, buffer and assignments are; default: the directory of this program
`;

/** Asks the supervisor to start the program again, because it was replaced. */
const EXIT_UPDATED = 75;
const CHILD = "VIGIL_AGENT_CHILD";

const programPath = realpathSync(process.argv[1] ?? "");
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    dir: { type: "string" },
    url: { type: "string" },
    token: { type: "string" },
    name: { type: "string" },
    "update-public-key": { type: "string" },
    allow: { type: "string", multiple: true },
    types: { type: "string" },
    "read-only": { type: "boolean" },
    foreground: { type: "boolean" },
    option: { type: "string", multiple: true },
    help: { type: "boolean", short: "h" },
  },
});
const dir = resolve(values.dir ?? process.env.VIGIL_AGENT_DIR ?? dirname(programPath));
const log = createLog(process.env.LOG_LEVEL, (line) => process.stdout.write(line));

async function main([command, ...operands]: string[]): Promise<number> {
  if (values.help || command === undefined || command === "help") return print(USAGE);
  switch (command) {
    case "enroll":
      return enroll();
    case "run":
      return values.foreground && process.env[CHILD] === undefined ? supervise() : run();
    case "status": {
      const report = await readStatus(dir);
      return report ? print(`${formatStatus(report, Date.now())}\n`) : fail(`no agent runs in ${dir}`);
    }
    case "check": {
      trustSystemAuthorities();
      const found = await checkOnce(operands, values.option ?? []);
      process.stdout.write(`${formatCheck(found)}\n`);
      return found.outcome === "success" || found.outcome === "slow" ? 0 : 1;
    }
    case "discover":
      return print(`${JSON.stringify(await discover(process.env), null, 2)}\n`);
    case "version":
      return print(`${VERSION}\n`);
    default:
      return fail(`unknown command ${command}; see help`);
  }
}

async function enroll(): Promise<number> {
  const token = values.token ?? process.env.VIGIL_INSTALL_TOKEN;
  if (!values.url || !token) return fail("enroll needs --url and --token");
  const url = parseServiceUrl(values.url);
  if (!url.ok) return fail(`--url ${url.reason}`);
  // Before the token is used up.
  const reach = reachFrom(values, dir);
  const uplink = new Uplink({ url: url.value, token: () => token });
  try {
    const { agent_id, agent_token, name } = await uplink.enroll({ ...describeHost(), name: values.name ?? hostname() });
    const pinned = values["update-public-key"] ?? null;
    const enrolled = { url: url.value, agent_id, agent_token, name, auto_update: true, update_public_key: pinned };
    writeConfig(dir, { ...enrolled, ...reach });
    return print(`enrolled as "${name}" (${agent_id})\n`);
  } catch (error) {
    if (!(error instanceof UplinkError)) throw error;
    const hint = error.kind === "unauthorized" ? "; an install token works once and for an hour, create a new one" : "";
    return fail(`enrolment failed: ${error.message}${hint}`);
  }
}

async function run(): Promise<number> {
  // A container has no other moment to enrol: its first start has the token, and those that follow do not need it.
  if (!readConfig(dir) && values.url && process.env.VIGIL_INSTALL_TOKEN) {
    const failed = await enroll();
    if (failed !== 0) return failed;
  }
  const config = readConfig(dir);
  if (!config) return fail(`no agent is enrolled in ${dir}; run enroll first`);
  trustSystemAuthorities();
  const agent = new Agent({ dir, config, log, env: process.env, programPath });
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.once(signal, () => agent.stop());
  // The supervisor is gone.
  process.once("disconnect", () => agent.stop());
  return (await agent.run()) === "updated" ? EXIT_UPDATED : 0;
}

/** Runs the agent as a child and starts it again after an update, where no service manager does. */
async function supervise(): Promise<number> {
  let isStopping = false;
  for (;;) {
    const child = fork(programPath, process.argv.slice(2), {
      env: { ...process.env, ...AGENT_ENV, [CHILD]: "1" },
      execArgv: [...process.execArgv, ...AGENT_FLAGS],
      stdio: "inherit",
    });
    const stop = (signal: NodeJS.Signals) => {
      isStopping = true;
      child.kill(signal);
    };
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, stop);
    const code = await new Promise<number>((end) => child.once("close", (exitCode) => end(exitCode ?? 1)));
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.off(signal, stop);
    if (code !== EXIT_UPDATED || isStopping) return code === EXIT_UPDATED ? 0 : code;
  }
}

/** Private networks have authorities of their own, which an administrator added to the system. Node 22.19 can read them. */
function trustSystemAuthorities(): void {
  const { getCACertificates, setDefaultCACertificates } = tls as Partial<typeof tls>;
  if (!getCACertificates || !setDefaultCACertificates) return;
  const all = (["default", "system", "extra"] as const).flatMap((kind) => getCACertificates(kind));
  setDefaultCACertificates([...new Set(all)]);
}

function print(text: string): number {
  process.stdout.write(text);
  return 0;
}

function fail(message: string): number {
  process.stderr.write(`${message}\n`);
  return 1;
}

main(positionals).then(
  (code) => {
    process.exitCode = code;
    process.disconnect?.();
  },
  (error: unknown) => {
    process.exitCode = fail(error instanceof Error ? error.message : String(error));
    process.disconnect?.();
  },
);
